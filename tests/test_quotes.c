/* The C that the documentation shows is C that is compiled and run: every block of docs/c-api.md is
 * found, word for word, in the example that it names. */
#include <stdlib.h>

#include "check.h"
#include "support/formats.h"

/* Does `text` occur in the file? Blank lines at the end do not count. */
static void check_block(const char *text, size_t length, size_t line) {
  char file[128] = "", path[1024];
  int from = 0;
  sscanf(text, "/* from examples/%100[a-z_].c */\n%n", file, &from);
  CHECK_MSG(from > 0, "docs/c-api.md at line %zu: the block does not say where it is from", line);
  if (from == 0) return;
  snprintf(path, sizeof path, "%s/examples/%s.c", BRINK_SOURCE_DIR, file);
  char *source = read_whole_file(path, NULL), *block = malloc(length + 1);
  CHECK_MSG(source != NULL && block != NULL, "no %s", path);
  if (source != NULL && block != NULL) {
    memcpy(block, text, length);
    block[length] = '\0';
    CHECK_MSG(strstr(source, block + from) != NULL,
              "docs/c-api.md at line %zu: examples/%s.c does not say so", line, file);
  }
  free(block);
  free(source);
}

TEST(every_block_of_the_c_api_is_part_of_an_example) {
  char *page = read_whole_file(BRINK_SOURCE_DIR "/docs/c-api.md", NULL);
  const char *start = NULL;
  size_t number = 0, blocks = 0;
  CHECK(page != NULL);
  for (char *line = page, *end; line != NULL && *line != '\0'; line = end) {
    end = line + strcspn(line, "\n");
    if (*end == '\n') end++;
    number++;
    if (strncmp(line, "```c\n", 5) == 0) {
      start = end;
    } else if (strncmp(line, "```", 3) == 0 && start != NULL) {
      check_block(start, (size_t)(line - start), number);
      start = NULL;
      blocks++;
    }
  }
  CHECK_MSG(blocks >= 15, "%zu blocks", blocks);
  free(page);
}

int main(void) {
  RUN(every_block_of_the_c_api_is_part_of_an_example);
  return check_done();
}
