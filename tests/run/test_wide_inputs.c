/* A file with very many columns is read in a time that grows with its length, and what is wrong with it is still found. */
#include <brink/hsml.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/* AddressSanitizer looks at the rest of the file for each number: its time is not ours. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { COLUMNS = 1000 };
#define WIDTH "1000"
#else
enum { COLUMNS = 30000 };
#define WIDTH "30000"
#endif

static const char text[] =
    "ctc Wide is interface input(u[" WIDTH "], signal); end interface; body\n"
    "declarations state(x, real); end declarations;\n"
    "initial x := 0.0; end initial; dynamics x' = u[1] + u[" WIDTH "]; end dynamics;\n"
    "assignments for i in 1.." WIDTH " loop u[i] : 0.0; end loop; end assignments;\n"
    "end body; end Wide;\n";

/* Time, the inputs, and as many columns that are none; the last one is called `last`. */
static void write_table(const char *path, const char *last) {
  FILE *file = fopen(path, "w");
  if (file == NULL) exit(1);
  fputs("t", file);
  for (int k = 1; k <= COLUMNS; k++) fprintf(file, ",u[%d]", k);
  for (int k = 1; k <= COLUMNS; k++) fprintf(file, ",signal_%d", k);
  fprintf(file, ",%s\n", last);
  for (int row = 0; row < 2; row++) {
    fprintf(file, "%d", row);
    for (int k = 0; k <= 2 * COLUMNS; k++) fputs(",1", file);
    fputs("\n", file);
  }
  fclose(file);
}

TEST(very_many_columns_are_read_in_little_time) {
  char path[] = "/tmp/brink-wide-XXXXXX";
  brink_diag diag;
  brink_hsml *model = NULL;
  brink_run *run = NULL;
  double x = 0.0;
  CHECK(close(mkstemp(path)) == 0);
  CHECK_INT(brink_hsml_load_text(text, &diag, &model), BRINK_OK);
  write_table(path, "other");
  clock_t before = clock(); /* of this process: others do not count */
  CHECK_MSG(brink_hsml_read_inputs(model, path, false, &diag) == BRINK_OK, "%s", diag.message);
  double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
  CHECK_MSG(seconds < 2.0, "took %g s", seconds);
  brink_run_options options = brink_default_run();
  options.interpret = true;
  CHECK_MSG(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK, "%s", diag.message);
  CHECK_INT(brink_run_to(run, 1.0, &diag), BRINK_TIME_REACHED);
  CHECK_INT(brink_run_get(run, "x", &x, &diag), BRINK_OK);
  CHECK_NEAR(x, 2.0, 1e-12);
  brink_run_destroy(run);
  write_table(path, "u[700]");
  CHECK_INT(brink_hsml_read_inputs(model, path, false, &diag), BRINK_ERR_FILE);
  CHECK_CONTAINS(diag.message, "there are two columns 'u[700]'");
  brink_hsml_destroy(model);
  unlink(path);
}

int main(void) {
  RUN(very_many_columns_are_read_in_little_time);
  return check_done();
}
