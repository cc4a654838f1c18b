/* options.c: the tables of commands and options, and what reads them. */
#include "cli/options.h"

#include <string.h>

#include "lang/ast.h"

/* ---- the tables ---- */

#define ON(command) (1u << CLI_COMMAND_##command)
#define SIMULATES (ON(RUN) | ON(CONDITION))
#define RUNS (SIMULATES | ON(SWEEP))
#define REPEATS (RUNS | ON(FIT)) /* runs whose rows nobody sees, too */
#define READS (REPEATS | ON(CHECK) | ON(EMIT))
#define ALL (~0u)

const cli_option cli_options[CLI_OPTION_COUNT] = {
    [CLI_TOP] = {.name = "top",
                 .argument = "NAME",
                 .fallback = "the system, else the last component",
                 .help = "the component to run",
                 .group = CLI_GROUP_MODEL,
                 .commands = READS},
    [CLI_IMPORT_PATH] = {.name = "import-path",
                         .letter = 'I',
                         .argument = "DIR",
                         .help = "look for imports here, too, if they are not beside the file that "
                                 "imports them; outside of the model's folder only files in these "
                                 "directories may be imported; may be repeated",
                         .group = CLI_GROUP_MODEL,
                         .commands = READS | ON(FMT)},
    [CLI_SET] =
        {.name = "set",
         .argument = "PATH=VALUE",
         .help =
             "set a parameter, an initial value, or an input of the top component; may be repeated",
         .group = CLI_GROUP_MODEL,
         .commands = READS},
    [CLI_ALLOW_EXTERNAL] = {.name = "allow-external",
                            .help = "load the libraries of the model's external functions: code "
                                    "that can do whatever you can",
                            .group = CLI_GROUP_MODEL,
                            .commands = READS},
    [CLI_LIBRARY_PATH] = {.name = "library-path",
                          .letter = 'L',
                          .argument = "DIRECTORY",
                          .help = "where libraries of external functions are looked for, after the "
                                  "model's directory; may be repeated",
                          .group = CLI_GROUP_MODEL,
                          .commands = READS},
    [CLI_SEED] = {.name = "seed",
                  .argument = "N",
                  .fallback = "1",
                  .help = "seed of all random draws",
                  .group = CLI_GROUP_MODEL,
                  .commands = READS | ON(REPRODUCE),
                  .setting = true},
    [CLI_FROM] = {.name = "from",
                  .argument = "T",
                  .fallback = "the model's, or 0",
                  .help = "time at the start",
                  .group = CLI_GROUP_METHOD,
                  .commands = READS,
                  .setting = true},
    [CLI_UNTIL] = {.name = "until",
                   .argument = "T",
                   .fallback = "the model's",
                   .help = "end time",
                   .group = CLI_GROUP_METHOD,
                   .commands = REPEATS,
                   .setting = true},
    [CLI_METHOD] = {.name = "method",
                    .argument = "M",
                    .choices =
                        "auto|adams|taylor|dopri|euler|taylor2|rk4|am3|bdf3|trapezoid|bdf|dae",
                    .fallback = "auto",
                    .help =
                        "auto, adams (variable step and order), taylor (series of the solution), "
                        "dopri (Runge-Kutta 5(4)), bdf or dae (stiff models); at a fixed --step: "
                        "euler, taylor2, rk4, am3, bdf3, trapezoid",
                    .group = CLI_GROUP_METHOD,
                    .commands = REPEATS,
                    .setting = true},
    [CLI_EVENTS] = {.name = "events",
                    .argument = "E",
                    .choices = "extrapolate|interpolate|endpoint|zlm|mnm",
                    .fallback = "extrapolate",
                    .help = "extrapolate (one-sided), interpolate (all roots of the dense output), "
                            "endpoint, zlm, mnm",
                    .group = CLI_GROUP_METHOD,
                    .commands = REPEATS,
                    .setting = true},
    [CLI_RTOL] = {.name = "rtol",
                  .argument = "R",
                  .fallback = "1e-6",
                  .help = "relative tolerance",
                  .group = CLI_GROUP_METHOD,
                  .commands = REPEATS | ON(EMIT),
                  .setting = true},
    [CLI_ATOL] = {.name = "atol",
                  .argument = "A",
                  .fallback = "1e-9",
                  .help = "absolute tolerance",
                  .group = CLI_GROUP_METHOD,
                  .commands = REPEATS | ON(EMIT),
                  .setting = true},
    [CLI_TOLERANCE] = {.name = "tolerance",
                       .argument = "R",
                       .help = "both: rtol = R, atol = R/1000",
                       .group = CLI_GROUP_METHOD,
                       .commands = REPEATS | ON(EMIT),
                       .setting = true},
    [CLI_ORDER] = {.name = "order",
                   .argument = "Q",
                   .fallback = "chosen",
                   .help = "fixed order: 1 to 12 for adams, 1 to 30 for taylor, 1 to 5 for bdf",
                   .group = CLI_GROUP_METHOD,
                   .commands = REPEATS | ON(EMIT),
                   .setting = true},
    [CLI_STEP] = {.name = "step",
                  .argument = "H",
                  .fallback = "chosen",
                  .help = "step of fixed-step methods; first step of the others",
                  .group = CLI_GROUP_METHOD,
                  .commands = REPEATS,
                  .setting = true},
    [CLI_HMIN] = {.name = "hmin",
                  .argument = "H",
                  .fallback = "the resolution of time",
                  .help = "smallest step",
                  .group = CLI_GROUP_METHOD,
                  .commands = REPEATS,
                  .setting = true},
    [CLI_HMAX] = {.name = "hmax",
                  .argument = "H",
                  .fallback = "none",
                  .help = "largest step",
                  .group = CLI_GROUP_METHOD,
                  .commands = REPEATS,
                  .setting = true},
    [CLI_GAIN] = {.name = "gain",
                  .argument = "margin|published|fixed",
                  .choices = "margin|published|fixed",
                  .fallback = "margin",
                  .help = "how extrapolate approaches a surface: margin: keeps the predicted error "
                          "as distance; published: Esposito & Kumar 2007, eq. 20; fixed: the "
                          "distance shrinks by the factor --gamma in each step",
                  .group = CLI_GROUP_METHOD,
                  .commands = REPEATS,
                  .setting = true},
    [CLI_GAMMA] = {.name = "gamma",
                   .argument = "G",
                   .fallback = "0.5",
                   .help = "the factor of --gain fixed, from 0 to below 1; implies --gain fixed if "
                           "--gain is not given",
                   .group = CLI_GROUP_METHOD,
                   .commands = REPEATS,
                   .setting = true},
    [CLI_TERMINATION] =
        {.name = "termination",
         .argument = "G",
         .fallback = "from the tolerances",
         .help = "with --gain published or fixed: the guard's value at which its surface counts as "
                 "reached; published: at least what its formula needs",
         .group = CLI_GROUP_METHOD,
         .commands = REPEATS,
         .setting = true},
    [CLI_PARTS] = {.name = "parts",
                   .argument = "N",
                   .fallback = "10",
                   .help = "with --events mnm: number of parts of each subdivision of a step",
                   .group = CLI_GROUP_METHOD,
                   .commands = REPEATS,
                   .setting = true},
    [CLI_NEAR_MISS] = {.name = "near-miss",
                       .argument = "FACTOR",
                       .fallback = "1000",
                       .help = "list a closest approach within this many tolerances as a near miss",
                       .group = CLI_GROUP_METHOD,
                       .commands = RUNS,
                       .setting = true},
    [CLI_RANGE] = {.name = "range",
                   .argument = "stop|warn",
                   .choices = "stop|warn",
                   .fallback = "stop",
                   .help = "what to do when a value leaves its declared range",
                   .group = CLI_GROUP_BEHAVIOUR,
                   .commands = REPEATS,
                   .setting = true},
    [CLI_ZENO] = {.name = "zeno",
                  .argument = "stop|continue",
                  .choices = "stop|continue",
                  .fallback = "stop",
                  .help = "what to do at infinitely many events in finite time",
                  .group = CLI_GROUP_BEHAVIOUR,
                  .commands = REPEATS,
                  .setting = true},
    [CLI_INTERPRET] = {.name = "interpret",
                       .help = "never call a C compiler",
                       .group = CLI_GROUP_BEHAVIOUR,
                       .commands = REPEATS | ON(REPRODUCE)},
    [CLI_NATIVE] = {.name = "native",
                    .help = "wait for the C compiler before the first step, instead of starting "
                            "in the interpreter",
                    .group = CLI_GROUP_BEHAVIOUR,
                    .commands = SIMULATES},
    [CLI_AUDIT] = {.name = "audit",
                   .help = "count evaluations of the right-hand side past a unilateral surface; "
                           "fail where a flag has "
                           "passed its surface without an event",
                   .group = CLI_GROUP_BEHAVIOUR,
                   .commands = SIMULATES},
    [CLI_SENSITIVITY] = {.name = "sensitivity",
                         .help = "print all derivatives of every event, however large the model is",
                         .group = CLI_GROUP_RESULTS,
                         .commands = ON(CONDITION)},
    [CLI_AGAINST] = {.name = "against",
                     .argument = "M",
                     .choices = "adams|taylor|dopri|euler|taylor2|rk4|am3|bdf3|trapezoid|bdf",
                     .help = "also run the model with this method (--step is then its step), and "
                             "list the events that differ by more than both errors",
                     .group = CLI_GROUP_RESULTS,
                     .commands = ON(CONDITION)},
    [CLI_CLOCKS] =
        {.name = "clocks",
         .argument = "own|one",
         .choices = "own|one",
         .fallback = "own, if the model allows it",
         .help = "agents: own: each has its own clock and step size; one: all are one system",
         .group = CLI_GROUP_BEHAVIOUR,
         .commands = RUNS,
         .setting = true},
    [CLI_THREADS] = {.name = "threads",
                     .argument = "N",
                     .fallback = "all cores",
                     .help = "threads for populations; the results do not depend on the number",
                     .group = CLI_GROUP_BEHAVIOUR,
                     .commands = RUNS | ON(REPRODUCE),
                     .setting = true},
    [CLI_CHECKPOINT] = {.name = "checkpoint",
                        .argument = "FILE",
                        .files = "",
                        .help = "save the run to this file on its way, so that it can be resumed",
                        .group = CLI_GROUP_BEHAVIOUR,
                        .commands = ON(RUN) | ON(CONDITION)},
    [CLI_CHECKPOINT_EVERY] = {.name = "checkpoint-every",
                              .argument = "T",
                              .help = "simulated time from one checkpoint to the next",
                              .group = CLI_GROUP_BEHAVIOUR,
                              .commands = ON(RUN) | ON(CONDITION)},
    [CLI_RESUME] = {.name = "resume",
                    .argument = "FILE",
                    .files = "",
                    .help =
                        "go on from a checkpoint, with the other options of the run that wrote "
                        "it; checkpoints go to the same file, unless --checkpoint names another",
                    .group = CLI_GROUP_BEHAVIOUR,
                    .commands = ON(RUN) | ON(CONDITION)},
    [CLI_WAITING] = {.name = "waiting",
                     .argument = "FILE.svg",
                     .files = "*.svg",
                     .help = "with mpirun: draw which rank computes when, and which it waits for",
                     .group = CLI_GROUP_BEHAVIOUR,
                     .commands = ON(RUN)},
    [CLI_EVERY] = {.name = "every",
                   .argument = "DT",
                   .fallback = "one row for each accepted step and each sample",
                   .help = "output grid; events add rows, before and after each",
                   .group = CLI_GROUP_RESULTS,
                   .commands = RUNS,
                   .setting = true},
    [CLI_OUT] = {.name = "out",
                 .letter = 'o',
                 .argument = "FILE",
                 .files = "csv|mat|h5",
                 .help = "write the trajectory; the ending gives the format: .csv, .mat, .h5; - is "
                         "CSV on standard output",
                 .group = CLI_GROUP_RESULTS,
                 .commands = SIMULATES},
    [CLI_KEEP] = {.name = "keep",
                  .argument = "NAMES",
                  .help = "record these: names and patterns, such as plant.*, car[1..5].x, *.h, x' "
                          "(the derivative), names of flags and parameters (states, modes, "
                          "outputs; variables and inputs of models up to 1000 columns)",
                  .group = CLI_GROUP_RESULTS,
                  .commands = SIMULATES,
                  .setting = true},
    [CLI_REPORT] =
        {.name = "report",
         .argument = "FILE.html",
         .files = "html",
         .help = "write one self-contained page with plots, events, steps and the model; "
                 "of a sweep: plots and the table of its runs; of a fit: curves and residuals",
         .group = CLI_GROUP_RESULTS,
         .commands = RUNS | ON(REPRODUCE) | ON(FIT)},
    [CLI_PLOT] = {.name = "plot",
                  .argument = "NAMES",
                  .help = "draw these after the summary: x,y over time; y:x is y against x; car.x "
                          "is every car; on standard error with --json or --out -",
                  .group = CLI_GROUP_RESULTS,
                  .commands = SIMULATES},
    [CLI_JSON] = {.name = "json",
                  .help = "print the summary as one JSON object on standard output",
                  .group = CLI_GROUP_RESULTS,
                  .commands = SIMULATES | ON(REPRODUCE) | ON(FIT)},
    [CLI_JSON_STATES] = {.name = "json-states",
                         .help = "the same, with the whole state before and after every event",
                         .group = CLI_GROUP_RESULTS,
                         .commands = SIMULATES},
    [CLI_QUIET] = {.name = "quiet",
                   .letter = 'q',
                   .help = "no summary, no warnings, no progress",
                   .group = CLI_GROUP_RESULTS,
                   .commands = READS | ON(REPRODUCE)},
    [CLI_PROGRESS] = {.name = "progress",
                      .argument = "auto|always|never",
                      .choices = "auto|always|never",
                      .fallback = "auto",
                      .help = "show progress on standard error during the run",
                      .group = CLI_GROUP_RESULTS,
                      .commands = REPEATS},
    [CLI_COLOR] = {.name = "color",
                   .argument = "auto|always|never",
                   .choices = "auto|always|never",
                   .fallback = "auto",
                   .help = "colours; auto: on a terminal, if NO_COLOR is not set",
                   .group = CLI_GROUP_GENERAL,
                   .commands = READS | ON(FMT) | ON(REPRODUCE) | ON(DOCTOR)},
    [CLI_CHECK] = {.name = "check",
                   .help = "change nothing; exit 1 if the layout differs",
                   .group = CLI_GROUP_RESULTS,
                   .commands = ON(FMT)},
    [CLI_PART] = {.name = "part",
                  .help = "the component is a part of a larger model: its inputs need no source",
                  .group = CLI_GROUP_MODEL,
                  .commands = ON(CHECK)},
    [CLI_STRUCTURE] = {.name = "structure",
                       .help =
                           "list the structures of the constraints: when each holds, its index, "
                           "its free states, what is solved together",
                       .group = CLI_GROUP_RESULTS,
                       .commands = ON(CHECK)},
    [CLI_WRITE] = {.name = "write",
                   .letter = 'w',
                   .help = "change the file, instead of writing to standard output",
                   .group = CLI_GROUP_RESULTS,
                   .commands = ON(FMT)},
    [CLI_KIND] = {.name = "kind",
                  .argument = "tank|loop",
                  .choices = "tank|loop",
                  .fallback = "tank",
                  .help = "tank: a component with modes and events; loop: a plant with a sampled "
                          "controller and rules",
                  .group = CLI_GROUP_MODEL,
                  .commands = ON(NEW)},
    [CLI_LIST] = {.name = "list",
                  .help = "list the names of the experiments",
                  .group = CLI_GROUP_RESULTS,
                  .commands = ON(REPRODUCE)},
    [CLI_REPETITIONS] = {.name = "repetitions",
                         .argument = "N",
                         .fallback = "the published number",
                         .help = "how often to repeat an experiment with random starts",
                         .group = CLI_GROUP_MODEL,
                         .commands = ON(REPRODUCE)},
    [CLI_VARY] =
        {.name = "vary",
         .argument = "NAME=VALUES",
         .help = "what is varied; may be repeated. LO:HI:COUNT and log:LO:HI:COUNT: a grid, "
                 "both ends included; a,b,c: these values; with --samples also LO:HI, "
                 "log:LO:HI, uniform(LO,HI), normal(MEAN,DEVIATION). seed=1:100:100 varies the "
                 "seed of the runs",
         .group = CLI_GROUP_SWEEP,
         .commands = ON(SWEEP)},
    [CLI_SAMPLES] = {.name = "samples",
                     .argument = "N",
                     .help = "number of samples of --design random, lhs and sobol",
                     .group = CLI_GROUP_SWEEP,
                     .commands = ON(SWEEP)},
    [CLI_DESIGN] = {.name = "design",
                    .argument = "DESIGN",
                    .fallback = "grid; with --samples random, with --indices sobol",
                    .files = "csv",
                    .help =
                        "grid (all combinations), random (independent draws), lhs (Latin "
                        "hypercube), sobol, or a table FILE.csv: a line of names of knobs, then "
                        "a line of values for each run",
                    .group = CLI_GROUP_SWEEP,
                    .commands = ON(SWEEP)},
    [CLI_MEASURE] = {.name = "measure",
                     .argument = "EXPRESSION",
                     .help = "one more column, such as plant.h (its final value), max(plant.h), "
                             "min, mean, at(empty, plant.h), count(empty), condition(empty), "
                             "peak = max(h)/2; may be repeated",
                     .group = CLI_GROUP_SWEEP,
                     .commands = ON(SWEEP)},
    [CLI_INDICES] = {.name = "indices",
                     .argument = "FILE.csv",
                     .files = "csv",
                     .help =
                         "write the Sobol indices of every measure by every knob, with "
                         "intervals of 95 %; each of the --samples is then 2 runs, and one more "
                         "for each knob",
                     .group = CLI_GROUP_SWEEP,
                     .commands = ON(SWEEP)},
    [CLI_OUT_TABLE] = {.name = "out",
                       .letter = 'o',
                       .argument = "FILE",
                       .files = "csv|h5",
                       .fallback = "-",
                       .help =
                           "write the table; the ending gives the format: .csv, .h5; - is CSV on "
                           "standard output",
                       .group = CLI_GROUP_SWEEP,
                       .commands = ON(SWEEP)},
    [CLI_RESUME_TABLE] = {.name = "resume",
                          .help = "go on with the table --out FILE, which was interrupted",
                          .group = CLI_GROUP_SWEEP,
                          .commands = ON(SWEEP)},
    [CLI_KEEP_RUNS] = {.name = "keep",
                       .argument = "DIR",
                       .help = "write the trajectory of each run to DIR/run-N.csv",
                       .group = CLI_GROUP_SWEEP,
                       .commands = ON(SWEEP)},
    [CLI_KEEP_FORMAT] = {.name = "keep-format",
                         .argument = "FORMAT",
                         .choices = "csv|mat|h5",
                         .fallback = "csv",
                         .help = "of what --keep writes; h5 needs --jobs 1",
                         .group = CLI_GROUP_SWEEP,
                         .commands = ON(SWEEP)},
    [CLI_KEEP_REPORTS] = {.name = "keep-reports",
                          .help = "with --keep: also the report of each run, DIR/run-N.html",
                          .group = CLI_GROUP_SWEEP,
                          .commands = ON(SWEEP)},
    [CLI_JOBS] = {.name = "jobs",
                  .letter = 'j',
                  .argument = "N",
                  .fallback = "all cores",
                  .help = "runs at the same time; the table does not depend on the number",
                  .group = CLI_GROUP_SWEEP,
                  .commands = ON(SWEEP)},
    [CLI_LANES] = {.name = "lanes",
                   .argument = "auto|off|4|8",
                   .fallback = "auto",
                   .help = "runs side by side in each job, in the lanes of vectors; the table does "
                           "not depend on it",
                   .group = CLI_GROUP_SWEEP,
                   .commands = ON(SWEEP)},
    [CLI_LIMIT] = {.name = "limit",
                   .argument = "SECONDS",
                   .fallback = "none",
                   .help = "end a run that takes longer, and note that in its row",
                   .group = CLI_GROUP_SWEEP,
                   .commands = ON(SWEEP)},
    [CLI_SHARE] = {.name = "share",
                   .argument = "K/N",
                   .fallback = "all runs",
                   .help = "make part K of N of the runs, from 1, to FILE.K-of-N: one of N jobs of "
                           "a cluster",
                   .group = CLI_GROUP_SWEEP,
                   .commands = ON(SWEEP)},
    [CLI_JOIN] = {.name = "join",
                  .argument = "N",
                  .help = "make no runs, but one table of the rows of N shares; all other options "
                          "must be as they were for these",
                  .group = CLI_GROUP_SWEEP,
                  .commands = ON(SWEEP)},
    [CLI_PATIENCE] = {.name = "patience",
                      .argument = "SECONDS",
                      .fallback = "30",
                      .help = "with MPI: give up a rank that is silent for longer, and let others "
                              "make its runs",
                      .group = CLI_GROUP_SWEEP,
                      .commands = ON(SWEEP)},
    [CLI_HELP] = {.name = "help",
                  .letter = 'h',
                  .help = "show this help",
                  .group = CLI_GROUP_GENERAL,
                  .commands = ALL},
    [CLI_VERSION] = {.name = "version",
                     .letter = 'V',
                     .help = "show the version",
                     .group = CLI_GROUP_GENERAL,
                     .commands = ALL},
    [CLI_INPUT] = {.name = "input",
                   .argument = "FILE.csv",
                   .files = "csv",
                   .help = "inputs of the top component over time: a table with a column of time, "
                           "and one for each input; signals are linear between rows",
                   .group = CLI_GROUP_MODEL,
                   .commands = REPEATS},
    [CLI_INPUT_HOLD] = {.name = "input-hold",
                        .help = "hold the values of --input until the next row",
                        .group = CLI_GROUP_MODEL,
                        .commands = REPEATS},
    [CLI_BOUNDS] = {.name = "vary",
                    .argument = "NAME=LO:HI",
                    .help = "what is looked for, and its bounds; log:LO:HI: in its logarithm; may "
                            "be repeated",
                    .group = CLI_GROUP_FIT,
                    .commands = ON(FIT)},
    [CLI_DATA] = {.name = "data",
                  .argument = "FILE.csv",
                  .files = "csv",
                  .help = "measured curves: a column of time, and one for each quantity",
                  .group = CLI_GROUP_FIT,
                  .commands = ON(FIT)},
    [CLI_EVENT_TIMES] = {.name = "event-times",
                         .argument = "FILE.csv",
                         .files = "csv",
                         .help = "measured times of events: columns flag, time and sigma",
                         .group = CLI_GROUP_FIT,
                         .commands = ON(FIT)},
    [CLI_SIGMA] = {.name = "sigma",
                   .argument = "NAME=VALUE",
                   .help = "the standard deviation of what was measured of a quantity or a flag; "
                           "may be repeated",
                   .group = CLI_GROUP_FIT,
                   .commands = ON(FIT)},
    [CLI_MINIMIZE] = {.name = "minimize",
                      .argument = "EXPRESSION",
                      .help = "instead of data: make this as small as possible; \"max(plant.h)\", "
                              "\"last(empty)\" and others, as of brink sweep --measure",
                      .group = CLI_GROUP_FIT,
                      .commands = ON(FIT)},
    [CLI_MAXIMIZE] = {.name = "maximize",
                      .argument = "EXPRESSION",
                      .help = "the same, as large as possible",
                      .group = CLI_GROUP_FIT,
                      .commands = ON(FIT)},
    [CLI_SUBJECT_TO] = {.name = "subject-to",
                        .argument = "CONDITION",
                        .help = "with --minimize or --maximize: what must hold, such as "
                                "\"max(h) <= 2\"; may be repeated",
                        .group = CLI_GROUP_FIT,
                        .commands = ON(FIT)},
    [CLI_STARTS] = {.name = "starts",
                    .argument = "N",
                    .fallback = "5",
                    .help = "from how many points the search goes on to a minimum",
                    .group = CLI_GROUP_FIT,
                    .commands = ON(FIT)},
    [CLI_MAX_RUNS] = {.name = "max-runs",
                      .argument = "N",
                      .fallback = "1000",
                      .help = "runs for each start, at most",
                      .group = CLI_GROUP_FIT,
                      .commands = ON(FIT)},
    [CLI_DERIVATIVES] =
        {.name = "derivatives",
         .argument = "auto|always|never",
         .choices = "auto|always|never",
         .fallback = "auto",
         .help = "always: with derivatives of the runs (Levenberg-Marquardt, SLSQP); never: "
                 "a search that compares values only; auto: the first, and the "
                 "second where there are no derivatives",
         .group = CLI_GROUP_FIT,
         .commands = ON(FIT)},
    [CLI_CONFIDENCE] = {.name = "confidence",
                        .argument = "P",
                        .fallback = "0.95",
                        .help = "confidence of the intervals",
                        .group = CLI_GROUP_FIT,
                        .commands = ON(FIT)},
    [CLI_FIT_JOBS] = {.name = "jobs",
                      .letter = 'j',
                      .argument = "N",
                      .fallback = "all cores",
                      .help = "runs at the same time; the result does not depend on the number",
                      .group = CLI_GROUP_FIT,
                      .commands = ON(FIT)},
    [CLI_FIT_PATIENCE] = {.name = "patience",
                          .argument = "SECONDS",
                          .fallback = "30",
                          .help = "with MPI: give up a rank that is silent for longer, and let "
                                  "others do its work",
                          .group = CLI_GROUP_FIT,
                          .commands = ON(FIT)},
};

