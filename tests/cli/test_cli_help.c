/* Help, manual pages and completion: all made from one table, so all must say the same, and the tools
 * that read them must not complain. */
#include "check.h"
#include "support/program.h"

#include <stdbool.h>
#include <stdlib.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

enum { WORDS = 96, LENGTH = 64 };

typedef struct word_list {
  char word[WORDS][LENGTH];
  size_t count;
} word_list;

static bool contains(const word_list *list, const char *word) {
  for (size_t k = 0; k < list->count; k++) {
    if (strcmp(list->word[k], word) == 0) return true;
  }
  return false;
}

static void add(word_list *list, const char *word, size_t length) {
  CHECK(list->count < WORDS && length < LENGTH);
  if (list->count < WORDS && length < LENGTH)
    snprintf(list->word[list->count++], LENGTH, "%.*s", (int)length, word);
}

/* The commands that brink --help lists. */
static word_list commands(void) {
  word_list list = {.count = 0};
  outcome o = brink("--help");
  const char *line = strstr(o.out, "Commands:\n");
  CHECK(line != NULL);
  for (line = line != NULL ? line + 10 : "\n"; strncmp(line, "  ", 2) == 0;) {
    add(&list, line + 2, strcspn(line + 2, " "));
    line += strcspn(line, "\n") + 1;
  }
  done(&o);
  return list;
}

