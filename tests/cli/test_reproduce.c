/* brink reproduce: every experiment gives the verdicts that it should, the same ones whenever it is asked; and what
 * it says where one does not (BRINK_DIFFERING: the program with experiments of tests/experiments). */
#include "check.h"
#include "support/program.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)
#define differing(...) program_run(BRINK_DIFFERING, __VA_ARGS__)

/* Enough to see that everything runs, few enough not to wait. */
#define REDUCED "--repetitions 5"

/* ---- the experiments ---- */

static const char *text_of(const json *object, const char *name) {
  const json *member = json_member(object, name);
  return member != NULL && member->text != NULL ? member->text : "";
}

TEST(no_verdict_differs_with_reduced_repetitions) {
  outcome o = brink("reproduce --json " REDUCED);
  CHECK_EXIT(o, 0);
  size_t count = 0, compared = 0;
  const json *experiments = json_member(o.summary, "experiments");
  for (const json *e = json_at(experiments, 0); e != NULL; e = e->next, count++) {
    const json *results = json_member(e, "results");
    CHECK_MSG(json_at(results, 0) != NULL, "%s compares nothing", text_of(e, "name"));
    for (const json *r = json_at(results, 0); r != NULL; r = r->next, compared++) {
      const char *verdict = text_of(r, "verdict");
      CHECK_MSG(strcmp(verdict, "differs") != 0, "%s: %s: published %s, ours %s",
                text_of(e, "name"), text_of(r, "what"), text_of(r, "published"),
                text_of(r, "ours"));
      bool explained = strcmp(verdict, "open") != 0 && strcmp(verdict, "refuted") != 0 &&
                       strcmp(verdict, "corrected") != 0;
      CHECK_MSG(explained || text_of(r, "because")[0] != '\0', "%s: %s is %s: why?",
                text_of(e, "name"), text_of(r, "what"), verdict);
    }
  }
  CHECK(count >= 2 && compared > 20);
  done(&o);
}

/* The line of an experiment that begins with these words. */
static const json *result_of(const outcome *o, const char *what) {
  const json *results = json_member(json_at(json_member(o->summary, "experiments"), 0), "results");
  for (const json *r = json_at(results, 0); r != NULL; r = r->next)
    if (strncmp(text_of(r, "what"), what, strlen(what)) == 0) return r;
  CHECK_MSG(false, "nothing is said about '%s'", what);
  return NULL;
}

/* By the paper's kind of method, around its figure; and no more is claimed than that. */
TEST(corridor_end_points_are_compared_by_a_method_of_order_four_and_stay_open) {
  outcome o = brink("reproduce corridor --json");
  CHECK_EXIT(o, 0);
  const json *four = result_of(&o, "contacts found by end-point checks, Runge-Kutta of order 4");
  double share = strtod(text_of(four, "ours"), NULL);
  CHECK_MSG(share >= 22 && share <= 45, "%g %%", share);
  CHECK(strcmp(text_of(four, "verdict"), "open") == 0);
  CHECK_CONTAINS(text_of(four, "because"), "first steps and safety factors");
  const json *five = result_of(&o, "the same by the pair 5(4)");
  CHECK(strtod(text_of(five, "ours"), NULL) < 20);
  CHECK(strcmp(text_of(five, "verdict"), "not stated") == 0);
  done(&o);
}

/* Readings that the paper leaves open are open, whatever number comes out. */
TEST(bumper_cars_and_arm_claim_no_match_where_the_reading_is_ours) {
  outcome o = brink("reproduce bumper-cars --json " REDUCED);
  CHECK_EXIT(o, 0);
  const json *by_steps = result_of(&o, "extra cost if every guard is searched once a step");
  CHECK(strcmp(text_of(by_steps, "verdict"), "open") == 0);
  CHECK(strcmp(text_of(by_steps, "published"), "7.2 %") == 0);
  done(&o);
  o = brink("reproduce arm --json " REDUCED);
  CHECK_EXIT(o, 0);
  size_t by_interpolation = 0;
  const json *results = json_member(json_at(json_member(o.summary, "experiments"), 0), "results");
  for (const json *r = json_at(results, 0); r != NULL; r = r->next) {
    if (strstr(text_of(r, "what"), "interpolation") == NULL) continue;
    by_interpolation++;
    CHECK_MSG(strcmp(text_of(r, "verdict"), "matches") != 0, "%s", text_of(r, "what"));
  }
  CHECK(by_interpolation > 0);
  done(&o);
}