const char *const cli_group_titles[CLI_GROUP_COUNT] = {
    [CLI_GROUP_MODEL] = "The model",     [CLI_GROUP_METHOD] = "The method",
    [CLI_GROUP_BEHAVIOUR] = "Behaviour", [CLI_GROUP_RESULTS] = "Results",
    [CLI_GROUP_FIT] = "The fit",         [CLI_GROUP_SWEEP] = "The sweep",
    [CLI_GROUP_GENERAL] = "General",
};

const cli_command cli_commands[CLI_COMMAND_COUNT] = {
    [CLI_COMMAND_RUN] =
        {.name = "run",
         .operands = "MODEL.hsml",
         .operand = CLI_OPERAND_MODEL,
         .least = 1,
         .most = 1,
         .help = "simulate a model",
         .more = "Options override the simulation section of the model.",
         .examples = {{"Simulate, and plot two quantities:",
                       "brink run tank.hsml --until 10 --plot plant.h,plant.phase"},
                      {"Write a trajectory on a grid, and a report:",
                       "brink run tank.hsml --every 0.1 --out tank.csv --report tank.html"},
                      {"Change a parameter and an initial value; print JSON:",
                       "brink run tank.hsml --set plant.area=2.5 --set plant.h=1 --json"}},
         .run = cli_run},
    [CLI_COMMAND_CONDITION] =
        {.name = "condition",
         .operands = "MODEL.hsml",
         .operand = CLI_OPERAND_MODEL,
         .least = 1,
         .most = 1,
         .help = "compute the condition number of every event",
         .more = "Simulates like run, and shows how far each event can be trusted: a condition "
                 "number, a verdict in words, the closest approaches before it, and how its time "
                 "depends on initial values and knobs.",
         .examples = {{"Is the event well-posed?", "brink condition tank.hsml"},
                      {"All derivatives, for a script:",
                       "brink condition tank.hsml --sensitivity --json"},
                      {"Does a textbook method find the same events?",
                       "brink condition tank.hsml --against rk4 --step 0.01"}},
         .run = cli_condition},
    [CLI_COMMAND_SWEEP] =
        {.name = "sweep",
         .operands = "MODEL.hsml",
         .operand = CLI_OPERAND_MODEL,
         .least = 1,
         .most = 1,
         .help = "run a model many times, one row each",
         .more =
             "Writes a table: the number of the run, the knobs, what became of it, the events of "
             "each flag, and what --measure asks for. A run that fails is a row with its reason.",
         .examples = {{"All combinations of two knobs:",
                       "brink sweep tank.hsml --vary k=1:10:10 --vary area=1,2 --out table.csv"},
                      {"Random samples, and the largest level of each run:",
                       "brink sweep tank.hsml --samples 1000 --vary k=1:2 --measure 'max(h)'"},
                      {"Go on after an interruption:",
                       "brink sweep tank.hsml --vary k=1:10:10 --out table.csv --resume"},
                      {"Which knob matters?",
                       "brink sweep m.hsml --samples 64 --vary k=1:2 --measure h --indices i.csv"}},
         .run = cli_sweep},
    [CLI_COMMAND_FIT] =
        {.name = "fit",
         .operands = "MODEL.hsml",
         .operand = CLI_OPERAND_MODEL,
         .least = 1,
         .most = 1,
         .help = "find knobs from data, or for the best outcome",
         .more = "Weighted least squares, with derivatives of the runs through their events. Shows "
                 "the knobs with confidence intervals and correlations, and what the residuals "
                 "are. With --minimize or --maximize, the knobs that make an outcome the best.",
         .examples = {{"Two knobs, from a curve:",
                       "brink fit tank.hsml --data level.csv --vary c=0.05:1 --vary h=0.5:3"},
                      {"From times of events:",
                       "brink fit ball.hsml --event-times bounces.csv --vary e=0.5:1"},
                      {"The best outcome:",
                       "brink fit shot.hsml --maximize x --vary angle=0.1:1.5"}},
         .run = cli_fit},
    [CLI_COMMAND_CHECK] = {.name = "check",
                           .operands = "MODEL.hsml...",
                           .operand = CLI_OPERAND_MODEL,
                           .least = 1,
                           .most = SIZE_MAX,
                           .help = "print all diagnostics of a model, without running it",
                           .more = "Prints nothing if there are none.",
                           .examples = {{"All models of a folder:", "brink check *.hsml"},
                                        {"What the constraints of a model determine:",
                                         "brink check --structure clutch.hsml"}},
                           .run = cli_check},
    [CLI_COMMAND_FMT] = {.name = "fmt",
                         .operands = "MODEL.hsml...",
                         .operand = CLI_OPERAND_MODEL,
                         .least = 1,
                         .most = SIZE_MAX,
                         .help = "print a model in canonical layout",
                         .more = "Comments stay. Only the layout changes.",
                         .examples = {{"In place:", "brink fmt --write tank.hsml"}},
                         .run = cli_fmt},
    [CLI_COMMAND_EMIT] =
        {.name = "emit",
         .operands = "MODEL.hsml",
         .operand = CLI_OPERAND_MODEL,
         .least = 1,
         .most = 1,
         .help = "print the generated C code of a model",
         .more = "This is the code that the C compiler gets when the model runs, with comments.",
         .examples = {{"Read it:", "brink emit tank.hsml | less"}},
         .run = cli_emit},
    [CLI_COMMAND_NEW] =
        {.name = "new",
         .operands = "NAME",
         .operand = CLI_OPERAND_NAME,
         .least = 1,
         .most = 1,
         .help = "write a starter model that runs",
         .more = "Writes NAME.hsml, with comments that explain it. Never overwrites a file.",
         .examples = {{"A first model:", "brink new my-tank"}},
         .run = cli_new},
    [CLI_COMMAND_REPRODUCE] = {.name = "reproduce",
                               .operands = "[NAME]...",
                               .operand = CLI_OPERAND_EXPERIMENT,
                               .most = SIZE_MAX,
                               .help = "run the published experiments",
                               .more =
                                   "Without names, all of them. Prints the published result, our "
                                   "result and a verdict; exit 1 if a verdict is 'differs'.",
                               .examples = {{"All of them, as a page with figures:",
                                             "brink reproduce --report papers.html"},
                                            {"One, quickly:",
                                             "brink reproduce corridor --repetitions 10"}},
                               .run = cli_reproduce},
    [CLI_COMMAND_DOCTOR] =
        {.name = "doctor",
         .operands = "",
         .operand = CLI_OPERAND_NONE,
         .help = "show what is installed and what is missing",
         .more = "Exit 0 if models run, even if something optional is missing; otherwise 4.",
         .run = cli_doctor},
    [CLI_COMMAND_MANUAL] = {.name = "manual",
                            .operands = "[COMMAND]",
                            .operand = CLI_OPERAND_COMMAND,
                            .most = 1,
                            .help = "print a manual page, for man",
                            .more = "Prints the source of brink(1), or of the page of a command, "
                                    "for example brink-run(1).",
                            .examples = {{"Read one that is not installed:",
                                          "brink manual run | man -l -"}},
                            .run = cli_manual},
    [CLI_COMMAND_COMPLETION] =
        {.name = "completion",
         .operands = "bash|zsh|fish",
         .operand = CLI_OPERAND_SHELL,
         .least = 1,
         .most = 1,
         .help = "print a script for completion in a shell",
         .examples = {{"For this bash:", "source <(brink completion bash)"},
                      {"For every zsh, in a folder of its fpath:",
                       "brink completion zsh > ~/.zfunc/_brink"},
                      {"For every fish:",
                       "brink completion fish > ~/.config/fish/completions/brink.fish"}},
         .run = cli_completion},
};

