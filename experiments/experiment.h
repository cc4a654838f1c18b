/* experiment.h: published experiments, run again.
 *
 * An experiment is a folder: README.md (what was published, which choices are ours), NAME.c, which runs it, and
 * the models that are its own. NAME.c defines one brink_experiment, and list.c lists it. Its function runs models
 * or anything else of the library and hands what came out to the lab:
 *
 *     static brink_status run(brink_lab *lab, brink_diag *diag) {
 *       brink_lab_say(lab, "Figure 2 shows …");
 *       brink_lab_note(lab, "The paper does not say how large the steps are; ours are …");
 *       brink_lab_model *model = NULL;
 *       brink_status status = brink_lab_open(lab, "models/relay/model.hsml", NULL, NULL, diag, &model);
 *       if (status != BRINK_OK) return status;
 *       …
 *       brink_lab_compare(lab, "switches in 10 s", "7", brink_lab_holds(n == 7), "%d", n);
 *       brink_figure *figure = brink_lab_figure(lab, &(brink_figure_def){.title = "Figure 2", …});
 *       brink_series_program *series = brink_figure_series(figure, "trap_seh", BRINK_SERIES_LINE);
 *       brink_series_add(series, x, y);
 *       return BRINK_OK;
 *     }
 *
 *     const brink_experiment brink_experiment_relay = {"relay", "A relay …", "Taylor 1995, …", run};
 *
 * Everything handed over is copied. Where memory runs out, the functions below take note, return NULL or do
 * nothing, and accept a NULL figure, series or table: only at the end the lab says so. What is handed over must
 * depend on the seed and the repetitions alone: no seconds, no addresses, nothing that the number of threads
 * changes. Only brink_lab_parallel's jobs run in other threads, and they call nothing of a lab but
 * brink_lab_random.
 *
 * Nothing here prints: src/cli/reproduce.c does, and page.c makes the page. */
#ifndef BRINK_EXPERIMENTS_EXPERIMENT_H
#define BRINK_EXPERIMENTS_EXPERIMENT_H

#include "expr/system.h"
#include "native/native.h"

#if defined(__GNUC__)
#define BRINK_LAB_FORMAT(which, first) __attribute__((format(printf, which, first)))
#else
#define BRINK_LAB_FORMAT(which, first)
#endif

typedef struct brink_lab brink_lab;

typedef struct brink_experiment {
  const char *name;  /* as the program's user types it: "two-agents" */
  const char *title; /* one line */
  const char *paper; /* "Esposito & Kumar 2007, table I" */
  /* BRINK_OK, or why it could not be run at all: then `diag` says it. */
  brink_status (*run)(brink_lab *lab, brink_diag *diag);
} brink_experiment;

/* list.c: all of them, in the order of the papers; NULL at the end. */
extern const brink_experiment *const brink_experiments[];

/* ---- what was asked for ---------------------------------------------------------------------- */

enum { BRINK_LAB_THREADS = 2 }; /* at most: sizes arrays of models, one for each worker */

typedef struct brink_lab_options {
  uint64_t seed;
  size_t repetitions; /* of what is repeated from random starts; 0: as often as published */
  int threads;        /* 1 or 2; 0: 2 */
  bool interpret;     /* never call a compiler */
} brink_lab_options;

/* How often to repeat what the paper repeats `published` times. */
size_t brink_lab_repetitions(const brink_lab *lab, size_t published);

/* A number in [0, 1) that depends on the seed, the experiment, `stream` and `draw` only (both below 2^53).
 * Take the repetition's number as stream. May be called from several threads. */
double brink_lab_random(const brink_lab *lab, size_t stream, size_t draw);

/* Calls job(k, worker, user) for k = 0 … count-1, in any order; at one time at most one job of each worker, 0
 * or 1. Give each worker models of its own, write results to places of their own. A job that returns anything
 * but BRINK_OK ends it; the status of the first such job in order of k (of those that ran) is returned. */
typedef brink_status brink_lab_job(size_t k, int worker, void *user);
brink_status brink_lab_parallel(brink_lab *lab, size_t count, brink_lab_job *job, void *user);

/* Memory until the experiment's results are thrown away, zeroed; NULL: there is none. */
void *brink_lab_take(brink_lab *lab, size_t count, size_t size);

/* ---- models ---------------------------------------------------------------------------------- */

/* A model in HSML with a simulation of it, for one thread at a time. Closed by the lab. */
typedef struct brink_lab_model brink_lab_model;

/* Compiles it once; every brink_lab_begin starts it anew. `path` is that of a file below models/ or
 * experiments/, which the program carries in itself; its text goes to the page. `sets`: "path=value" as --set of
 * the program takes them, NULL at the end; NULL: none (what they give may be anything that the language allows:
 * sizes, parameters that others are computed from; brink_lab_set is quicker, and allows less). `options` NULL:
 * the defaults; the model's simulation section is not looked at. ARGUMENT with a message where the text is no
 * model. Not in jobs. */
brink_status brink_lab_open(brink_lab *lab, const char *path, const char *const *sets,
                            const brink_options *options, brink_diag *diag,
                            brink_lab_model **model);

