/* brink sweep as a user meets it: tables, files, interruptions, wrong usage. */
#include "check.h"
#include "support/program.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

static const char decay[] =
    "ctc M is body\n"
    "  declarations state(x, real); parameter(k, real, (0.0, 10.0)); mode(m, {\"a\", \"b\"}); "
    "flag(low); end "
    "declarations;\n"
    "  initial x := 1.0; m := \"a\"; end initial; dynamics x' = -k*x; low = x - 0.5; end "
    "dynamics;\n"
    "  event(low) negative-going m := \"b\"; end negative-going; end event;\n"
    "  assignments k : 1.0; end assignments; end body; end M;\n"
    "system S is body components p : M; end components;\n"
    "  simulation until : 1.0; end simulation; end body; end S;\n";

static size_t lines_of(const char *text) {
  size_t count = 0;
  for (; *text != '\0'; text++) count += *text == '\n';
  return count;
}

TEST(the_table_goes_to_standard_output) {
  outcome o =
      brink("sweep m.hsml --interpret --vary p.k=0.5:2:4 --measure 'max(p.x)' --measure p.m");
  CHECK_EXIT(o, 0);
  CHECK(
      strncmp(
          o.out,
          "run,p.k,status,reason,message,t,count(p.low),first(p.low),last(p.low),max(p.x),p.m\n"
          "0,0.5,finished,,,1,0,,,1,a\n",
          strlen(
              "run,p.k,status,reason,message,t,count(p.low),first(p.low),last(p.low),max(p.x),p.m\n"
              "0,0.5,finished,,,1,0,,,1,a\n")) == 0);
  CHECK_INT(lines_of(o.out), 5);
  CHECK_MSG(o.err[0] == '\0', "%s", o.err);
  done(&o);
}

/* The summary of a single run has the same final value, digit by digit. */
TEST(a_row_is_what_brink_run_gives) {
  for (int native = 0; native < 2; native++) {
    outcome o =
        brink("sweep m.hsml %s --vary p.k=0.3:3:7 --measure p.x", native ? "" : "--interpret");
    CHECK_EXIT(o, 0);
    const char *line = strchr(o.out, '\n') + 1;
    for (int row = 0; row < 7; row++, line = strchr(line, '\n') + 1) {
      char k[64], final[128];
      sscanf(line, "%*d,%63[^,]", k);
      const char *end = strchr(line, '\n'), *last = end;
      while (last[-1] != ',') last--;
      snprintf(final, sizeof final, "\"p.x\":%.*s,", (int)(end - last), last);
      outcome one = brink("run m.hsml --set p.k=%s --json %s", k, native ? "" : "--interpret");
      const char *there = strstr(one.out, "\"final\":{");
      CHECK_MSG(there != NULL && strstr(there, final) != NULL, "%s not in %.300s", final, one.out);
      done(&one);
    }
    done(&o);
  }
}