const cli_entry cli_exit_codes[] = {
    {"0", "finished or stopped"},
    {"1", "the model called fail(...) or left a range; a result differs"},
    {"2", "wrong usage"},
    {"3", "the model has errors"},
    {"4", "the simulation could not continue"},
    {"5", "a file could not be read or written"},
    {"130", "interrupted by SIGINT (Ctrl-C)"},
    {"141", "nobody reads standard output any more"},
    {"143", "interrupted by SIGTERM"},
    {NULL, NULL},
};

const cli_entry cli_environment[] = {
    {"BRINK_CC", "the C compiler: a name in PATH or an absolute path"},
    {"BRINK_CACHE", "folder for machine code ($XDG_CACHE_HOME/brink, else ~/.cache/brink)"},
    {"BRINK_PATH",
     "directories for imports, behind those of --import-path: \"lib:/usr/share/models\""},
    {"NO_COLOR", "if set and not empty: no colours"},
    {NULL, NULL},
};

const char cli_shells[] = "bash|zsh|fish";
const char cli_tagline[] = "simulate hybrid systems: differential equations with events";

/* ---- looking up ---- */

const cli_command *cli_command_find(const char *name) {
  for (size_t k = 0; k < CLI_COMMAND_COUNT; k++) {
    if (strcmp(cli_commands[k].name, name) == 0) return &cli_commands[k];
  }
  return NULL;
}

