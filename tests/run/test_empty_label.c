/* A mode may be called "": in HDF5 files, too, where names of enumerations cannot be empty. */
#include <brink/record.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "support/result_files.h"

/* "" until 1, then "on". */
static const char text[] =
    "ctc Shy is body\n"
    "declarations state(x, real); mode(m, {\"\", \"on\"}); flag(f, crossing); end declarations;\n"
    "initial x := 0.0; m := \"\"; end initial;\n"
    "dynamics x' = 1.0; f = x - 1.0; end dynamics;\n"
    "event(f) positive-going m := \"on\"; end positive-going; end event;\n"
    "end body; end Shy;\n";

TEST(an_empty_name_is_in_the_enumeration) {
  char place[] = "/tmp/brink-label-XXXXXX", path[64], command[200], seen[4096];
  brink_diag diag;
  brink_hsml *model = NULL;
  brink_run *run = NULL;
  if (!h5dump_is_there()) return;
  CHECK(mkdtemp(place) != NULL);
  snprintf(path, sizeof path, "%s/a.h5", place);
  CHECK_MSG(brink_hsml_load_text(text, &diag, &model) == BRINK_OK, "%s", diag.message);
  brink_run_options options = brink_default_run();
  options.interpret = true;
  CHECK_MSG(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK, "%s", diag.message);
  CHECK_MSG(brink_run_record(run, path, &diag) == BRINK_OK, "%s", diag.message);
  CHECK_INT(brink_run_to(run, 2.0, &diag), BRINK_TIME_REACHED);
  CHECK_MSG(brink_run_finish(run, &diag) == BRINK_OK, "%s", diag.message);
  snprintf(command, sizeof command, "h5dump -y -d /trajectory/m '%s' 2>&1", path);
  FILE *pipe = popen(command, "r");
  seen[pipe != NULL ? fread(seen, 1, sizeof seen - 1, pipe) : 0] = '\0';
  if (pipe != NULL) pclose(pipe);
  CHECK_CONTAINS(seen, "\"\"\"\" "); /* its name, in quotes, in the type … */
  CHECK_CONTAINS(seen, "\"on\"");
  const char *data = strstr(seen, "DATA {"); /* … and in the rows, as h5dump escapes it */
  CHECK(data != NULL && strstr(data, "\\\"\"") != NULL && strstr(data, "on") != NULL);
  if (check_failures_here > 0) printf("%s\n", seen);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  unlink(path);
  rmdir(place);
}

int main(void) {
  RUN(an_empty_name_is_in_the_enumeration);
  return check_done();
}
