/* Result files: their layout, byte by byte where the format asks for it; endings; disks that are full
 * at every point; memory that is short at every point. */
#include "check.h"
#include "record/results.h"
#include "support/cars.h"
#include "support/counting.h"
#include "support/result_files.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const brink_fact facts[] = {{.name = "program", .value = "brink"},
                                   {.name = "import", .value = "a.hsml 1"},
                                   {.name = "import", .value = "b.hsml 2"}};

static const char *const endings[] = {"csv", "mat", "h5"};

static brink_results *open_results(const char *path, const brink_columns *columns,
                                   brink_diag *diag) {
  brink_results_def def = {.path = path, .columns = columns, .facts = facts, .nfacts = 3};
  def.chunk_rows = 64;
  brink_results *results;
  brink_results_open(&def, &columns->arena.allocator, diag, &results);
  return results;
}

/* Row k: time k/8, x = k, the rest as in cars_moment. */
static bool write_row(brink_results *results, long k) {
  double x[7];
  memcpy(x, cars_x, sizeof x);
  x[0] = (double)k;
  brink_moment moment = cars_moment;
  moment.t = (double)k / 8.0;
  moment.x = x;
  return brink_results_row(results, &moment);
}

static bool write_event(brink_results *results, uint32_t flag, long row) {
  brink_participants participants = brink_participants_of(&cars_system.flags[flag], 0);
  brink_logged_event logged = {.t = (double)row / 8.0,
                               .flag = flag,
                               .participants = &participants,
                               .name = flag == GAP ? "gap" : "floor",
                               .direction = BRINK_NEGATIVE};
  return brink_results_event(results, &logged, row);
}

static char *read_text(const char *path) {
  char *text = calloc(1, 1 << 16);
  FILE *file = fopen(path, "rb");
  if (file != NULL && fread(text, 1, (1 << 16) - 1, file) == 0) text[0] = '\0';
  if (file != NULL) fclose(file);
  return text;
}

/* ---- layouts ---- */

TEST(csv_quotes_where_it_must_and_writes_numbers_that_read_back) {
  brink_columns columns = cars_columns();
  brink_diag diag;
  brink_results *results = open_results("a.csv", &columns, &diag);
  CHECK(results != NULL && brink_results_row(results, &cars_moment));
  CHECK(brink_results_close(results, "finished", true));
  brink_results_destroy(results);
  char *text = read_text("a.csv");
  CHECK_MSG(strcmp(text, "time,x,car[1].x,car[2].x,car[1].v[1],car[1].v[2],car[2].v[1],"
                         "car[2].v[2],car[1].on,car[2].on,n,phase,level\n"
                         "0.1,0.5,1,2,3,4,5,6,false,true,3,\"down, \"\"slowly\"\"\",5\n") == 0,
            "%s", text);
  free(text);
  brink_columns_free(&columns);
}

static void write_mat(const brink_columns *columns, long rows) {
  brink_diag diag;
  brink_results *results = open_results("a.mat", columns, &diag);
  for (long k = 0; k < rows; k++) CHECK(write_row(results, k));
  CHECK(brink_results_close(results, "finished", true));
  CHECK_INT(brink_results_kept(results, NULL), rows);
  brink_results_destroy(results);
}

TEST(mat_files_have_the_six_matrices_that_modelica_tools_expect) {
  static const struct {
    const char *name;
    int32_t type, rows, columns;
  } expected[] = {{"Aclass", 51, 4, 11},   {"name", 51, 11, 14}, {"description", 51, 26, 14},
                  {"dataInfo", 20, 4, 14}, {"data_1", 0, 2, 2},  {"data_2", 0, 13, 1000}};
  brink_columns columns = cars_columns();
  mat_file file;
  write_mat(&columns, 1000);
  CHECK(mat_read("a.mat", &file));
  CHECK_INT(file.count, 6);
  for (size_t k = 0; k < 6 && k < file.count; k++) {
    const mat_matrix *m = &file.matrix[k];
    CHECK_MSG(strcmp(m->name, expected[k].name) == 0 && m->type == expected[k].type &&
                  m->rows == expected[k].rows && m->columns == expected[k].columns,
              "%s: type %d, %d x %d", m->name, m->type, m->rows, m->columns);
  }
  CHECK(memcmp(file.matrix[0].data, "A1 bt. ir1 na  Tj  re  ac  nt  so   r   y   ", 44) == 0);
  mat_free(&file);
  brink_columns_free(&columns);
}