/* With the three iterations of its listing. */
TEST(relay_flops_of_trap_seh_match) {
  outcome o = brink("reproduce relay --json");
  const json *results = json_member(json_at(json_member(o.summary, "experiments"), 0), "results");
  size_t matching = 0;
  for (const json *r = json_at(results, 0); r != NULL; r = r->next) {
    bool flops = strstr(text_of(r, "what"), "trap_seh") != NULL &&
                 strstr(text_of(r, "published"), "36,949") != NULL;
    matching += flops && strcmp(text_of(r, "verdict"), "matches") == 0;
  }
  CHECK_INT(matching, 1);
  done(&o);
}

TEST(the_same_seed_gives_the_same_bytes_by_any_number_of_threads_and_by_the_interpreter) {
  outcome two = brink("reproduce --json " REDUCED " --seed 4 --report two.html");
  outcome one = brink("reproduce --json " REDUCED " --seed 4 --threads 1 --report one.html");
  CHECK(two.exit == one.exit);
  CHECK(strcmp(two.out, one.out) == 0);
  char *page_of_two = read_all("two.html"), *page_of_one = read_all("one.html");
  CHECK(strlen(page_of_one) > 10000 && strcmp(page_of_one, page_of_two) == 0);
  free(page_of_one);
  free(page_of_two);
  done(&one);
  done(&two);
  one = brink("reproduce relay two-agents --json");
  two = brink("reproduce relay two-agents --json --interpret");
  CHECK(strcmp(two.out, one.out) == 0);
  done(&one);
  done(&two);
}

/* Every folder is an experiment with a page about it, and every experiment has a folder. */
TEST(every_folder_is_listed_and_has_a_page) {
  outcome o = brink("reproduce --list");
  CHECK_EXIT(o, 0);
  char *papers = read_all(BRINK_SOURCE_DIR "/docs/papers.md");
  size_t folders = 0, lines = 0;
  DIR *directory = opendir(BRINK_SOURCE_DIR "/experiments");
  CHECK(directory != NULL);
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    char path[512], line[300];
    struct stat about;
    snprintf(path, sizeof path, BRINK_SOURCE_DIR "/experiments/%s/README.md", entry->d_name);
    if (entry->d_name[0] == '.' || strchr(entry->d_name, '.') != NULL) continue;
    folders++;
    CHECK_MSG(stat(path, &about) == 0, "no %s", path);
    snprintf(line, sizeof line, "%s ", entry->d_name);
    bool listed = strncmp(o.out, line, strlen(line)) == 0;
    snprintf(line, sizeof line, "\n%s ", entry->d_name);
    CHECK_MSG(listed || strstr(o.out, line) != NULL, "%s is not listed", entry->d_name);
    snprintf(line, sizeof line, "`%s`", entry->d_name);
    CHECK_MSG(strstr(papers, line) != NULL, "docs/papers.md does not know %s", line);
  }
  if (directory != NULL) closedir(directory);
  for (const char *c = o.out; (c = strchr(c, '\n')) != NULL; c++) lines++;
  CHECK_INT(lines, folders);
  free(papers);
  done(&o);
}

TEST(the_page_has_figures_tables_and_sources_and_needs_nothing_else) {
  outcome o = brink("reproduce two-agents relay --report page.html -q");
  CHECK_EXIT(o, 0);
  CHECK(o.out[0] == '\0');
  char *page = read_all("page.html");
  CHECK_CONTAINS(page, "<svg viewBox");
  CHECK_CONTAINS(page, "id=\"two-agents\"");
  CHECK_CONTAINS(page, "id=\"relay\"");
  CHECK_CONTAINS(page, "What the paper leaves open");
  CHECK_CONTAINS(page, "<summary>experiments/relay/friction.hsml</summary>");
  CHECK_CONTAINS(page, "flag(phi[2]);"); /* its source */
  CHECK(strstr(page, "http") == NULL && strstr(page, "<script") == NULL);
  static const char *const strange[] = {"\"nan", ">nan", " nan", "\"inf", "Minf", "Linf"};
  for (size_t k = 0; k < sizeof strange / sizeof *strange; k++)
    CHECK_MSG(strstr(page, strange[k]) == NULL, "the page has %s", strange[k]);
  free(page);
  done(&o);
}