/* The options that a command's help lists, with their dashes. */
static word_list options(const char *command) {
  word_list list = {.count = 0};
  outcome o = brink("%s --help", command);
  CHECK_EXIT(o, 0);
  for (char *line = strtok(o.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    bool letter = strncmp(line, "  -", 3) == 0 && strncmp(line + 4, ", --", 4) == 0;
    if (letter || strncmp(line, "      --", 8) == 0) add(&list, line + 6, strcspn(line + 6, " "));
  }
  done(&o);
  return list;
}

static bool is_installed(const char *tool) {
  char command[128];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", tool);
  return system(command) == 0;
}

TEST(help_lists_every_command_and_its_options) {
  word_list all = commands(), run = options("run");
  static const char *const known[] = {"run", "check",  "fmt",    "emit",
                                      "new", "doctor", "manual", "completion"};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
    CHECK_MSG(contains(&all, known[k]), "no %s", known[k]);
  CHECK(contains(&run, "--until") && contains(&run, "--out") && contains(&run, "--plot"));
  CHECK(contains(&run, "--report") && !contains(&run, "--write"));
  for (size_t k = 0; k < all.count; k++) {
    word_list list = options(all.word[k]);
    CHECK_MSG(contains(&list, "--help"), "%s", all.word[k]);
  }
}

TEST(no_line_of_help_is_wider_than_a_terminal) {
  word_list all = commands();
  for (size_t k = 0; k <= all.count; k++) {
    outcome o = brink("%s --help", k < all.count ? all.word[k] : "");
    for (const char *line = o.out; *line != '\0';) {
      size_t length = strcspn(line, "\n");
      CHECK_MSG(length <= 80, "%.*s", (int)length, line);
      line += length + 1;
    }
    done(&o);
  }
}

/* ---- docs/cli.md ---- */

/* Text with bars as tables want them. */
static void put_escaped(char *to, size_t room, const char *words, size_t length) {
  size_t used = strlen(to);
  for (size_t k = 0; k < length && used + 3 < room; k++) {
    if (words[k] == '|') to[used++] = '\\';
    to[used++] = words[k];
  }
  to[used] = '\0';
}

/* The row of an option: its help begins at `line` and goes on in lines that are indented. */
static void make_row(const char *line, char *row, size_t room) {
  const char *name = line + strspn(line, " "), *words = strstr(name, "  ");
  const char *end = name + strcspn(name, "\n");
  size_t length = (size_t)((words != NULL && words < end ? words : end) - name);
  snprintf(row, room, "| `");
  if (name[1] != '-') { /* "-o, --out FILE" */
    snprintf(row, room, "| `%.2s`, `", name);
    name += 4;
    length -= 4;
  }
  put_escaped(row, room, name, length);
  snprintf(row + strlen(row), room - strlen(row), "` |");
  if (words != NULL && words < end) {
    words += strspn(words, " ");
    put_escaped(row, room, " ", 1);
    put_escaped(row, room, words, (size_t)(end - words));
  }
  for (const char *more = end + 1; strncmp(more, "          ", 10) == 0;) {
    more += strspn(more, " ");
    length = strcspn(more, "\n");
    put_escaped(row, room, " ", 1);
    put_escaped(row, room, more, length);
    more += length + (more[length] == '\n');
  }
  snprintf(row + strlen(row), room - strlen(row), " |\n");
}

TEST(the_page_about_the_program_has_every_option_in_its_words) {
  char *page = read_all(BRINK_SOURCE_DIR "/docs/cli.md");
  static const char *const shown[] = {"run",   "condition", "sweep",     "fit",
                                      "check", "fmt",       "reproduce", "new"};
  for (size_t k = 0; k < sizeof shown / sizeof shown[0]; k++) {
    outcome o = brink("%s --help", shown[k]);
    for (const char *line = o.out; *line != '\0';) {
      bool letter = strncmp(line, "  -", 3) == 0 && strncmp(line + 4, ", --", 4) == 0;
      char row[1024];
      if (letter || strncmp(line, "      --", 8) == 0) {
        make_row(line, row, sizeof row);
        bool usual = strstr(row, "--help") != NULL || strstr(row, "--version") != NULL;
        CHECK_MSG(usual || strstr(page, row) != NULL, "docs/cli.md has no row\n%s", row);
      }
      line += strcspn(line, "\n") + 1;
    }
    done(&o);
  }
  free(page);
}

TEST(the_page_about_the_program_knows_nothing_else) {
  char *page = read_all(BRINK_SOURCE_DIR "/docs/cli.md");
  word_list all = commands();
  for (size_t k = 0; k < all.count; k++) {
    char name[LENGTH + 16];
    snprintf(name, sizeof name, "| `brink %s", all.word[k]);
    CHECK_CONTAINS(page, name);
  }
  word_list known[] = {options("run"),       options("condition"), options("sweep"),
                       options("fit"),       options("check"),     options("fmt"),
                       options("reproduce"), options("new")};
  size_t nknown = sizeof known / sizeof known[0];
  for (const char *c = page; (c = strstr(c, "| `--")) != NULL; c++) {
    char option[LENGTH];
    snprintf(option, sizeof option, "%.*s", (int)strcspn(c + 3, " `"), c + 3);
    bool is_known = false;
    for (size_t k = 0; k < nknown; k++) is_known = is_known || contains(&known[k], option);
    CHECK_MSG(is_known, "docs/cli.md has %s", option);
  }
  outcome o = brink("--help");
  const char *line = strstr(o.out, "Exit codes:\n");
  for (line = line != NULL ? line + 12 : ""; strncmp(line, "  ", 2) == 0;) {
    int code, from = 0;
    char row[256];
    CHECK(sscanf(line, "%d %n", &code, &from) == 1);
    snprintf(row, sizeof row, "| %d | %.*s |\n", code, (int)strcspn(line + from, "\n"),
             line + from);
    CHECK_CONTAINS(page, row);
    line += strcspn(line, "\n") + 1;
  }
  done(&o);
  free(page);
}

TEST(what_the_page_shows_is_what_is_drawn) {
  char *page = read_all(BRINK_SOURCE_DIR "/docs/cli.md");
  static const char command[] = "brink run my-tank.hsml --quiet --plot plant.h,plant.phase\n";
  setenv("LC_ALL", "C.UTF-8", 1);
  outcome o = brink("new my-tank");
  done(&o);
  o = brink("%.*s --interpret", (int)strlen(command) - 7, command + 6);
  CHECK_EXIT(o, 0);
  const char *block = strstr(page, "$ brink run my-tank.hsml");
  CHECK(block != NULL && strncmp(block + 2, command, strlen(command)) == 0);
  CHECK_MSG(block != NULL &&
                strncmp(block + 2 + strlen(command), o.out + 1, strlen(o.out) - 1) == 0,
            "docs/cli.md does not show%s", o.out);
  done(&o);
  free(page);
}

/* ---- manual pages ---- */

TEST(manual_pages_have_every_option_and_their_sections) {
  word_list all = commands();
  for (size_t k = 0; k < all.count; k++) {
    word_list list = options(all.word[k]);
    outcome o = brink("manual %s", all.word[k]);
    CHECK_EXIT(o, 0);
    CHECK(strncmp(o.out, ".Dd ", 4) == 0);
    CHECK_CONTAINS(o.out, ".Sh SYNOPSIS");
    CHECK_CONTAINS(o.out, ".Sh EXIT STATUS");
    for (size_t j = 0; j < list.count; j++) {
      char item[LENGTH + 8];
      snprintf(item, sizeof item, "Fl Fl %s", list.word[j] + 2);
      CHECK_MSG(strstr(o.out, item) != NULL, "brink-%s(1) has no %s", all.word[k], list.word[j]);
    }
    done(&o);
  }
  outcome o = brink("manual");
  for (size_t k = 0; k < all.count; k++) {
    char item[LENGTH + 16];
    snprintf(item, sizeof item, ".Xr brink-%s 1", all.word[k]);
    CHECK_CONTAINS(o.out, item);
    snprintf(item, sizeof item, ".It Cm %s", all.word[k]);
    CHECK_CONTAINS(o.out, item);
  }
  done(&o);
}

TEST(manual_pages_are_good_mdoc) {
  if (!is_installed("mandoc")) {
    printf("mandoc is not installed: pages are not checked\n");
    return;
  }
  word_list all = commands();
  for (size_t k = 0; k <= all.count; k++) {
    outcome o = brink("manual %s > page.1", k < all.count ? all.word[k] : "");
    done(&o);
    int status = system("mandoc -T lint -W warning page.1 > lint.txt 2>&1");
    char *said = read_all("lint.txt");
    CHECK_MSG(status == 0 && said[0] == '\0', "%s", said);
    free(said);
    CHECK(system("mandoc -T ascii page.1 | col -b > page.txt") == 0);
    char *page = read_all("page.txt");
    CHECK_CONTAINS(page, "EXIT STATUS");
    CHECK_CONTAINS(page, k < all.count ? "--version" : "brink-run(1)");
    free(page);
  }
}

/* ---- completion ---- */

/* What bash offers for the last of these words. */
static char *offered(const char *words) {
  char command[512];
  snprintf(command, sizeof command,
           "bash -c '. ./brink.bash; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
           "_brink; printf \"%%s\\n\" \"${COMPREPLY[@]}\"' > offered.txt",
           words);
  CHECK_MSG(system(command) == 0, "%s", words);
  return read_all("offered.txt");
}

TEST(bash_completes_commands_options_choices_and_models) {
  static const struct {
    const char *words, *offers;
  } cases[] = {
      {"brink ru", "run\n"},
      {"brink comp", "completion\n"},
      {"brink run --meth", "--method\n"},
      {"brink run --method ta", "taylor\ntaylor2\n"},
      {"brink run --method = dop", "dopri\n"}, /* as bash splits --method=dop */
      {"brink run --method =",
       "auto\nadams\ntaylor\ndopri\neuler\ntaylor2\nrk4\nam3\nbdf3\ntrapezoid\nbdf\ndae\n"},
      {"brink run --until \"\"", "\n"},
      {"brink run one", "one.hsml\none\\ two.hsml\n"},
      {"brink run --json on", "one.hsml\none\\ two.hsml\n"},
      {"brink run fol", "folder\n"},
      {"brink check one.hsml one", "one.hsml\none\\ two.hsml\n"},
      {"brink run --out r", "result.csv\nresult.mat\n"},
      {"brink run -o r", "result.csv\nresult.mat\n"},
      {"brink run --report r", "result.html\n"},
      {"brink fmt --w", "--write\n"},
      {"brink fmt --unt", "\n"},
      {"brink completion b", "bash\n"},
      {"brink manual com", "completion\n"},
      {"brink help fm", "fmt\n"},
      {"brink nonsense x", "\n"},
  };
  outcome o = brink("completion bash > brink.bash");
  CHECK_EXIT(o, 0);
  done(&o);
  if (!is_installed("bash")) return;
  static const char *const files[] = {"one.hsml",   "one two.hsml", "one.txt",
                                      "result.csv", "result.mat",   "result.html"};
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) write_file(files[k], "");
  CHECK(system("mkdir folder") == 0);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char *found = offered(cases[k].words), *sorted;
    char expected[256], *to = expected;
    for (const char *c = cases[k].offers; *c != '\0'; c++) {
      if (*c != '\\') *to++ = *c;
    }
    *to = '\0';
    /* the two models in either order */
    sorted = strstr(expected, "one two") != NULL && strncmp(found, "one two", 7) == 0
                 ? "one two.hsml\none.hsml\n"
                 : expected;
    CHECK_MSG(strcmp(found, sorted) == 0, "%s: %s", cases[k].words, found);
    free(found);
  }
}