TEST(mat_files_say_where_each_name_is_and_what_it_means) {
  static const struct {
    const char *name, *description;
    int32_t data, row;
  } expected[] = {{"time", "Simulation time", 0, 1},
                  {"x", "[m]", 2, 2},
                  {"car[1].x", "", 2, 3},
                  {"car[2].x", "", 2, 4},
                  {"car[1].v[1]", "", 2, 5},
                  {"car[1].v[2]", "", 2, 6},
                  {"car[2].v[1]", "", 2, 7},
                  {"car[2].v[2]", "", 2, 8},
                  {"car[1].on", "0 = false, 1 = true", 2, 9},
                  {"car[2].on", "0 = false, 1 = true", 2, 10},
                  {"n", "", 2, 11},
                  {"phase", "0 = up, 1 = down, \"slowly\"", 2, 12},
                  {"level", "", 2, 13},
                  {"area", "[m2]", 1, 2}};
  brink_columns columns = cars_columns();
  mat_file file;
  write_mat(&columns, 3);
  CHECK(mat_read("a.mat", &file) && file.count == 6);
  for (size_t k = 0; k < 14; k++) {
    char name[80], description[80];
    int32_t info[4];
    mat_text(&file.matrix[1], k, name, sizeof name);
    mat_text(&file.matrix[2], k, description, sizeof description);
    memcpy(info, file.matrix[3].data + k * sizeof info, sizeof info);
    CHECK_MSG(strcmp(name, expected[k].name) == 0, "%zu: %s", k, name);
    CHECK_MSG(strcmp(description, expected[k].description) == 0, "%s: %s", name, description);
    CHECK(info[0] == expected[k].data && info[1] == expected[k].row && info[2] == 0 &&
          info[3] == -1);
  }
  static const double after_x[] = {1, 2, 3, 4, 5, 6, 0, 1, 3, 1, 20};
  CHECK_NEAR(mat_number(&file.matrix[5], 0, 2), 0.25, 0.0);
  CHECK_NEAR(mat_number(&file.matrix[5], 1, 2), 2.0, 0.0);
  for (size_t k = 0; k < 11; k++)
    CHECK_NEAR(mat_number(&file.matrix[5], 2 + k, 2), after_x[k], 0.0);
  CHECK_NEAR(mat_number(&file.matrix[4], 0, 0), 0.0, 0.0);
  CHECK_NEAR(mat_number(&file.matrix[4], 0, 1), 0.25, 0.0);
  CHECK_NEAR(mat_number(&file.matrix[4], 1, 0), 2.5, 0.0);
  CHECK_NEAR(mat_number(&file.matrix[4], 1, 1), 2.5, 0.0);
  mat_free(&file);
  brink_columns_free(&columns);
}

TEST(a_run_without_rows_leaves_files_that_can_be_read) {
  brink_columns columns = cars_columns();
  double values[8];
  for (size_t k = 0; k < 3; k++) {
    char path[16];
    brink_diag diag;
    snprintf(path, sizeof path, "none.%s", endings[k]);
    brink_results *results = open_results(path, &columns, &diag);
    CHECK(results != NULL && brink_results_close(results, "failed", false));
    brink_results_destroy(results);
  }
  mat_file file;
  CHECK(mat_read("none.mat", &file) && file.count == 6);
  mat_free(&file);
  CHECK_INT(csv_read("none.csv", 2, values, 4), 0);
  if (h5dump_is_there()) CHECK_INT(h5_read("none.h5", "/trajectory/time", values, 8), 0);
  brink_columns_free(&columns);
}

/* ---- HDF5 ---- */

