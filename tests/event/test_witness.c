/* test_witness.c: nothing is evaluated past a unilateral surface, by a witness that knows nothing of Brink.
 *
 * The models of tests/witness take roots, logarithms, powers and arcs that end at their edges. Their machine code
 * calls log, asin, acos, pow and sqrt, and the names are found in this program first, which counts what is asked
 * outside the domain and passes it on. So the count is what happened, whatever the veto, the audit and the signs of
 * flags say. The audit must agree.
 *
 * A model's first comments say what must come of it:
 *
 *     % until 2
 *     % ends finished           also: stopped, blocked, domain; without the line: anything
 *     % events edge 1           of one flag; without the line: any number
 *     % pending why             counted and told, not demanded
 *     % hangs                   pending, and not run, as it does not end today
 *
 * An `if` evaluates both its branches, and one of the values is taken: neither may trap, and a root in the branch
 * that is not taken is no evaluation past an edge. So a model here has no root in a branch that may be
 * undefined while another branch holds.
 *
 *     test_witness                      tolerances 1e-2, 1e-6, 1e-9, 1e-12
 *     test_witness [all] [MODEL]...     these models; all: every decade from 1e-2 to 1e-13, and a line for every failure */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "support/formats.h"
#include "support/hsml_run.h"

#define DIRECTORY BRINK_SOURCE_DIR "/tests/witness"

/* ---- the witness ---- */

static struct {
  long count; /* calls outside the domain */
  char first[80];
} outside;

static void witness(const char *name, double a, double b) {
  if (outside.count++ == 0)
    snprintf(outside.first, sizeof outside.first, "%s(%.17g, %.17g)", name, a, b);
}

typedef double one_fn(double);
typedef double two_fn(double, double);

#define SEEN __attribute__((visibility("default"))) /* by machine code */

/* The function of that name in the library, found once. */
#define REAL(type, name)                                                                           \
  static type *real;                                                                               \
  if (real == NULL) {                                                                              \
    void *found = dlsym(RTLD_NEXT, name);                                                          \
    memcpy(&real, &found, sizeof real);                                                            \
  }

SEEN double log(double x) {
  REAL(one_fn, "log")
  if (x < 0.0) witness("log", x, 0.0);
  return real(x);
}

SEEN double asin(double x) {
  REAL(one_fn, "asin")
  if (x < -1.0 || x > 1.0) witness("asin", x, 0.0);
  return real(x);
}

SEEN double acos(double x) {
  REAL(one_fn, "acos")
  if (x < -1.0 || x > 1.0) witness("acos", x, 0.0);
  return real(x);
}

SEEN double pow(double x, double y) {
  REAL(two_fn, "pow")
  if (x < 0.0 && y != floor(y)) witness("pow", x, y);
  return real(x, y);
}

/* Machine code takes roots by an instruction; compiled with -fmath-errno it calls this one where it must set errno. */
SEEN double sqrt(double x) {
  REAL(one_fn, "sqrt")
  if (x < 0.0) witness("sqrt", x, 0.0);
  return real(x);
}

/* A compiler for machine code that does so; written once, as the cache knows it by its date. */
static bool choose_compiler(void) {
  char path[1024];
  if (getcwd(path, sizeof path - 16) == NULL) return false;
  strcat(path, "/witness-cc");
  if (access(path, X_OK) != 0) {
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    fputs("#!/bin/sh\nexec cc \"$@\" -fmath-errno\n", file);
    if (fclose(file) != 0 || chmod(path, 0755) != 0) return false;
  }
  return setenv("BRINK_CC", path, 1) == 0;
}

/* ---- models ---- */

enum { FLAGS = 4, NAME = 64 };

typedef struct sample {
  char name[NAME], ends[NAME], pending[2 * NAME];
  double until;
  bool hangs;
  char flag[FLAGS][NAME];
  size_t count[FLAGS], nflags;
  char *text;
} sample;