/* ---- the command ---- */

TEST(unknown_names_and_numbers_are_refused_with_what_was_meant) {
  static const struct {
    const char *arguments, *words;
  } cases[] = {{"two-agent", "there is no experiment 'two-agent'; did you mean two-agents?"},
               {"rellay relay", "did you mean relay?"},
               {"xyzzy", "'brink reproduce --list' lists them"},
               {"--repetitions 0", "--repetitions needs a whole number above 0, not '0'"},
               {"--repetitions many", "not 'many'"},
               {"--seed -1", "--seed needs a whole number, not '-1'"},
               {"--repititions 3", "did you mean --repetitions?"},
               {"--until 3", "until"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    outcome o = brink("reproduce %s", cases[k].arguments);
    CHECK_EXIT(o, 2);
    CHECK_CONTAINS(o.err, cases[k].words);
    CHECK(o.out[0] == '\0');
    done(&o);
  }
}

TEST(a_page_that_cannot_be_written_is_told) {
  outcome o = brink("reproduce relay --report no/such/folder.html");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "no/such/folder.html");
  CHECK_CONTAINS(o.out, "trap_seh");
  done(&o);
}

TEST(a_verdict_that_differs_is_exit_1) {
  outcome o = differing("reproduce agreeing");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "1 matches, 1 corrected\n");
  CHECK_CONTAINS(o.out, "    of <b>bold</b> letters\n");
  done(&o);
  o = differing("reproduce differing agreeing");
  CHECK_EXIT(o, 1);
  CHECK_CONTAINS(o.out, "1 matches, 1 corrected, 1 differs\n");
  CHECK(strstr(o.out, "agreeing") < strstr(o.out, "differing")); /* in the order of the list */
  done(&o);
  o = differing("reproduce differing --json --report page.html");
  CHECK_EXIT(o, 1);
  const json *results = json_member(json_at(json_member(o.summary, "experiments"), 0), "results");
  CHECK(strcmp(text_of(json_at(results, 0), "verdict"), "differs") == 0);
  done(&o);
}

TEST(an_experiment_that_cannot_be_run_is_exit_4_and_the_others_are_run) {
  outcome o = differing("reproduce --report page.html");
  CHECK_EXIT(o, 4);
  CHECK_CONTAINS(o.err, "breaking: cannot read models/no-such/model.hsml");
  CHECK_CONTAINS(o.out, "something");
  CHECK_CONTAINS(o.out, "repetitions");
  char *page = read_all("page.html");
  CHECK_CONTAINS(page, "&lt;b&gt;bold&lt;/b&gt;");
  free(page);
  done(&o);
}

TEST(seeds_and_repetitions_reach_the_experiment) {
  outcome o = differing("reproduce drawing --repetitions 7"),
          same = differing("reproduce drawing --repetitions 7 --seed 1"),
          other = differing("reproduce drawing --seed 2");
  CHECK_CONTAINS(o.out, "7, 91");
  CHECK_CONTAINS(other.out, "100, 328350");
  CHECK(strcmp(o.out, same.out) == 0);
  const char *random = strstr(o.out, "random");
  CHECK(random != NULL && strstr(other.out, random) == NULL);
  done(&o);
  done(&same);
  done(&other);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  setenv("BRINK_CACHE", "cache", 1);
  RUN(no_verdict_differs_with_reduced_repetitions);
  RUN(corridor_end_points_are_compared_by_a_method_of_order_four_and_stay_open);
  RUN(bumper_cars_and_arm_claim_no_match_where_the_reading_is_ours);
  RUN(relay_flops_of_trap_seh_match);
  RUN(the_same_seed_gives_the_same_bytes_by_any_number_of_threads_and_by_the_interpreter);
  RUN(every_folder_is_listed_and_has_a_page);
  RUN(the_page_has_figures_tables_and_sources_and_needs_nothing_else);
  RUN(unknown_names_and_numbers_are_refused_with_what_was_meant);
  RUN(a_page_that_cannot_be_written_is_told);
  RUN(a_verdict_that_differs_is_exit_1);
  RUN(an_experiment_that_cannot_be_run_is_exit_4_and_the_others_are_run);
  RUN(seeds_and_repetitions_reach_the_experiment);
  program_leave(folder);
  return check_done();
}
