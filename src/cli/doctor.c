/* doctor.c: brink doctor: what is installed and what is missing, each with what to do about it. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/show.h"
#include "cli/colour.h"
#include "cli/load.h"
#include "cli/terminal.h"
#include "fit/optimisers.h"
#include "native/cache.h"
#include "record/results.h"

enum { PATHS = 4096 };

/* One line: what was found, and what to do where something is missing. */
typedef struct finding {
  bool ok;
  brink_text words, advice;
} finding;

/* ---- models ---- */

/* x = exp(-t): its value at 1 is known. */
static const char decay[] =
    "ctc Decay is body declarations state(x, real); end declarations; initial x := 1.0; end "
    "initial; dynamics x' = -x; end dynamics; end body; end Decay;\n";

static char *read_decay(const char *path, size_t *length, const char **reason, void *user) {
  (void)path, (void)reason, (void)user;
  char *text = malloc(sizeof decay);
  if (text != NULL) memcpy(text, decay, sizeof decay);
  *length = sizeof decay - 1;
  return text;
}

static brink_system *load_decay(brink_unit **unit) {
  static const brink_reader reader = {.read = read_decay};
  bool unreadable;
  const char *reason;
  brink_flatten_options options = {.seed = 1};
  brink_system *system = NULL;
  *unit = brink_unit_parse("decay", &reader, NULL, &unreadable, &reason);
  if (*unit != NULL) brink_unit_check(*unit);
  if (*unit != NULL && (*unit)->nerrors == 0) system = brink_flatten(*unit, &options, NULL);
  return system;
}

typedef struct trial {
  bool ran;    /* with the right answer */
  bool native; /* as machine code */
  char engine[64], reason[BRINK_REASON];
  double seconds; /* to compile */
} trial;

static void simulate(const brink_instance *instance, trial *t) {
  brink_options options = brink_default_options();
  brink_sim *sim = NULL;
  brink_diag diag;
  brink_status status =
      brink_sim_create(brink_instance_model(instance), &options, NULL, &diag, &sim);
  if (status == BRINK_OK) status = brink_sim_run(sim, 1.0, &diag);
  t->ran = status == BRINK_TIME_REACHED && fabs(brink_sim_state(sim)[0] - exp(-1.0)) < 1e-6;
  brink_sim_destroy(sim);
}

/* Where nothing can be kept, what is compiled goes to a place of its own, and is gone afterwards: so that
 * it is compiled now. */
static trial try_model(bool interpret) {
  trial t = {.ran = false};
  brink_instance_options options = {
      .interpret = interpret, .cache = "/dev/null/none", .rtol = 1e-6, .atol = 1e-9, .seed = 1};
  brink_unit *unit;
  brink_system *system = load_decay(&unit);
  brink_instance *instance = NULL;
  brink_diag diag;
  if (system != NULL &&
      brink_instance_create(system, &options, NULL, &diag, &instance) == BRINK_OK) {
    simulate(instance, &t);
    t.native = strcmp(brink_instance_engine(instance), "interpreter") != 0;
    t.seconds = brink_instance_compile_seconds(instance);
    snprintf(t.engine, sizeof t.engine, "%s", brink_instance_engine(instance));
    snprintf(t.reason, sizeof t.reason, "%s", brink_instance_reason(instance));
  }
  brink_instance_destroy(instance);
  brink_system_destroy(system);
  brink_unit_destroy(unit);
  return t;
}

static void examine_models(finding *f) {
  trial t = try_model(true);
  f->ok = t.ran;
  brink_text_add(&f->words, t.ran ? "a small model runs and gives the right result"
                                  : "a small model does not run, or gives a wrong result");
  if (!t.ran) brink_text_add(&f->advice, "the program is damaged: install it again");
}

static void examine_compiler(finding *f) {
  trial t = try_model(false);
  f->ok = t.ran && t.native;
  if (f->ok) {
    brink_text_add(&f->words, "%s compiled it in %.0f ms", t.engine, 1e3 * t.seconds);
    return;
  }
  brink_text_add(&f->words, "%s", t.reason[0] != '\0' ? t.reason : "no machine code");
  brink_text_add(&f->advice,
                 "models run, but interpreted, several times slower: apt install clang, "
                 "or set BRINK_CC");
}

/* ---- the cache ---- */

static void count_files(int directory, size_t *files, double *bytes) {
  int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = again >= 0 ? fdopendir(again) : NULL;
  if (list == NULL && again >= 0) close(again);
  *files = 0;
  *bytes = 0.0;
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    struct stat status;
    if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode)) continue;
    *files += 1;
    *bytes += (double)status.st_size;
  }
  if (list != NULL) closedir(list);
}