TEST(wrong_usage_is_told_before_anything_runs) {
  static const struct {
    const char *arguments, *word;
    int exit;
  } wrong[] = {{"sweep m.hsml", "what is varied", 2},
               {"sweep m.hsml --vary p.q=1,2", "p.q", 2},
               {"sweep m.hsml --vary p.k=1:11:3", "p.k", 2},
               {"sweep m.hsml --vary p.k=1:2", "COUNT", 2},
               {"sweep m.hsml --vary p.k=1:2:3 --samples 5", "leave out", 2},
               {"sweep m.hsml --vary p.k=1:2 --samples 0", "whole number", 2},
               {"sweep m.hsml --vary p.k=1:2 --samples 2.5", "whole number", 2},
               {"sweep m.hsml --vary p.k=1,2 --jobs 0", "whole number", 2},
               {"sweep m.hsml --vary p.k=1,2 --limit -1", "above 0", 2},
               {"sweep m.hsml --vary p.k=1,2 --measure 'max('", "--measure", 2},
               {"sweep m.hsml --vary p.k=1,2 --measure q", "there is no 'q'", 2},
               {"sweep m.hsml --vary p.k=1,2 --out t.mat", ".csv or .h5", 2},
               {"sweep m.hsml --vary p.k=1,2 --resume", "--out FILE", 2},
               {"sweep m.hsml --vary p.k=1,2 --resume --out none.csv", "none.csv.resume", 5},
               {"sweep m.hsml --vary p.k=1,2 --out no/such/t.csv", "no/such/t.csv", 5},
               {"sweep m.hsml --vary p.k=1:2 --samples 4 --indices -", "standard output", 2},
               {"sweep m.hsml --vary p.k=1:2 --samples 4 --indices i.csv", "--measure", 2},
               {"sweep m.hsml --design none.csv", "none.csv", 5},
               {"sweep none.hsml --vary p.k=1,2", "none.hsml", 5},
               {"sweep - --vary p.k=1,2", "give a file", 2},
               {"sweep bad.hsml --vary p.k=1,2", "bad.hsml:", 3},
               {"sweep m.hsml --vary p.k=1,2 --json", "no option --json", 2},
               {"sweep m.hsml --vary p.k=1,2 --keep m.hsml", "m.hsml", 5},
               {"sweep m.hsml --vary seed=1.5,2", "whole number", 2},
               {"sweep m.hsml --vary seed=-1:3:5", "from 0 on", 2},
               {"sweep m.hsml --vary 'seed=normal(1,2)' --samples 3", "whole number", 2},
               {"sweep m.hsml --vary seed=a,b", "whole number", 2},
               {"sweep m.hsml --vary p.k=1,2 --keep . --keep-format h5 --jobs 2", "--jobs 1", 2},
               {"sweep m.hsml --vary p.k=1,2 --keep . --keep-format tex", "csv", 2},
               {"run m.hsml --vary p.k=1,2", "no option --vary", 2}};
  write_file("bad.hsml", "ctc M is body dynamics x' = ; end body; end M;\n");
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    outcome o = brink("%s", wrong[k].arguments);
    CHECK_MSG(o.exit == wrong[k].exit && strstr(o.err, wrong[k].word) != NULL, "%s: exit %d: %s",
              wrong[k].arguments, o.exit, o.err);
    CHECK_MSG(o.out[0] == '\0', "%s: %s", wrong[k].arguments, o.out);
    done(&o);
  }
}

TEST(a_value_that_is_set_and_varied_is_told) {
  outcome o = brink("sweep m.hsml --interpret --vary p.k=1,2 --set p.k=3 --set p.x=1");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.err, "warning: --set p.k=3 has no effect: --vary p.k=1,2");
  CHECK(strstr(o.err, "p.x") == NULL);
  done(&o);
  o = brink("sweep m.hsml --interpret --quiet --vary p.k=1,2 --set p.k=3");
  CHECK_MSG(o.err[0] == '\0', "%s", o.err);
  done(&o);
}

TEST(a_full_disk_is_reported) {
  if (access("/dev/full", W_OK) != 0) return;
  outcome o = brink("sweep m.hsml --interpret --vary p.k=1:2:2000 > /dev/full");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "standard output");
  done(&o);
}

