/* One version: what the header says, what the library says, what CMake's project, the citation and the packages say. */
#include "check.h"

#include <brink/brink.h>
#include <stdlib.h>

#include "support/formats.h"

/* Does a file of the tree have this text? */
static void check_file(const char *name, const char *text) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", BRINK_SOURCE_DIR, name);
  char *found = read_whole_file(path, NULL);
  CHECK_MSG(found != NULL && strstr(found, text) != NULL, "%s does not have \"%s\"", name, text);
  free(found);
}

TEST(the_parts_of_the_version_agree) {
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", BRINK_VERSION_MAJOR, BRINK_VERSION_MINOR,
           BRINK_VERSION_PATCH);
  CHECK(strcmp(text, BRINK_VERSION) == 0);
  CHECK(strcmp(brink_version(), BRINK_VERSION) == 0);
  CHECK_INT(BRINK_VERSION_NUMBER,
            10000 * BRINK_VERSION_MAJOR + 100 * BRINK_VERSION_MINOR + BRINK_VERSION_PATCH);
#if BRINK_VERSION_NUMBER < 100
  CHECK_MSG(false, "%s", "the number cannot be compared by the preprocessor");
#endif
}

TEST(everything_else_has_the_same_version) {
  check_file("CMakeLists.txt", "project(Brink VERSION " BRINK_VERSION " ");
  check_file("CITATION.cff", "\nversion: " BRINK_VERSION "\n");
  check_file("CHANGELOG.md", "\n## [" BRINK_VERSION "] - ");
  check_file("debian/changelog", "brink (" BRINK_VERSION "-");
}

int main(void) {
  RUN(the_parts_of_the_version_agree);
  RUN(everything_else_has_the_same_version);
  return check_done();
}
