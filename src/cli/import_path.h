/* import_path.h: where imports are looked for: --import-path, then BRINK_PATH. */
#ifndef BRINK_CLI_IMPORT_PATH_H
#define BRINK_CLI_IMPORT_PATH_H

#include "base/base.h"
#include "cli/options.h"

typedef struct cli_import_path {
  brink_arena arena;
  const char **directories;
  size_t count, capacity;
} cli_import_path;

/* False: no memory, said. Close it in any case. */
bool cli_import_path_open(cli_import_path *path, const cli_arguments *arguments);
void cli_import_path_close(cli_import_path *path);

#endif