TEST(hdf5_files_have_the_table) {
  outcome o = brink("doctor");
  bool without = strstr(o.out, "HDF5") == NULL || strstr(o.out, "no HDF5") != NULL;
  done(&o);
  if (without) return;
  o = brink("sweep m.hsml --interpret -j 1 --vary p.k=0.5:2:4 --measure 'p.x/2' --measure p.m "
            "--out t.h5");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "4 runs, 0 failed: t.h5");
  done(&o);
  CHECK(access("t.h5.rows", F_OK) != 0 && access("t.h5.resume", F_OK) != 0);
  FILE *file = fopen("t.h5", "rb");
  char magic[9] = "";
  CHECK(file != NULL && fread(magic, 1, 8, file) == 8 &&
        memcmp(magic, "\x89HDF\r\n\x1a\n", 8) == 0);
  if (file != NULL) fclose(file);
  o = brink("sweep m.hsml --interpret -j 3 --vary p.k=0.5:2:4 --measure 'p.x/2' --measure p.m "
            "--out u.h5");
  CHECK_EXIT(o, 0);
  done(&o);
  CHECK(system("cmp t.h5 u.h5") == 0);
  if (system("command -v h5dump > /dev/null 2>&1") != 0) return;
  CHECK(system("h5dump -d /table/p.m t.h5 > dump.txt") == 0);
  char *dump = read_all("dump.txt");
  CHECK_CONTAINS(dump, "\"a\", \"b\", \"b\", \"b\"");
  free(dump);
  CHECK(system("h5dump -d '/table/p.x\u2215"
               "2' t.h5 > dump.txt") == 0);
  dump = read_all("dump.txt");
  CHECK_CONTAINS(dump, "0.303265"); /* exp(-1/2)/2 */
  CHECK_CONTAINS(dump, "\"p.x/2\"");
  free(dump);
}

/* Killed at some moment; then continued until it is complete. */
TEST(a_killed_sweep_is_completed_to_the_same_bytes) {
  static const char *const words[] = {
      BRINK_PROGRAM,   "sweep",      "m.hsml",  "--interpret", "--vary",
      "p.k=0.5:2:300", "--hmax",     "0.001",   "--measure",   "mean(p.x)",
      "--out",         "killed.csv", "--quiet", NULL,          NULL};
  outcome o =
      brink("sweep m.hsml --interpret --vary p.k=0.5:2:300 --hmax 0.001 --measure 'mean(p.x)' "
            "--out whole.csv --jobs 1 --quiet");
  CHECK_EXIT(o, 0);
  CHECK(o.out[0] == '\0' && o.err[0] == '\0');
  done(&o);
  bool complete = false;
  for (int k = 0; k < 200 && !complete; k++) {
    char *arguments[16];
    for (size_t j = 0; j < 15; j++) arguments[j] = (char *)(uintptr_t)words[j];
    if (access("killed.csv.resume", F_OK) == 0) arguments[13] = (char *)(uintptr_t) "--resume";
    pid_t child = fork();
    if (child == 0) {
      if (freopen("/dev/null", "w", stderr) == NULL) _exit(127);
      execv(arguments[0], arguments);
      _exit(127);
    }
    /* So late that each attempt gets some rows further, wherever it is killed. */
    struct timespec wait = {.tv_sec = k / 20, .tv_nsec = 150000000L + 1000000L * (7 * k % 50)};
    nanosleep(&wait, NULL);
    int status = 0;
    kill(child, k % 3 == 0 ? SIGTERM : SIGKILL);
    CHECK(waitpid(child, &status, 0) == child);
    complete = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    CHECK_MSG(!WIFEXITED(status) || complete || WEXITSTATUS(status) == 143, "exit %d",
              WEXITSTATUS(status));
  }
  CHECK(complete && system("cmp killed.csv whole.csv") == 0);
  CHECK(access("killed.csv.resume", F_OK) != 0);
}

TEST(progress_is_written_as_lines_where_there_is_no_terminal) {
  outcome o = brink("sweep m.hsml --interpret --vary p.k=0.5:2:20 --progress always --out p.csv");
  CHECK_EXIT(o, 0);
  CHECK_MSG(strstr(o.err, "run ") != NULL && strstr(o.err, " of 20") != NULL &&
                strstr(o.err, "0 failed") != NULL,
            "%s", o.err);
  done(&o);
}