static bool h5dump_says(const char *arguments, const char *what) {
  char command[300];
  snprintf(command, sizeof command, "h5dump %s >h5.txt 2>&1", arguments);
  if (system(command) != 0) return false;
  char *text = read_text("h5.txt");
  bool found = strstr(text, what) != NULL;
  if (!found) printf("%s\n", text);
  free(text);
  return found;
}

static void write_h5(const brink_columns *columns, long rows) {
  brink_diag diag;
  brink_results *results = open_results("a.h5", columns, &diag);
  for (long k = 0; k < rows; k++) {
    CHECK(write_row(results, k));
    if (k % 10 == 5) CHECK(write_event(results, k % 20 == 5 ? FLOOR : GAP, k));
  }
  CHECK(brink_results_close(results, "finished", true));
  brink_results_destroy(results);
}

/* Short: written anew with chunks as long as the run. Long: several chunks, one not full. */
static void check_h5(long rows) {
  brink_columns columns = cars_columns();
  double values[3000];
  write_h5(&columns, rows);
  CHECK_INT(h5_read("a.h5", "/trajectory/time", values, 3000), rows);
  for (long k = 0; k < rows; k++) CHECK(values[k] == (double)k / 8.0);
  CHECK_INT(h5_read("a.h5", "/trajectory/level", values, 3000), rows);
  for (long k = 0; k < rows; k++) CHECK(values[k] == 10.0 * (double)k);
  CHECK_INT(h5_read("a.h5", "/trajectory/car.v", values, 3000), 4 * rows);
  for (long k = 0; k < 4 * rows; k++) CHECK(values[k] == (double)(3 + k % 4));
  CHECK_INT(h5_read("a.h5", "/events/row", values, 3000), (rows + 4) / 10);
  for (long k = 0; k < (rows + 4) / 10; k++) CHECK(values[k] == (double)(10 * k + 5));
  CHECK(h5_read("a.h5", "/parameters/area", values, 3000) == 1 && values[0] == 2.5);
  brink_columns_free(&columns);
}

TEST(hdf5_files_have_what_was_written) {
  check_h5(20);
  check_h5(64);
  check_h5(300);
}

/* More chunks than a node of an index has entries. */
TEST(hdf5_indices_may_be_split) {
  enum { ROWS = 5000 };
  brink_columns columns = cars_columns();
  brink_results_def def = {.path = "split.h5", .columns = &columns, .chunk_rows = 1};
  brink_results *results;
  double *values = calloc(ROWS, sizeof *values);
  CHECK(brink_results_open(&def, NULL, NULL, &results));
  for (long k = 0; k < ROWS; k++) CHECK(write_row(results, k));
  CHECK(brink_results_close(results, "finished", true));
  brink_results_destroy(results);
  CHECK_INT(h5_read("split.h5", "/trajectory/x", values, ROWS), ROWS);
  for (long k = 0; k < ROWS; k++) CHECK(values[k] == (double)k);
  free(values);
  brink_columns_free(&columns);
}

TEST(hdf5_files_show_names_and_not_numbers) {
  brink_columns columns = cars_columns();
  write_h5(&columns, 20);
  CHECK(h5dump_says("-d /trajectory/phase a.h5", "(0): down, \\\"slowly\\\", down"));
  CHECK(h5dump_says("-d /trajectory/car.on a.h5", "(0,0): FALSE, TRUE"));
  CHECK(h5dump_says("-d /names/car.v a.h5",
                    "(0): \"car[1].v[1]\", \"car[1].v[2]\", \"car[2].v[1]\", \"car[2].v[2]\""));
  CHECK(h5dump_says("-d /events/flag a.h5", "(0): \"floor\", \"gap\""));
  CHECK(h5dump_says("-d /events/direction a.h5", "negative, negative"));
  CHECK(h5dump_says("-d /events/agents a.h5", "(1,0): \"car[1]\", \"car[2]\""));
  CHECK(h5dump_says("-a /trajectory/x/unit a.h5", "\"m\""));
  CHECK(h5dump_says("-a /trajectory/phase/kind a.h5", "\"mode\""));
  CHECK(h5dump_says("-a /parameters/area/unit a.h5", "\"m2\""));
  CHECK(h5dump_says("-a /provenance/complete a.h5", "TRUE"));
  CHECK(h5dump_says("-a /provenance/status a.h5", "\"finished\""));
  CHECK(h5dump_says("-a /provenance/import a.h5", "\"a.hsml 1\""));
  CHECK(h5dump_says("-a '/provenance/import 2' a.h5", "\"b.hsml 2\""));
  brink_columns_free(&columns);
}