static sample read_sample(const char *file) {
  sample s = {0};
  char path[1024];
  size_t length;
  snprintf(s.name, sizeof s.name, "%.*s", (int)strcspn(file, "."), file);
  snprintf(path, sizeof path, "%s/%s", DIRECTORY, file);
  s.text = read_whole_file(path, &length);
  for (const char *line = s.text; line != NULL && line[0] == '%'; line = strchr(line, '\n') + 1) {
    if (sscanf(line, "%% until %lf", &s.until) == 1) continue;
    s.hangs = s.hangs || strncmp(line, "% hangs", 7) == 0;
    if (sscanf(line, "%% ends %63s", s.ends) == 1) continue;
    if (sscanf(line, "%% pending %127[^\n]", s.pending) == 1) continue;
    if (s.nflags < FLAGS &&
        sscanf(line, "%% events %63s %zu", s.flag[s.nflags], &s.count[s.nflags]) == 2)
      s.nflags++;
  }
  CHECK_MSG(s.text != NULL && s.until > 0.0, "%s says nothing of its end", file);
  return s;
}

static const char *end_name(brink_status status) {
  return status == BRINK_OK || status == BRINK_TIME_REACHED ? "finished"
         : status == BRINK_STOPPED                          ? "stopped"
         : status == BRINK_ERR_BLOCKED                      ? "blocked"
         : status == BRINK_ERR_DOMAIN                       ? "domain"
                                                            : brink_status_text(status);
}

/* ---- runs ---- */

typedef struct setting {
  brink_method method;
  double rtol;
} setting;

/* What is wrong with a run: "" if nothing is. */
static void judge(const sample *s, const hsml_run *run, char *fault, size_t size) {
  const char *end = end_name(run->status);
  int64_t past = run->sim != NULL ? hsml_stats(run)->rhs_past_guard : 0;
  fault[0] = '\0';
  if (outside.count > 0)
    snprintf(fault, size, "%ld calls outside the domain, the first %s", outside.count,
             outside.first);
  else if (past != 0)
    snprintf(fault, size, "the audit counts %lld", (long long)past);
  else if (s->ends[0] != '\0' && strcmp(s->ends, end) != 0)
    snprintf(fault, size, "%s: %.150s", end, run->diag.message);
  for (size_t k = 0; fault[0] == '\0' && k < s->nflags; k++) {
    size_t seen = hsml_count(run, s->flag[k]);
    if (seen != s->count[k]) snprintf(fault, size, "%zu events of '%s'", seen, s->flag[k]);
  }
}

static bool run_one(const sample *s, setting how, char *fault, size_t size) {
  hsml_wishes wishes = hsml_default(how.rtol);
  wishes.native = true;
  wishes.options.method = how.method;
  wishes.options.max_steps = s->pending[0] != '\0' ? 5000 : 20000;
  hsml_run *run = hsml_open(s->text, &wishes);
  CHECK_MSG(run->status == BRINK_OK, "%s: %s", s->name, run->diag.message);
  outside.count = 0;
  if (run->status == BRINK_OK) hsml_go(run, s->until);
  judge(s, run, fault, size);
  hsml_close(run);
  return fault[0] == '\0';
}

/* ---- the table ---- */

static const double few[] = {1e-2, 1e-6, 1e-9, 1e-12};
static const double many[] = {1e-2, 1e-3, 1e-4,  1e-5,  1e-6,  1e-7,
                              1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13};

typedef struct table {
  size_t models, runs, pending, pending_runs, pending_faults;
} table;

