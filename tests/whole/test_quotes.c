/* The C that the documentation shows is C that is compiled and run: every block of its pages is found, word for word, in the example that it names. */
#include <stdlib.h>

#include "check.h"
#include "support/formats.h"

/* Does `text` occur in the file? Blank lines at the end do not count. */
static void check_block(const char *name, const char *text, size_t length, size_t line) {
  char file[128] = "", path[1024];
  int from = 0;
  sscanf(text, "/* from examples/%100[a-z_].c */\n%n", file, &from);
  CHECK_MSG(from > 0, "%s at line %zu: the block does not say where it is from", name, line);
  if (from == 0) return;
  snprintf(path, sizeof path, "%s/examples/%s.c", BRINK_SOURCE_DIR, file);
  char *source = read_whole_file(path, NULL), *block = malloc(length + 1);
  CHECK_MSG(source != NULL && block != NULL, "no %s", path);
  if (source != NULL && block != NULL) {
    memcpy(block, text, length);
    block[length] = '\0';
    CHECK_MSG(strstr(source, block + from) != NULL, "%s at line %zu: examples/%s.c does not say so",
              name, line, file);
  }
  free(block);
  free(source);
}

static size_t check_page(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", BRINK_SOURCE_DIR, name);
  char *page = read_whole_file(path, NULL);
  const char *start = NULL;
  size_t number = 0, blocks = 0;
  CHECK_MSG(page != NULL, "no %s", path);
  for (char *line = page, *end; line != NULL && *line != '\0'; line = end) {
    end = line + strcspn(line, "\n");
    if (*end == '\n') end++;
    number++;
    if (strncmp(line, "```c\n", 5) == 0) {
      start = end;
    } else if (strncmp(line, "```", 3) == 0 && start != NULL) {
      check_block(name, start, (size_t)(line - start), number);
      start = NULL;
      blocks++;
    }
  }
  free(page);
  return blocks;
}

TEST(every_block_of_c_is_part_of_an_example) {
  size_t blocks = check_page("docs/c-api.md");
  CHECK_MSG(blocks >= 15, "%zu blocks", blocks);
  blocks = check_page("docs/taylor.md");
  CHECK_MSG(blocks >= 3, "%zu blocks", blocks);
}

int main(void) {
  RUN(every_block_of_c_is_part_of_an_example);
  return check_done();
}
