/* test_docs.c: every model that the documentation shows does what the documentation says.
 *
 * Blocks fenced as ```hsml are run (support/expect.h); one that begins with `% file: NAME` is a file
 * that the blocks behind it may import. ```hsml-fragment marks parts that cannot run alone.
 *
 * The page of diagnostics explains every message of src/lang under its code, and shows a model that provokes it. */
#include <stdlib.h>

#include "check.h"
#include "support/expect.h"
#include "support/formats.h"

enum { FILES = 16 };

/* In the directory of the test, to be used again. */
static const char cache[] = "expect-cache";
static size_t blocks, fragments, expectations;

/* What a page has shown as files so far. */
typedef struct page {
  const char *name;
  expect_source files[FILES + 1]; /* [0] is the present block */
  size_t nfiles;
} page;

static format_list provoked; /* all messages of the compiler; marked when an example was told one */

static void say(const char *text, void *user) {
  (void)user;
  CHECK_SAY("%s", text);
}

static void told(const char *code, const char *message, void *user) {
  (void)user;
  formats_see(&provoked, code, message);
}

static char *copy_text(const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (copy == NULL) exit(1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

static void run_block(page *p, const char *text, size_t length, size_t line) {
  char path[256];
  expect_source source = {.text = copy_text(text, length), .length = length};
  blocks++;
  if (strncmp(text, "% file: ", 8) == 0) {
    const char *slash = strrchr(p->name, '/'); /* as the page's own blocks will call it */
    snprintf(path, sizeof path, "%.*s%.*s", slash != NULL ? (int)(slash - p->name) + 1 : 0, p->name,
             (int)strcspn(text + 8, " \n"), text + 8);
    source.path = copy_text(path, strlen(path));
    CHECK(p->nfiles < FILES);
    if (p->nfiles < FILES) p->files[++p->nfiles] = source;
    return;
  }
  snprintf(path, sizeof path, "%s at line %zu", p->name, line);
  source.path = path;
  p->files[0] = source;
  expect_report report = {.say = say, .told = told};
  expect_check(p->files, p->nfiles + 1, cache, &report);
  CHECK_MSG(!report.known, "%s: the documentation shows no model that fails", path);
  expectations += report.expectations;
  free((char *)(uintptr_t)source.text);
}

static void run_page(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", BRINK_SOURCE_DIR, name);
  char *text = read_whole_file(path, NULL);
  if (text == NULL) return; /* not every page is written */
  page p = {.name = name};
  size_t number = 0;
  const char *start = NULL;
  for (char *line = text, *end; *line != '\0'; line = end) {
    end = line + strcspn(line, "\n");
    if (*end == '\n') end++;
    number++;
    if (strncmp(line, "```", 3) != 0) continue;
    if (start != NULL) {
      int before = check_failures_here;
      check_failures_here = 0;
      size_t length = (size_t)(line - start), lines = 0;
      for (const char *c = start; c < line; c++) lines += *c == '\n';
      run_block(&p, start, length, number - lines - 1);
      check_failures_here += before;
      start = NULL;
    } else if (strncmp(line, "```hsml\n", 8) == 0) {
      start = end;
    } else {
      fragments += strncmp(line, "```hsml-fragment", 16) == 0;
    }
  }
  for (size_t k = 1; k <= p.nfiles; k++) {
    free((char *)(uintptr_t)p.files[k].path);
    free((char *)(uintptr_t)p.files[k].text);
  }
  free(text);
}

/* The pages of a directory whose names begin so. */
static void run_pages(const char *directory, const char *beginning) {
  char path[1024];
  size_t count;
  snprintf(path, sizeof path, "%s/%s", BRINK_SOURCE_DIR, directory);
  char **names = list_directory(path, ".md", &count);
  for (size_t k = 0; k < count; k++) {
    snprintf(path, sizeof path, "%s/%s", directory, names[k]);
    if (strncmp(names[k], beginning, strlen(beginning)) == 0) run_page(path);
    free(names[k]);
  }
  free(names);
}

TEST(the_readme_and_the_tutorials_run) {
  run_page("README.md");
  run_page("docs/taylor.md");
  run_pages("docs", "tutorial");
}

TEST(every_example_of_the_language_reference_runs) {
  blocks = fragments = expectations = 0;
  run_page("docs/hsml.md");
  CHECK_MSG(blocks >= 40, "%zu examples", blocks);
  CHECK_MSG(expectations >= blocks, "%zu expectations in %zu examples", expectations, blocks);
  CHECK_MSG(fragments * 4 <= blocks, "%zu fragments, %zu examples", fragments, blocks);
}

/* ---- the page of diagnostics ---- */

/* The first two cells of a row, `code` and `message`, with … for what varies. False: it is another row. */
static bool read_row(const char *row, char code[64], char message[256]) {
  const char *end = strchr(row, '`');
  if (end == NULL || strncmp(end, "` | `", 5) != 0) return false;
  snprintf(code, 64, "%.*s", (int)(end - row), row);
  snprintf(message, 256, "%.*s", (int)strcspn(end + 5, "`"), end + 5);
  return true;
}

/* Marks what the rows from `source` to `end` explain; what they explain must exist. */
static void read_rows(const char *source, const char *end, format_list *list) {
  for (const char *p = strstr(source, "\n| `"); p != NULL && p < end; p = strstr(p + 1, "\n| `")) {
    char code[64], message[256];
    if (!read_row(p + 4, code, message)) continue;
    CHECK_MSG(formats_see(list, code, message), "docs/diagnostics.md: no diagnostic is: %s: %s",
              code, message);
  }
}

/* What no text can show, or what would need another file. */
static bool cannot_be_shown(const char *format) {
  static const char *const list[] = {"a NUL byte: this is not a text file",
                                     "a stray byte 0x%02x",
                                     "the byte 0x%02x is not allowed in a string",
                                     "the control character U+%04x is not allowed in a string",
                                     "this name is longer than %d characters",
                                     "this number is too long",
                                     "there is no component in this file",
                                     "these files import each other: %s"};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (strcmp(list[k], format) == 0) return true;
  return false;
}

TEST(every_diagnostic_is_explained_and_shown) {
  char *source = read_whole_file(BRINK_SOURCE_DIR "/docs/diagnostics.md", NULL);
  format_list documented = {0}, unshown = {0};
  CHECK(source != NULL && formats_collect_lang(&provoked, BRINK_SOURCE_DIR) &&
        formats_collect_lang(&documented, BRINK_SOURCE_DIR) &&
        formats_collect_lang(&unshown, BRINK_SOURCE_DIR));
  const char *limits = source != NULL ? strstr(source, "\n## Limits") : NULL;
  const char *runs = source != NULL ? strstr(source, "\n## How runs end") : NULL;
  CHECK(limits != NULL && runs != NULL);
  if (limits == NULL || runs == NULL) return;
  run_page("docs/diagnostics.md");
  read_rows(source, runs, &documented);
  read_rows(limits, runs, &unshown); /* limits and settings have no examples */
  for (size_t k = 0; k < documented.count; k++) {
    const message_format *format = &documented.item[k];
    CHECK_MSG(format->seen, "%s: not explained: | `%s` | `%s` |", format->place, format->code,
              format->text);
    CHECK_MSG(provoked.item[k].seen || unshown.item[k].seen || cannot_be_shown(format->text),
              "%s: no example: %s: %s", format->place, format->code, format->text);
  }
  formats_free(&documented);
  formats_free(&unshown);
  formats_free(&provoked);
  free(source);
}

int main(void) {
  RUN(the_readme_and_the_tutorials_run);
  RUN(every_example_of_the_language_reference_runs);
  RUN(every_diagnostic_is_explained_and_shown);
  return check_done();
}