TEST(hdf5_says_its_version) {
  char version[32] = "";
  CHECK(brink_hdf5_available(version, sizeof version));
  CHECK(strchr(version, '.') != NULL);
}

/* ---- failures ---- */

TEST(the_ending_decides_and_others_are_refused) {
  brink_columns columns = cars_columns();
  brink_diag diag;
  CHECK(brink_results_knows("-") && brink_results_knows("a.csv") && brink_results_knows("b.mat") &&
        brink_results_knows("dir.x/c.h5"));
  CHECK(!brink_results_knows("a.txt") && !brink_results_knows(".csv") &&
        !brink_results_knows("csv") && !brink_results_knows("a.mat.gz"));
  CHECK(open_results("a.txt", &columns, &diag) == NULL);
  CHECK_CONTAINS(diag.message, ".csv, .mat, .h5");
  brink_columns_free(&columns);
}

TEST(files_that_cannot_be_made_are_said_at_once) {
  brink_columns columns = cars_columns();
  for (size_t k = 0; k < 3; k++) {
    char path[40];
    brink_diag diag;
    snprintf(path, sizeof path, "nowhere/a.%s", endings[k]);
    CHECK(open_results(path, &columns, &diag) == NULL);
    CHECK_CONTAINS(diag.message, "cannot write nowhere/a.");
    CHECK_CONTAINS(diag.message, "No such file");
  }
  brink_columns_free(&columns);
}

TEST(a_device_that_is_full_is_named) {
  brink_columns columns = cars_columns();
  for (size_t k = 0; k < 3; k++) {
    char path[40];
    brink_diag diag = {0};
    snprintf(path, sizeof path, "full.%s", endings[k]);
    unlink(path);
    if (symlink("/dev/full", path) != 0) abort();
    brink_results *results = open_results(path, &columns, &diag);
    if (results != NULL) {
      CHECK(write_row(results, 0));
      CHECK(!brink_results_flush(results) && !write_row(results, 1));
      CHECK(!brink_results_close(results, "finished", true));
      snprintf(diag.message, sizeof diag.message, "%s", brink_results_problem(results));
    }
    CHECK_MSG(strncmp(diag.message, "cannot write to full.", 21) == 0, "%s", diag.message);
    CHECK_CONTAINS(diag.message, "No space left on device");
    CHECK_INT(results != NULL ? brink_results_kept(results, NULL) : 0, 0);
    brink_results_destroy(results);
    unlink(path);
  }
  brink_columns_free(&columns);
}

/* A child writes until a limit on the size of files stops it; it tells how many rows were kept. */
static long write_up_to(const char *path, const brink_columns *columns, rlim_t limit, long flush) {
  int ends[2];
  long kept = -1;
  if (pipe(ends) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = limit, .rlim_max = limit});
    brink_diag diag;
    brink_results *results = open_results(path, columns, &diag);
    bool fine = results != NULL;
    for (long k = 0; k < 100000 && fine; k++) {
      fine = write_row(results, k) && (k % 50 != 0 || write_event(results, FLOOR, k)) &&
             (k % flush != 0 || brink_results_flush(results));
    }
    long logged = results == NULL ? -1 : (long)brink_results_kept(results, NULL);
    bool named =
        results != NULL && strstr(brink_results_problem(results), "File too large") != NULL;
    brink_results_destroy(results);
    _exit(write(ends[1], &logged, sizeof logged) == sizeof logged && (named || results == NULL)
              ? 0
              : 1);
  }
  int status;
  close(ends[1]);
  if (read(ends[0], &kept, sizeof kept) != sizeof kept) kept = -2;
  close(ends[0]);
  waitpid(child, &status, 0);
  CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s at %ld", path, (long)limit);
  return kept;
}