static void run_model(const sample *s, bool all, table *sum) {
  static const brink_method methods[] = {BRINK_AUTO, BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF};
  size_t count = all ? sizeof many / sizeof *many : sizeof few / sizeof *few, runs = 0, faults = 0;
  bool pending = s->pending[0] != '\0';
  if (s->hangs) {
    printf("pending (%s): %s, not run\n", s->pending, s->name);
    sum->pending++;
    return;
  }
  char fault[300], first[400] = "";
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    for (size_t k = 0; k < count; k++, runs++) {
      setting how = {methods[m], all ? many[k] : few[k]};
      if (run_one(s, how, fault, sizeof fault)) continue;
      const char *method = brink_method_name(how.method);
      if (faults++ == 0) snprintf(first, sizeof first, "%s at %g: %s", method, how.rtol, fault);
      if (pending && all) printf("  %s by %s at %g: %s\n", s->name, method, how.rtol, fault);
      if (!pending) CHECK_SAY("%s by %s at %g: %s", s->name, method, how.rtol, fault);
    }
  }
  if (pending && faults == 0) printf("pending, but right: %s\n", s->name);
  if (pending && faults > 0)
    printf("pending (%s): %s, %zu of %zu runs, %s\n", s->pending, s->name, faults, runs, first);
  sum->models += !pending;
  sum->pending += pending;
  *(pending ? &sum->pending_runs : &sum->runs) += runs;
  sum->pending_faults += pending ? faults : 0;
}

static bool is_named(const char *file, int count, char **names) {
  for (int k = 0; k < count; k++) {
    size_t length = strlen(names[k]);
    if (strncmp(file, names[k], length) == 0 && file[length] == '.') return true;
  }
  return count == 0;
}

static void run_table(bool all, int nnames, char **names) {
  size_t count;
  table sum = {0};
  char **files = list_directory(DIRECTORY, ".hsml", &count);
  CHECK(count >= 40);
  for (size_t k = 0; k < count; k++) {
    int before = check_failures_here;
    check_failures_here = 0; /* the first failures of every model are printed */
    if (is_named(files[k], nnames, names)) {
      sample s = read_sample(files[k]);
      if (s.text != NULL) run_model(&s, all, &sum);
      free(s.text);
    }
    check_failures_here += before;
    free(files[k]);
  }
  free(files);
  printf("%zu models in %zu runs; pending: %zu models, %zu of %zu runs fail\n", sum.models,
         sum.runs, sum.pending, sum.pending_faults, sum.pending_runs);
}

/* ---- tests ---- */

/* A flag that is crossed: the right-hand side is evaluated past it, and the witness and the audit can tell. */
TEST(the_witness_sees_calls_outside_the_domain) {
  static const char *const laws[] = {"log(x)", "asin(x + 1.0)", "acos(x + 1.0)", "x^0.3",
                                     "sqrt(x)"};
  static const double ways[] = {-1.0, 1.0, 1.0, -1.0, -1.0};
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
    char text[600];
    snprintf(text, sizeof text,
             HSML_MODEL("state(x, real); state(u, real); flag(edge, crossing);",
                        "x := %.1f; u := 0.0;", "x' = %.1f; u' = %s; edge = x;", ""),
             -ways[k] * 0.5, ways[k], laws[k]);
    for (int native = 0; native < 2; native++) {
      hsml_wishes wishes = hsml_default(1e-6);
      wishes.native = native != 0;
      wishes.options.method = BRINK_ADAMS;
      hsml_run *run = hsml_open(text, &wishes);
      outside.count = 0;
      hsml_go(run, 1.0);
      /* the interpreter takes its roots by an instruction */
      bool seen = outside.count > 0 || (native == 0 && strncmp(laws[k], "sqrt", 4) == 0);
      CHECK_MSG(seen, "%s is not seen, native %d", laws[k], native);
      hsml_close(run);
    }
  }
}

TEST(nothing_is_evaluated_past_an_edge) {
  run_table(false, 0, NULL);
}

int main(int argc, char **argv) {
  if (!choose_compiler()) {
    printf("no compiler for the machine code can be written\n");
    return 1;
  }
  setvbuf(stdout, NULL, _IOLBF, 0); /* what was told before a run that does not end */
  if (argc > 1) {
    bool all = strcmp(argv[1], "all") == 0;
    run_table(all, argc - 1 - all, argv + 1 + all);
    return check_failures_here > 0;
  }
  RUN(the_witness_sees_calls_outside_the_domain);
  RUN(nothing_is_evaluated_past_an_edge);
  return check_done();
}