const cli_option *cli_option_find(const char *name) {
  for (size_t k = 0; k < CLI_OPTION_COUNT; k++) {
    if (strcmp(cli_options[k].name, name) == 0) return &cli_options[k];
  }
  return NULL;
}

const char *cli_nearest_option(const char *name, unsigned commands) {
  const char *best = NULL;
  for (size_t k = 0; k < CLI_OPTION_COUNT; k++) {
    if ((cli_options[k].commands & commands) != 0)
      best = brink_nearest(name, cli_options[k].name, best);
  }
  return best;
}

const char *cli_nearest_command(const char *name) {
  const char *best = NULL;
  for (size_t k = 0; k < CLI_COMMAND_COUNT; k++)
    best = brink_nearest(name, cli_commands[k].name, best);
  return best;
}

unsigned cli_command_bit(const cli_command *command) {
  return 1u << (unsigned)(command - cli_commands);
}

bool cli_command_takes(const cli_command *command, const cli_option *option) {
  return option < cli_options + CLI_OPTION_COUNT &&
         (option->commands & cli_command_bit(command)) != 0;
}

/* ---- choices ---- */

size_t cli_next_choice(const char **list, const char **choice) {
  *choice = *list;
  size_t length = strcspn(*list, "|");
  *list = (*list)[length] == '|' ? *list + length + 1 : NULL;
  return length;
}

