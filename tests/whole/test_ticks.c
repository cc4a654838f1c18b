/* Ten million samples of a dtc, run by the program: no drift, none lost, the order of priorities kept
 * (tests/lang/long/ticks.hsml judges itself). Sanitised builds run a thousandth of it. */
#include "check.h"
#include "support/json.h"

#include <stdlib.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TICKS 10000
#else
#define TICKS 10000000
#endif

static double final_value(const json *summary, const char *name) {
  const json *value = json_member(json_member(summary, "final"), name);
  return value != NULL ? value->number : -1.0;
}

static void samples_are_exact_after_ten_million(void) {
  char command[1024], text[8192];
  snprintf(command, sizeof command, "'%s' run '%s/tests/lang/long/ticks.hsml' --json --until %d",
           BRINK_PROGRAM, BRINK_SOURCE_DIR, TICKS / 10);
  FILE *pipe = popen(command, "r");
  CHECK(pipe != NULL);
  size_t length = fread(text, 1, sizeof text - 1, pipe);
  text[length] = '\0';
  CHECK_MSG(pclose(pipe) == 0, "%s", command);
  const char *error;
  size_t offset;
  json *summary = json_parse(text, &error, &offset);
  CHECK_MSG(summary != NULL, "%s", text);
  if (summary == NULL) return;
  CHECK(final_value(summary, "tenths.k") == TICKS + 1);
  CHECK(final_value(summary, "tenths.worst") == 0.0);
  CHECK(final_value(summary, "threes.missed") == 0.0);
  CHECK(final_value(summary, "threes.k") == TICKS / 3 + 1);
  json_free(summary);
}

int main(void) {
  RUN(samples_are_exact_after_ten_million);
  return check_done();
}
