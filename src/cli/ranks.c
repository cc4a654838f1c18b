/* ranks.c: a command that may be one of several ranks. See ranks.h. */
#include "cli/ranks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks/exchange.h"
#include "ranks/farm.h"
#include "ranks/launch.h"

enum { PATHS = 4096, WORDS = 400 };

/* ---- the module ---- */

/* Beside the program, as in the folder where it was built, or where it is installed; nowhere else: it is code. */
static bool find_module(char *where, size_t size) {
  static const char *const places[] = {"brink-mpi.so", BRINK_MPI_PATH};
  char program[PATHS];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return false;
  program[length] = '\0';
  char *slash = strrchr(program, '/');
  if (slash == NULL) return false;
  *slash = '\0';
  for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
    int written = snprintf(where, size, "%s/%s", program, places[k]);
    if (written > 0 && (size_t)written < size && access(where, R_OK) == 0) return true;
  }
  return false;
}

static int refuse(const brink_launch *launch, const char *reason) {
  if (launch->count > 0)
    cli_say("%s has started %zu processes, but they cannot work together: %s", launch->by,
            launch->count, reason);
  else
    cli_say("%s has started several processes, but they cannot work together: %s", launch->by,
            reason);
  return CLI_USAGE;
}

/* MPI's own plugins look for its symbols among those of the program: RTLD_GLOBAL. */
static int load_module(const brink_launch *launch, bool separate, brink_ranks *ranks) {
  char path[PATHS], reason[WORDS];
  if (!find_module(path, sizeof path))
    return refuse(launch, separate ? "this Brink has no brink-mpi.so (Debian package brink-mpi). "
                                     "Start it once"
                                   : "this Brink has no brink-mpi.so (Debian package brink-mpi). "
                                     "Start it once, or give each process its --share");
  void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  const brink_ranks_module *module = handle != NULL ? dlsym(handle, BRINK_RANKS_SYMBOL) : NULL;
  if (module == NULL) return refuse(launch, dlerror());
  if (module->version != BRINK_RANKS_VERSION || strcmp(module->build, brink_version()) != 0)
    return refuse(launch, "brink-mpi.so is of another version of Brink");
  if (!module->open(ranks, reason, sizeof reason)) return refuse(launch, reason);
  return CLI_OK;
}

/* ---- joining ---- */

/* What this rank would say is what rank 0 says, too; it is kept for the case that it is not. */
static void be_silent(cli_ranks *ranks) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  ranks->errors = tmpfile();
  fflush(stdout);
  fflush(stderr);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  if (ranks->errors != NULL)
    dup2(fileno(ranks->errors), STDERR_FILENO);
  else if (nowhere >= 0)
    dup2(nowhere, STDERR_FILENO);
  if (nowhere >= 0) close(nowhere);
}

int cli_ranks_open(cli_ranks *ranks, bool separate) {
  brink_launch launch = brink_launch_find(getenv);
  *ranks = (cli_ranks){.leads = true};
  if (launch.by == NULL || (!launch.mpi && separate)) return CLI_OK;
  if (!launch.mpi)
    return refuse(&launch, "give srun the option --mpi=pmix, or each process its --share");
  int outcome = load_module(&launch, separate, &ranks->ranks);
  if (outcome != CLI_OK) return outcome;
  if (ranks->ranks.count <= 1 && launch.count == 0) return CLI_OK; /* one process, after all */
  if (ranks->ranks.count <= 1 || (launch.count > 0 && ranks->ranks.count != launch.count))
    return refuse(&launch, "it belongs to another MPI than brink-mpi.so");
  ranks->joined = true;
  ranks->leads = ranks->ranks.rank == 0;
  if (!ranks->leads) be_silent(ranks);
  return CLI_OK;
}

/* ---- the end ---- */

static void tell_reason(cli_ranks *ranks) {
  char words[WORDS] = "it failed";
  fflush(stderr);
  if (ranks->errors != NULL && fseek(ranks->errors, 0, SEEK_SET) == 0) {
    size_t length = fread(words, 1, sizeof words - 1, ranks->errors);
    while (length > 0 && words[length - 1] == '\n') length--;
    if (length > 0) words[length] = '\0';
  }
  size_t skip = strncmp(words, "brink: ", 7) == 0 ? 7 : 0; /* rank 0 says that */
  if (ranks->one_run)
    brink_exchange_leave(&ranks->ranks, words + skip);
  else
    brink_farm_leave(&ranks->ranks, words + skip);
}

int cli_ranks_close(cli_ranks *ranks, int outcome) {
  if (!ranks->joined) return outcome;
  if (!ranks->served) tell_reason(ranks);
  ranks->ranks.close(ranks->ranks.state, ranks->lost == 0);
  if (ranks->errors != NULL) fclose(ranks->errors);
  /* Rank 0 knows, and its exit code says it: mpirun returns that of whoever ends first. */
  return ranks->leads || ranks->lost > 0 ? outcome : CLI_OK;
}