TEST(options_of_the_model_hold_in_all_runs) {
  write_file("u.csv", "time,u\n0,1\n1,3\n");
  write_file("u.hsml", "ctc M is interface input(u, signal); knob(c); end interface; body\n"
                       "  declarations state(x, real); parameter(c, real); end declarations;\n"
                       "  initial x := 0.0; end initial; dynamics x' = c*u; end dynamics;\n"
                       "  assignments c : 1.0; end assignments; end body; end M;\n");
  outcome o = brink(
      "sweep u.hsml --interpret --top M --input u.csv --set x=1 --until 1 --method rk4 --step "
      "0.25 --vary c=1,2 --measure x");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "0,1,finished,,,1,3\n1,2,finished,,,1,5\n");
  done(&o);
}

/* ---- seeds ---- */

static const char noise[] =
    "ctc N is body\n"
    "  declarations state(x, real); parameter(c, real); flag(hit); end declarations;\n"
    "  initial x := uniform(0.0, 1.0); end initial; dynamics x' = c; hit = x - 1.5; end "
    "dynamics;\n"
    "  event(hit) positive-going x := uniform(0.0, 1.0); end positive-going; end event;\n"
    "  assignments c : 1.0; end assignments; end body; end N;\n"
    "system S is body components n : N; end components;\n"
    "  simulation until : 3.0; seed : 7; end simulation; end body; end S;\n";

/* Each row is what `brink run --seed` gives. */
TEST(the_seed_of_the_runs_can_be_varied) {
  write_file("n.hsml", noise);
  outcome o = brink("sweep n.hsml --interpret --vary seed=3:102:100 --measure n.x");
  CHECK_EXIT(o, 0);
  CHECK_INT(lines_of(o.out), 101);
  const char *line = strchr(o.out, '\n') + 1;
  double last = -1.0;
  for (int row = 0; row < 100; row++, line = strchr(line, '\n') + 1) {
    unsigned seed = 0;
    CHECK(sscanf(line, "%*d,%u,", &seed) == 1 && seed == 3U + (unsigned)row);
    const char *end = strchr(line, '\n'), *x = end;
    while (x[-1] != ',') x--;
    CHECK(strtod(x, NULL) != last); /* another seed, other draws */
    last = strtod(x, NULL);
    if (row % 25 != 0) continue;
    char final[128];
    snprintf(final, sizeof final, "\"n.x\":%.*s", (int)(end - x), x);
    outcome one = brink("run n.hsml --interpret --json --seed %u", seed);
    const char *there = strstr(one.out, "\"final\":{");
    CHECK_MSG(there != NULL && strstr(there, final) != NULL, "%s not in %.300s", final, one.out);
    done(&one);
  }
  done(&o);
}

TEST(seeds_go_with_knobs_samples_and_tables) {
  outcome o =
      brink("sweep n.hsml --interpret --vary n.c=1,2 --vary seed=1,2 --measure n.x --jobs 1");
  outcome p =
      brink("sweep n.hsml --interpret --vary n.c=1,2 --vary seed=1,2 --measure n.x --jobs 3");
  CHECK_EXIT(o, 0);
  CHECK_MSG(strcmp(o.out, p.out) == 0, "%s%s", o.out, p.out);
  write_file("seeds.csv", "n.c,seed\n1,1\n1,2\n2,1\n2,2\n");
  outcome q = brink("sweep n.hsml --interpret --design seeds.csv --measure n.x");
  CHECK_MSG(strcmp(o.out, q.out) == 0, "%s%s", o.out, q.out);
  done(&p);
  done(&q);
  /* Without it all runs have the seed of the model. */
  p = brink("sweep n.hsml --interpret --vary n.c=1 --measure n.x");
  q = brink("sweep n.hsml --interpret --vary n.c=1 --vary seed=7 --measure n.x");
  const char *a = strchr(p.out, '\n'), *b = strchr(q.out, '\n');
  CHECK(a != NULL && b != NULL && strcmp(strstr(a, "finished"), strstr(b, "finished")) == 0);
  done(&o);
  done(&p);
  done(&q);
  o = brink("sweep n.hsml --interpret --samples 200 --design lhs --vary seed=1:200 --vary n.c=1:2");
  CHECK_EXIT(o, 0);
  bool met[201] = {false};
  const char *line = strchr(o.out, '\n') + 1;
  for (int row = 0; row < 200; row++, line = strchr(line, '\n') + 1) {
    unsigned seed = 0;
    CHECK(sscanf(line, "%*d,%u,", &seed) == 1 && seed >= 1 && seed <= 200 && !met[seed]);
    if (seed <= 200) met[seed] = true;
  }
  done(&o);
}