TEST(every_shell_is_offered_every_option) {
  static const char *const shells[] = {"bash", "zsh", "fish"};
  word_list all = commands();
  for (size_t k = 0; k < 3; k++) {
    outcome o = brink("completion %s", shells[k]);
    CHECK_EXIT(o, 0);
    for (size_t c = 0; c < all.count; c++) {
      CHECK_CONTAINS(o.out, all.word[c]);
      word_list list = options(all.word[c]);
      for (size_t j = 0; j < list.count; j++) {
        char form[LENGTH + 8];
        bool fish = k == 2;
        snprintf(form, sizeof form, "%s%s", fish ? "-l " : "", list.word[j] + (fish ? 2 : 0));
        CHECK_MSG(strstr(o.out, form) != NULL, "%s: no %s", shells[k], form);
      }
    }
    done(&o);
  }
}

TEST(the_shells_accept_their_scripts) {
  static const char *const checks[][2] = {{"bash", "bash -n"},
                                          {"zsh", "zsh -n"},
                                          {"fish", "fish --no-execute"},
                                          {"bash", "shellcheck -s bash"}};
  for (size_t k = 0; k < sizeof checks / sizeof checks[0]; k++) {
    char tool[32], command[128];
    snprintf(tool, sizeof tool, "%.*s", (int)strcspn(checks[k][1], " "), checks[k][1]);
    outcome o = brink("completion %s > script", checks[k][0]);
    CHECK_EXIT(o, 0);
    done(&o);
    if (!is_installed(tool)) {
      printf("%s is not installed: its script is not checked\n", tool);
      continue;
    }
    snprintf(command, sizeof command, "%s script > said.txt 2>&1", checks[k][1]);
    int status = system(command);
    char *said = read_all("said.txt");
    CHECK_MSG(status == 0, "%s: %s", checks[k][1], said);
    free(said);
  }
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(help_lists_every_command_and_its_options);
  RUN(no_line_of_help_is_wider_than_a_terminal);
  RUN(the_page_about_the_program_has_every_option_in_its_words);
  RUN(the_page_about_the_program_knows_nothing_else);
  RUN(what_the_page_shows_is_what_is_drawn);
  RUN(manual_pages_have_every_option_and_their_sections);
  RUN(manual_pages_are_good_mdoc);
  RUN(bash_completes_commands_options_choices_and_models);
  RUN(every_shell_is_offered_every_option);
  RUN(the_shells_accept_their_scripts);
  program_leave(folder);
  return check_done();
}