/* From the next brink_lab_begin on, a state, or a parameter that no other value of the model is computed from
 * before the run (a guard or an equation may use it), has this value: "plant.x1". ARGUMENT: there is none of the
 * name, and `diag` says so. */
brink_status brink_lab_set(brink_lab_model *model, const char *name, double value,
                           brink_diag *diag);

/* Back to the start, with what was set. Then run brink_lab_sim's result with brink_sim_run and the like. */
brink_status brink_lab_begin(brink_lab_model *model, brink_diag *diag);
brink_sim *brink_lab_sim(const brink_lab_model *model);

/* Index of a state by name, into brink_sim_state and the records of sinks; BRINK_NONE: there is none. */
size_t brink_lab_state(const brink_lab_model *model, const char *name);

/* Before the next experiment begins all models are closed anyway; this is for opening many. */
void brink_lab_close(brink_lab_model *model);

/* The text of a file below models/ or experiments/, NUL at the end; NULL: the program does not carry it. */
const char *brink_lab_text(const char *path);

/* Puts a file on the page, as brink_lab_open does. */
void brink_lab_source(brink_lab *lab, const char *path);

/* ---- results --------------------------------------------------------------------------------- */

/* What was published and what it shows, in a sentence or some; each call is a paragraph. */
void brink_lab_say(brink_lab *lab, const char *format, ...) BRINK_LAB_FORMAT(2, 3);

/* A choice that the paper leaves open: which one was made, and how the result depends on it. */
void brink_lab_note(brink_lab *lab, const char *format, ...) BRINK_LAB_FORMAT(2, 3);

/* name, as it is printed, what it means */
#define BRINK_VERDICT_LIST(X)                                                                      \
  X(BRINK_MATCHES, "matches", "ours agrees with what was published")                               \
  X(BRINK_CORRECTED, "corrected", "ours agrees once a misprint of the paper is corrected")         \
  X(BRINK_REFUTED, "refuted", "what the paper claims does not hold, as ours shows")                \
  X(BRINK_OPEN, "open", "depends on a choice that the paper leaves open")                          \
  X(BRINK_UNSTATED, "not stated", "the paper does not state it")                                   \
  X(BRINK_DIFFERS, "differs", "ours does not agree with what was published")

typedef enum brink_verdict {
#define BRINK_VERDICT_ENUM(name, text, meaning) name,
  BRINK_VERDICT_LIST(BRINK_VERDICT_ENUM)
#undef BRINK_VERDICT_ENUM
} brink_verdict;

const char *brink_verdict_text(brink_verdict verdict);

/* MATCHES or DIFFERS; not a number differs. */
brink_verdict brink_lab_holds(bool matches);
brink_verdict brink_lab_near(double ours, double published, double tolerance);

/* One line of the result: what, what was published ("7", "18 of 100"; NULL: nothing), the verdict, and ours. */
void brink_lab_compare(brink_lab *lab, const char *what, const char *published,
                       brink_verdict verdict, const char *format, ...) BRINK_LAB_FORMAT(5, 6);
/* Why the last comparison has its verdict: wanted for all but MATCHES. */
void brink_lab_because(brink_lab *lab, const char *format, ...) BRINK_LAB_FORMAT(2, 3);

/* A table: cells fill it row by row. A column whose cells are all numbers is aligned to the right. */
typedef struct brink_table brink_table;
brink_table *brink_lab_table(brink_lab *lab, const char *title, const char *const *columns,
                             size_t ncolumns);
void brink_table_cell(brink_table *table, const char *format, ...) BRINK_LAB_FORMAT(2, 3);

typedef struct brink_axis {
  const char *label;
  bool log;      /* points that are not positive are left out */
  double lo, hi; /* both 0: from the data */
} brink_axis;

typedef struct brink_figure_def {
  const char *title;   /* "Figure 2, left: the cars in the plane" */
  const char *caption; /* what is to be seen; NULL: nothing */
  brink_axis x, y;
  bool wide;  /* as wide as the page; else two stand side by side where there is room */
  bool equal; /* one scale for both axes: for paths in a plane */
} brink_figure_def;

typedef enum brink_series_style {
  BRINK_SERIES_LINE,
  BRINK_SERIES_DASHED,
  BRINK_SERIES_POINTS,
  BRINK_SERIES_MARKED, /* a line with points */
  BRINK_SERIES_BARS,   /* from the axis to y, beside those of other series */
} brink_series_style;

/* Figures and series may be filled in any order. A y that is not a number is a gap in a line. Curves of many
 * points are thinned when they are drawn. */
typedef struct brink_figure brink_figure;
typedef struct brink_series_program brink_series_program;
brink_figure *brink_lab_figure(brink_lab *lab, const brink_figure_def *def);
/* name NULL: not in the legend. Series have the palette's colours in order. */
brink_series_program *brink_figure_series(brink_figure *figure, const char *name,
                                          brink_series_style style);
void brink_series_add(brink_series_program *series, double x, double y);
/* A label at a point: "collision"; it belongs to the series' colour. */
void brink_series_label(brink_series_program *series, double x, double y, const char *text);

#endif
