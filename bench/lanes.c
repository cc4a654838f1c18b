/* lanes.c: what it gains to have runs side by side: 10,000 starts of Hénon and Heiles' system with its section x = 0.
 *
 *   lanes [UNTIL [RUNS]]
 *
 * Prints processor time a run of the whole sweep with one job, one by one and with lanes, and the ratios. Sweeps alternate;
 * of each the best of five counts. Tables must be the same, bit for bit. */
#include <brink/sweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, KINDS = 3 };

static const char *const text =
    "ctc Star is\n"
    "  interface knob(y0); knob(v0); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); state(y, real); state(u, real); state(v, real);\n"
    "      parameter(y0, real); parameter(v0, real);\n"
    "      flag(section);\n"
    "    end declarations;\n"
    "    initial\n"
    "      x := 0.0; y := y0; v := v0;\n"
    "      u := sqrt(0.25 - v0^2 - y0^2 + 2.0/3.0*y0^3);\n"
    "    end initial;\n"
    "    dynamics\n"
    "      x' = u; y' = v; u' = -x - 2.0*x*y; v' = -y - x^2 + y^2;\n"
    "      section = x;\n"
    "    end dynamics;\n"
    "    assignments y0 : 0.1; v0 : 0.1; end assignments;\n"
    "  end body;\n"
    "end Star;\n"
    "system HenonHeiles is\n"
    "  body\n"
    "    components s : Star; end components;\n"
    "    simulation until : 100.0; tolerance : 1e-9; end simulation;\n"
    "  end body;\n"
    "end HenonHeiles;\n";

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail(const char *message) {
  fprintf(stderr, "lanes: %s\n", message);
  exit(1);
}

typedef struct question {
  const char *until;
  uint64_t runs;
} question;

/* One sweep; its table, copied, into *cells the first time, and compared with that later. */
static double sweep_once(const question *q, size_t lanes, double **cells, size_t *used) {
  brink_diag diag;
  brink_sweep *sweep;
  brink_sweep_table table;
  brink_hsml_def model = brink_default_hsml();
  brink_sweep_def def = brink_default_sweep();
  const brink_sweep_option options[] = {{"method", "taylor"}, {"until", q->until}};
  const char *vary[] = {"s.y0=-0.2:0.3", "s.v0=-0.2:0.2"};
  model.text = text;
  def.model = &model;
  def.options = options;
  def.noptions = 2;
  def.vary = vary;
  def.nvary = 2;
  def.samples = q->runs;
  def.jobs = 1;
  def.lanes = lanes;
  def.keep_table = true;
  if (brink_sweep_create(&def, &diag, &sweep) != BRINK_OK) fail(diag.message);
  double start = processor_seconds();
  if (brink_sweep_run(sweep, &diag) != BRINK_OK) fail(diag.message);
  double took = processor_seconds() - start;
  *used = brink_sweep_lanes(sweep, NULL);
  if (brink_sweep_get_table(sweep, &table, &diag) != BRINK_OK) fail(diag.message);
  size_t size = table.rows * table.ncolumns * sizeof *table.values;
  if (*cells == NULL) {
    *cells = malloc(size);
    if (*cells == NULL) fail("out of memory");
    memcpy(*cells, table.values, size);
  } else if (memcmp(*cells, table.values, size) != 0) {
    fail("the tables differ");
  }
  brink_sweep_destroy(sweep);
  return took;
}

int main(int argc, char **argv) {
  static const size_t lanes[KINDS] = {1, 4, 8};
  question q = {.until = argc > 1 ? argv[1] : "100"};
  q.runs = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000;
  double best[KINDS] = {0}, *cells = NULL;
  size_t used[KINDS] = {0};
  for (int round = 0; round <= ROUNDS; round++) { /* the first one warms up */
    for (int k = 0; k < KINDS; k++) {
      double took = sweep_once(&q, lanes[k], &cells, &used[k]);
      if (round == 1 || (round > 1 && took < best[k])) best[k] = took;
    }
  }
  printf("%llu runs to t = %s, one job, processor time\n", (unsigned long long)q.runs, q.until);
  for (int k = 0; k < KINDS; k++)
    printf("%zu lane%s  %8.2f us a run  %5.2f\n", used[k], used[k] == 1 ? " " : "s",
           1e6 * best[k] / (double)q.runs, best[0] / best[k]);
  free(cells);
  return 0;
}