TEST(csv_on_a_full_disk_ends_with_a_whole_line) {
  brink_columns columns = cars_columns();
  double *values = calloc(200000, sizeof *values);
  for (rlim_t limit = 0; limit < 300000; limit += 7919) {
    long kept = write_up_to("limit.csv", &columns, limit, 700);
    long rows = csv_read("limit.csv", 2, values, 100000);
    CHECK_MSG(rows == (kept < 0 ? 0 : kept), "at %ld: %ld rows, told %ld", (long)limit, rows, kept);
    for (long k = 0; k < rows; k++)
      CHECK(values[2 * k] == (double)k / 8.0 && values[2 * k + 1] == (double)k);
    char last[2] = "";
    FILE *file = fopen("limit.csv", "rb");
    if (file != NULL && fseek(file, -1, SEEK_END) == 0 && fread(last, 1, 1, file) == 1)
      CHECK(last[0] == '\n');
    if (file != NULL) fclose(file);
  }
  CHECK(write_up_to("limit.csv", &columns, 300000, 700) > 1000);
  free(values);
  brink_columns_free(&columns);
}

TEST(mat_on_a_full_disk_has_every_row_that_fits) {
  brink_columns columns = cars_columns();
  for (rlim_t limit = 5000; limit < 3000000; limit = limit * 9 / 8 + 11) {
    mat_file file;
    long kept = write_up_to("limit.mat", &columns, limit, 700);
    if (kept < 0) continue; /* no room for its head */
    CHECK_MSG(mat_read("limit.mat", &file) && file.count == 6, "at %ld", (long)limit);
    const mat_matrix *m = mat_find(&file, "data_2");
    CHECK(m != NULL && m->columns == kept);
    for (size_t k = 0; m != NULL && k < (size_t)m->columns; k++)
      CHECK(mat_number(m, 0, k) == (double)k / 8.0 && mat_number(m, 1, k) == (double)k);
    CHECK((double)limit - (double)file.size < 2.0 * 4096.0 + 13.0 * 8.0);
    mat_free(&file);
  }
  brink_columns_free(&columns);
}

TEST(hdf5_on_a_full_disk_stays_as_it_was_flushed) {
  brink_columns columns = cars_columns();
  double *values = calloc(100000, sizeof *values);
  long most = 0;
  for (rlim_t limit = 20000; limit < 4000000; limit = limit * 4 / 3 + 17) {
    long kept = write_up_to("limit.h5", &columns, limit, 700);
    if (kept < 0) continue; /* no room for its head */
    long rows = h5_read("limit.h5", "/trajectory/time", values, 100000);
    CHECK_MSG(rows == kept, "at %ld: %ld rows, told %ld", (long)limit, rows, kept);
    for (long k = 0; k < rows; k++) CHECK(values[k] == (double)k / 8.0);
    rows = h5_read("limit.h5", "/trajectory/x", values, 100000);
    CHECK(rows >= kept);
    for (long k = 0; k < kept; k++) CHECK(values[k] == (double)k);
    most = kept > most ? kept : most;
  }
  CHECK_MSG(most > 5000, "%ld rows", most);
  free(values);
  brink_columns_free(&columns);
}

TEST(every_failed_allocation_is_told) {
  for (size_t k = 0; k < 3; k++) {
    char path[16];
    long needed = 0;
    snprintf(path, sizeof path, "short.%s", endings[k]);
    for (long n = 1; n < 2000 && needed == 0; n++) {
      counting state = {.fail_at = n, .fail_on = true};
      brink_allocator allocator = counting_allocator(&state);
      brink_columns columns = cars_columns();
      brink_results_def def = {.path = path, .columns = &columns, .facts = facts, .nfacts = 3};
      brink_diag diag = {0};
      brink_results *results;
      bool fine = brink_results_open(&def, &allocator, &diag, &results);
      CHECK(fine == (results != NULL) && fine == (diag.message[0] == '\0'));
      for (long row = 0; row < 20 && fine; row++)
        fine = write_row(results, row) && write_event(results, GAP, row);
      fine = fine && brink_results_close(results, "finished", true);
      CHECK(fine || results == NULL || brink_results_problem(results)[0] != '\0');
      brink_results_destroy(results);
      CHECK_INT(state.live, 0);
      CHECK_INT(state.mismatch, 0);
      if (fine) needed = n;
      brink_columns_free(&columns);
    }
    CHECK_MSG(needed > 1, "%s: %ld", path, needed);
  }
}