/* A knob of the model that is called so is what it was. */
TEST(a_parameter_called_seed_is_a_parameter) {
  write_file("s.hsml", "ctc N is interface knob(seed); end interface; body\n"
                       "  declarations state(x, real); parameter(seed, real); end declarations;\n"
                       "  initial x := seed; end initial; dynamics x' = 0.0; end dynamics;\n"
                       "  assignments seed : 1.0; end assignments; end body; end N;\n");
  outcome o = brink("sweep s.hsml --interpret --until 1 --vary seed=0.25,0.5 --measure x");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "0,0.25,finished,,,1,0.25\n1,0.5,finished,,,1,0.5\n");
  done(&o);
}

/* The same files as `brink run --out`. */
TEST(trajectories_are_kept_in_other_formats) {
  static const char *const formats[] = {"csv", "mat", "h5"};
  outcome o = brink("doctor");
  bool without = strstr(o.out, "HDF5") == NULL || strstr(o.out, "no HDF5") != NULL;
  done(&o);
  CHECK(system("mkdir kept") == 0);
  for (size_t k = 0; k < (without ? 2 : 3); k++) {
    const char *format = formats[k];
    o = brink("sweep m.hsml --interpret --jobs 1 --vary p.k=1,2 --keep kept --keep-format %s",
              format);
    CHECK_EXIT(o, 0);
    done(&o);
    o = brink("run m.hsml --interpret --set p.k=2 --quiet --out one.%s", format);
    CHECK_EXIT(o, 0);
    done(&o);
    char path[64];
    snprintf(path, sizeof path, "kept/run-1.%s", format);
    CHECK_MSG(access(path, R_OK) == 0, "%s", path);
    if (k == 0) CHECK(system("cmp kept/run-1.csv one.csv") == 0);
  }
}

/* What does not go with the model is wrong usage, of whichever command. */
TEST(commands_that_make_many_runs_agree_on_exit_codes) {
  write_file("data.csv", "time,x\n0,1\n1,0.5\n");
  static const char *const words[] = {
      "sweep " BRINK_SOURCE_DIR "/models/bumper-cars/model.hsml --interpret --vary car[1].x=1,2 "
      "--until 1 --measure 'max(car[1].x)'",
      "fit s.hsml --interpret --vary seed=0.1:5 --data data.csv --from 1 --until 0"};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
    outcome o = brink("%s", words[k]);
    CHECK_MSG(o.exit == 2 && strstr(o.err, "--help") != NULL, "%s: exit %d: %s", words[k], o.exit,
              o.err);
    done(&o);
  }
}

int main(void) {
  char folder[16];
  program_enter(folder);
  write_file("m.hsml", decay);
  RUN(the_table_goes_to_standard_output);
  RUN(a_row_is_what_brink_run_gives);
  RUN(wrong_usage_is_told_before_anything_runs);
  RUN(a_value_that_is_set_and_varied_is_told);
  RUN(a_full_disk_is_reported);
  RUN(hdf5_files_have_the_table);
  RUN(a_killed_sweep_is_completed_to_the_same_bytes);
  RUN(progress_is_written_as_lines_where_there_is_no_terminal);
  RUN(options_of_the_model_hold_in_all_runs);
  RUN(the_seed_of_the_runs_can_be_varied);
  RUN(seeds_go_with_knobs_samples_and_tables);
  RUN(a_parameter_called_seed_is_a_parameter);
  RUN(trajectories_are_kept_in_other_formats);
  RUN(commands_that_make_many_runs_agree_on_exit_codes);
  program_leave(folder);
  return check_done();
}