static void examine_cache(finding *f) {
  brink_cache cache;
  char reason[BRINK_REASON] = "";
  if (!brink_cache_open(&cache, NULL, reason)) {
    brink_text_add(&f->words, "%s", reason);
    brink_text_add(&f->advice, "set TMPDIR or BRINK_CACHE to a folder of your own");
    return;
  }
  f->ok = !cache.is_private && faccessat(cache.directory, ".", W_OK, 0) == 0;
  if (f->ok) {
    size_t files;
    double bytes;
    count_files(cache.directory, &files, &bytes);
    brink_text_add(&f->words, "%s: %zu files, %.1f MB", cache.path, files, 1e-6 * bytes);
  } else {
    brink_text_add(&f->words, "machine code cannot be kept between runs");
    brink_text_add(&f->advice, "set BRINK_CACHE to a folder that only you can write to");
  }
  brink_cache_close(&cache);
}

/* ---- result files ---- */

static void examine_hdf5(finding *f) {
  char version[64] = "";
  f->ok = brink_hdf5_available(version, sizeof version);
  if (f->ok)
    brink_text_add(&f->words, "version %s: --out FILE.h5 works", version);
  else
    brink_text_add(&f->words, "--out FILE.h5 does not work; .csv and .mat do");
  if (!f->ok) brink_text_add(&f->advice, "apt install libhdf5-103-1");
}

static void examine_fit(finding *f) {
  brink_optimisers *optimisers = NULL;
  brink_diag diag;
  f->ok = brink_optimisers_open(&diag, &optimisers) == BRINK_OK;
  brink_optimisers_close(optimisers);
  brink_text_add(&f->words, "%s", f->ok ? "CMINPACK and NLopt: brink fit works" : diag.message);
  if (!f->ok) brink_text_add(&f->advice, "apt install libcminpack1 libnlopt0");
}

/* ---- the machine ---- */

static void examine_terminal(finding *f, const cli_arguments *arguments) {
  bool terminal = cli_is_terminal(STDOUT_FILENO), utf8 = cli_utf8();
  const cli_colours *colours =
      cli_colours_for(cli_when_of(cli_value(arguments, CLI_COLOR)), STDOUT_FILENO);
  f->ok = utf8;
  if (terminal)
    brink_text_add(&f->words, "%zu columns, ", cli_terminal_width(STDOUT_FILENO));
  else
    brink_text_add(&f->words, "not a terminal, ");
  brink_text_add(&f->words, "%s, %s", utf8 ? "UTF-8" : "no UTF-8",
                 colours->plain[0] != '\0' ? "colours" : "no colours");
  if (!utf8) brink_text_add(&f->advice, "plots are drawn in ASCII: export LC_ALL=C.UTF-8");
}

static void examine_processor(finding *f) {
  struct utsname system;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  f->ok = true;
  brink_text_add(&f->words, "%s, %ld core%s", uname(&system) == 0 ? system.machine : "unknown",
                 cores, cores == 1 ? "" : "s");
}

/* ---- files that come with the program ---- */

/* Is there a file at one of these places? `%s` stands for the folder that the program's bin is in, and for
 * the user's own. */
static bool is_found(const char *const *places, size_t count) {
  char program[PATHS], path[2 * PATHS];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(program, '/');
    if (slash != NULL) *slash = '\0';
  }
  const char *home = getenv("HOME");
  const char *const roots[] = {program, "/usr", "/usr/local", home != NULL ? home : ""};
  for (size_t k = 0; k < count; k++) {
    for (size_t r = 0; r < sizeof roots / sizeof roots[0]; r++) {
      snprintf(path, sizeof path, "%s/%s", roots[r], places[k]);
      if (access(path, R_OK) == 0) return true;
    }
  }
  return false;
}

static void examine_manual(finding *f) {
  static const char *const places[] = {"share/man/man1/brink.1.gz", "share/man/man1/brink.1",
                                       ".local/share/man/man1/brink.1"};
  f->ok = is_found(places, sizeof places / sizeof places[0]);
  brink_text_add(&f->words, f->ok ? "man brink, man brink-run" : "the pages are not installed");
  if (!f->ok) brink_text_add(&f->advice, "read one with: brink manual run | man -l -");
}