/* One allocation fails, and those behind it do not: 40 rows, of which 3 and then 7 are flushed. */
static bool write_with(const brink_allocator *allocator, const char *path) {
  brink_columns columns = cars_columns();
  brink_results_def def = {.path = path, .columns = &columns};
  brink_results *results;
  remove(path);
  bool fine = brink_results_open(&def, allocator, NULL, &results);
  for (long row = 0; row < 40 && fine; row++)
    fine = write_row(results, row) && ((row != 3 && row != 10) || brink_results_flush(results));
  fine = fine && brink_results_close(results, "finished", true);
  brink_results_destroy(results);
  brink_columns_free(&columns);
  return fine;
}

static bool is_whole_or_said(bool fine, const char *part, const char *whole) {
  size_t length = strlen(part);
  if (fine) return strcmp(part, whole) == 0;
  return strncmp(part, whole, length) == 0 && (length == 0 || part[length - 1] == '\n');
}

TEST(a_single_failed_allocation_changes_no_csv_in_silence) {
  CHECK(write_with(NULL, "whole.csv"));
  char *whole = read_text("whole.csv");
  bool complete = false;
  for (long n = 1; n < 200 && !complete; n++) {
    counting state = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&state);
    bool fine = write_with(&allocator, "part.csv");
    char *part = read_text("part.csv");
    CHECK_MSG(is_whole_or_said(fine, part, whole), "allocation %ld: %d: %s", n, fine, part);
    free(part);
    complete = state.calls < n;
  }
  CHECK(complete);
  free(whole);
}

TEST(a_single_failed_allocation_leaves_a_mat_file_or_an_empty_one) {
  bool complete = false;
  long cut = 0;
  for (long n = 1; n < 200 && !complete; n++) {
    counting state = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&state);
    bool fine = write_with(&allocator, "part.mat");
    struct stat about;
    CHECK(stat("part.mat", &about) != 0 || !fine || about.st_size > 0);
    mat_file file;
    if (stat("part.mat", &about) == 0 && about.st_size > 0) {
      CHECK_MSG(mat_read("part.mat", &file), "allocation %ld", n);
      mat_free(&file);
    }
    cut += !fine;
    complete = state.calls < n;
  }
  CHECK(complete && cut > 3);
}

int main(void) {
  RUN(csv_quotes_where_it_must_and_writes_numbers_that_read_back);
  RUN(mat_files_have_the_six_matrices_that_modelica_tools_expect);
  RUN(mat_files_say_where_each_name_is_and_what_it_means);
  RUN(a_run_without_rows_leaves_files_that_can_be_read);
  RUN(hdf5_says_its_version);
  RUN(the_ending_decides_and_others_are_refused);
  RUN(files_that_cannot_be_made_are_said_at_once);
  RUN(a_device_that_is_full_is_named);
  RUN(csv_on_a_full_disk_ends_with_a_whole_line);
  RUN(mat_on_a_full_disk_has_every_row_that_fits);
  RUN(every_failed_allocation_is_told);
  RUN(a_single_failed_allocation_changes_no_csv_in_silence);
  RUN(a_single_failed_allocation_leaves_a_mat_file_or_an_empty_one);
  if (!h5dump_is_there()) {
    printf("h5dump is not installed (Debian package hdf5-tools): HDF5 files are not read back\n");
    return check_done();
  }
  RUN(hdf5_files_have_what_was_written);
  RUN(hdf5_indices_may_be_split);
  RUN(hdf5_files_show_names_and_not_numbers);
  RUN(hdf5_on_a_full_disk_stays_as_it_was_flushed);
  return check_done();
}
