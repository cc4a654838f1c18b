/* A process that is killed at any moment leaves results that can be read, with everything that it had
 * flushed. Children write and flush without pause, far more often than a run does, so that many of
 * them are killed in the middle of it. */
#include "check.h"
#include "record/results.h"
#include "support/cars.h"
#include "support/result_files.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 400000 }; /* rows that are looked at */

static int kills = 100; /* or the number that the program is given */

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* Row k: time k/8, x = k. Tells the parent after each flush how many rows it has written. */
static void write_forever(const char *path, const brink_columns *columns, long flush, int tell) {
  brink_results_def def = {.path = path, .columns = columns, .chunk_rows = 64};
  brink_results *results;
  double x[7];
  brink_moment moment = cars_moment;
  memcpy(x, cars_x, sizeof x);
  moment.x = x;
  if (!brink_results_open(&def, NULL, NULL, &results)) _exit(1);
  for (long k = 0;; k++) {
    brink_logged_event logged = {.t = (double)k / 8.0, .flag = FLOOR, .name = "floor"};
    moment.t = (double)k / 8.0;
    x[0] = (double)k;
    if (!brink_results_row(results, &moment)) _exit(1);
    if (k % 10 == 0 && !brink_results_event(results, &logged, k)) _exit(1);
    if (k % flush != flush - 1) continue;
    long rows = k + 1;
    if (!brink_results_flush(results)) _exit(1);
    if (write(tell, &rows, sizeof rows) != sizeof rows) _exit(1);
  }
}

/* The number of rows that a child had flushed when it was killed. */
static long kill_one(const char *path, const brink_columns *columns) {
  int ends[2];
  long flush = 1 + (long)(draw() % 300), logged = 0, rows = 0;
  if (pipe(ends) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    write_forever(path, columns, flush, ends[1]);
  }
  close(ends[1]);
  long wait = (long)(draw() % 8000000);
  if (read(ends[0], &logged, sizeof logged) == sizeof logged) rows = logged; /* it has begun */
  nanosleep(&(struct timespec){.tv_nsec = wait}, NULL);
  kill(child, SIGKILL);
  while (read(ends[0], &logged, sizeof logged) == sizeof logged) rows = logged;
  close(ends[0]);
  waitpid(child, NULL, 0);
  CHECK(rows > 0);
  return rows;
}

TEST(csv_has_every_line_that_was_flushed) {
  brink_columns columns = cars_columns();
  double *values = calloc(2 * MOST, sizeof *values);
  for (int kill = 0; kill < kills; kill++) {
    long flushed = kill_one("kill.csv", &columns);
    long rows = csv_read("kill.csv", 2, values, MOST);
    CHECK_MSG(rows >= flushed, "%ld of %ld rows", rows, flushed);
    for (long k = 0; k < rows && k < MOST; k++)
      CHECK(values[2 * k] == (double)k / 8.0 && values[2 * k + 1] == (double)k);
  }
  free(values);
  brink_columns_free(&columns);
}

/* Between the last two writes of one flush, the first row of it may begin with 32 bytes of the header
 * that it is to replace (see mat.c). Such a row was not flushed yet. */
TEST(mat_is_whole_and_has_every_row_that_was_flushed) {
  brink_columns columns = cars_columns();
  long torn = 0;
  for (int kill = 0; kill < kills; kill++) {
    mat_file file;
    long flushed = kill_one("kill.mat", &columns);
    CHECK(mat_read("kill.mat", &file));
    const mat_matrix *m = mat_find(&file, "data_2"), *rest = mat_find(&file, "in_progress");
    CHECK(m != NULL && rest != NULL && file.count >= 7);
    if (m != NULL) CHECK_MSG(m->columns >= flushed, "%d of %ld rows", m->columns, flushed);
    for (size_t k = 0; m != NULL && k < (size_t)m->columns; k++) {
      bool right = mat_number(m, 0, k) == (double)k / 8.0 && mat_number(m, 1, k) == (double)k;
      if (!right && k == (size_t)flushed)
        torn++;
      else
        CHECK_MSG(right, "row %zu of %ld: %g", k, flushed, mat_number(m, 0, k));
    }
    mat_free(&file);
  }
  CHECK_MSG(torn <= kills / 4, "%ld of %d", torn, kills);
  if (torn > 0) printf("in %ld of %d files a row was being written\n", torn, kills);
  brink_columns_free(&columns);
}

static void check_h5(long flushed, double *values) {
  if (flushed > MOST) return;
  long rows = h5_read("kill.h5", "/trajectory/time", values, MOST);
  CHECK_MSG(rows >= flushed, "%ld of %ld rows", rows, flushed);
  for (long k = 0; k < rows; k++) CHECK(values[k] == (double)k / 8.0);
  CHECK(h5_read("kill.h5", "/trajectory/x", values, MOST) >= rows);
  for (long k = 0; k < rows; k++) CHECK(values[k] == (double)k);
  long events = h5_read("kill.h5", "/events/time", values, MOST);
  CHECK_MSG(events >= (flushed + 9) / 10, "%ld events, %ld rows", events, flushed);
  CHECK(h5_read("kill.h5", "/events/row", values, MOST) >= events);
  for (long k = 0; k < events; k++)
    CHECK(values[k] == (double)(10 * k) && values[k] < (double)rows);
}

TEST(hdf5_is_readable_and_has_every_row_that_was_flushed) {
  brink_columns columns = cars_columns();
  double *values = calloc(MOST, sizeof *values);
  for (int kill = 0; kill < kills / 4; kill++) check_h5(kill_one("kill.h5", &columns), values);
  free(values);
  brink_columns_free(&columns);
}

int main(int argc, char **argv) {
  if (argc > 1) kills = atoi(argv[1]);
  RUN(csv_has_every_line_that_was_flushed);
  RUN(mat_is_whole_and_has_every_row_that_was_flushed);
  if (h5dump_is_there())
    RUN(hdf5_is_readable_and_has_every_row_that_was_flushed);
  else
    printf("h5dump is not installed (Debian package hdf5-tools): HDF5 files are not read back\n");
  return check_done();
}