static void examine_completion(finding *f) {
  static const char *const bash[] = {"share/bash-completion/completions/brink",
                                     ".local/share/bash-completion/completions/brink"};
  static const char *const zsh[] = {"share/zsh/vendor-completions/_brink",
                                    "share/zsh/site-functions/_brink", ".zfunc/_brink"};
  static const char *const fish[] = {"share/fish/vendor_completions.d/brink.fish",
                                     ".config/fish/completions/brink.fish"};
  const char *path = getenv("SHELL");
  const char *slash = path != NULL ? strrchr(path, '/') : NULL;
  const char *shell = slash != NULL ? slash + 1 : "";
  if (strcmp(shell, "zsh") == 0) {
    f->ok = is_found(zsh, 3);
    brink_text_add(&f->advice, "brink completion zsh > ~/.zfunc/_brink, in a folder of fpath");
  } else if (strcmp(shell, "fish") == 0) {
    f->ok = is_found(fish, 2);
    brink_text_add(&f->advice, "brink completion fish > ~/.config/fish/completions/brink.fish");
  } else {
    shell = "bash";
    f->ok = is_found(bash, 2);
    brink_text_add(&f->advice, "source <(brink completion bash)");
  }
  brink_text_add(&f->words, f->ok ? "%s completes brink" : "%s does not complete brink", shell);
}

/* ---- the command ---- */

typedef enum subject {
  SUBJECT_MODELS,
  SUBJECT_COMPILER,
  SUBJECT_CACHE,
  SUBJECT_HDF5,
  SUBJECT_FIT,
  SUBJECT_TERMINAL,
  SUBJECT_PROCESSOR,
  SUBJECT_MANUAL,
  SUBJECT_COMPLETION,
  SUBJECT_COUNT
} subject;

static const char *const subject_names[SUBJECT_COUNT] = {
    [SUBJECT_MODELS] = "models",         [SUBJECT_COMPILER] = "compiler",
    [SUBJECT_CACHE] = "cache",           [SUBJECT_HDF5] = "HDF5",
    [SUBJECT_FIT] = "fitting",           [SUBJECT_TERMINAL] = "terminal",
    [SUBJECT_PROCESSOR] = "processor",   [SUBJECT_MANUAL] = "manual",
    [SUBJECT_COMPLETION] = "completion",
};

static void examine(subject s, finding *f, const cli_arguments *arguments) {
  switch (s) {
  case SUBJECT_MODELS:
    examine_models(f);
    break;
  case SUBJECT_COMPILER:
    examine_compiler(f);
    break;
  case SUBJECT_CACHE:
    examine_cache(f);
    break;
  case SUBJECT_HDF5:
    examine_hdf5(f);
    break;
  case SUBJECT_FIT:
    examine_fit(f);
    break;
  case SUBJECT_TERMINAL:
    examine_terminal(f, arguments);
    break;
  case SUBJECT_PROCESSOR:
    examine_processor(f);
    break;
  case SUBJECT_MANUAL:
    examine_manual(f);
    break;
  case SUBJECT_COMPLETION:
    examine_completion(f);
    break;
  case SUBJECT_COUNT:
    break;
  }
}

static void tell(subject s, const finding *f, const cli_colours *c, brink_text *text) {
  brink_text_add(text, "  %s%-8s%s %-11s ", f->ok ? c->good : c->warning, f->ok ? "ok" : "missing",
                 c->plain, subject_names[s]);
  if (f->words.data != NULL) brink_text_show(text, f->words.data);
  brink_text_add(text, "\n");
  if (!f->ok && f->advice.length > 0)
    brink_text_add(text, "%23s%s%s%s\n", "", c->dim, f->advice.data, c->plain);
}

int cli_doctor(const cli_arguments *arguments) {
  const cli_colours *colours =
      cli_colours_for(cli_when_of(cli_value(arguments, CLI_COLOR)), STDOUT_FILENO);
  brink_text text = {0};
  bool healthy = true;
  brink_text_add(&text, "%sbrink %s%s\n", colours->bold, brink_version(), colours->plain);
  for (int s = 0; s < SUBJECT_COUNT; s++) {
    finding f = {.ok = false};
    examine((subject)s, &f, arguments);
    tell((subject)s, &f, colours, &text);
    if (s == SUBJECT_MODELS) healthy = f.ok; /* all else makes it only nicer */
    text.failed = text.failed || f.words.failed || f.advice.failed;
    brink_text_free(&f.words);
    brink_text_free(&f.advice);
  }
  brink_text_add(&text, healthy ? "Everything that is needed is installed.\n"
                                : "Models do not run on this system.\n");
  int printed = cli_print(&text);
  return !healthy ? CLI_NUMERICS : printed;
}