static bool is_listed(const char *list, const char *value) {
  size_t size = strlen(value);
  while (list != NULL) {
    const char *choice;
    size_t length = cli_next_choice(&list, &choice);
    if (size == length && memcmp(choice, value, length) == 0) return true;
  }
  return false;
}

enum { CHOICE = 32 };

/* The choice most like `value`, into `nearest`; false: none is near. */
static bool nearest_choice(const char *list, const char *value, char nearest[CHOICE]) {
  bool found = false;
  while (list != NULL) {
    const char *choice;
    char word[CHOICE];
    size_t length = cli_next_choice(&list, &choice);
    if (length >= CHOICE) continue;
    snprintf(word, sizeof word, "%.*s", (int)length, choice);
    if (brink_nearest(value, word, found ? nearest : NULL) != word) continue;
    memcpy(nearest, word, sizeof word);
    found = true;
  }
  return found;
}

bool cli_choice_allows(const char *choices, const char *value, brink_text *problem) {
  char nearest[CHOICE];
  if (is_listed(choices, value)) return true;
  brink_text_add(problem, "it is one of ");
  for (const char *list = choices, *choice; list != NULL;) {
    bool first = list == choices;
    size_t length = cli_next_choice(&list, &choice);
    brink_text_add(problem, "%s%.*s",
                   first          ? ""
                   : list != NULL ? ", "
                                  : " or ",
                   (int)length, choice);
  }
  if (nearest_choice(choices, value, nearest))
    brink_text_add(problem, "; did you mean %s?", nearest);
  return false;
}

bool cli_option_allows(const cli_option *option, const char *value, brink_text *problem) {
  return option->choices == NULL || cli_choice_allows(option->choices, value, problem);
}
