/* compile.c: from C to a shared object.
 *
 * The system's compiler makes it; it is kept in the user's cache (cache.c) under a hash of all that it depends
 * on: the source, the compiler, the flags, this program's version. Several processes may compile the same model at
 * once; each works on files of its own, and the last to finish wins.
 *
 * The compiler is a process of its own, with its children in one group. It is on a leash: a pipe that it can read,
 * and that only this program can write. When this program ends, in whatever way, the kernel closes the pipe, and
 * tells the group by SIGKILL (fcntl(2): F_SETOWN, F_SETSIG, O_ASYNC). A signal that the parent's death sends
 * (PR_SET_PDEATHSIG) would not do: it belongs to the thread that started the child, which is gone by then (confine.c).
 *
 * Whatever goes wrong (no compiler, a full disk) is no error: there is a reason, and the interpreter. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addfchdir_np, F_SETSIG, pipe2 */
#include "native/compile.h"

#include "native/confine.h"
#include "native/emit.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  COMPILE_SECONDS = 20, /* for a machine that is busy: sources are kept to what takes a few */
  /* Short sources: gcc starts in a quarter of the time that clang takes. Long ones: clang's time
   * grows more slowly. They meet about here. */
  SHORT_SOURCE = 6000,
  /* gcc -O2 takes twice the time of -O1 for long straight code, and gives back little. */
  LONG_SOURCE = 64 << 10,
  /* From 3 s a megabyte on: above this a run would wait too long for what it may not get. */
  TOO_LONG = 1 << 20,
};

/* Flags for every compiler, besides the level of optimisation: the bits of plain IEEE arithmetic
 * (no contraction, no folding of library calls), sqrt as an instruction. */
static const char *const flags[] = {
    "-ffp-contract=off",
    "-fno-builtin",
    "-fno-math-errno",
    "-fPIC",
    "-shared",
    "-nostdlib",
    "-fno-asynchronous-unwind-tables",
    "-fstack-protector-strong", /* this and the next ones cost nothing where there is no fault */
    "-Wl,-z,relro,-z,now,-z,noexecstack",
#if defined(__x86_64__)
    "-fcf-protection=full",
    "-march=native", /* wider registers; the key knows the processor */
#elif defined(__aarch64__)
    "-mbranch-protection=standard",
#endif
    "-w"};
enum { FLAGS = sizeof flags / sizeof *flags };

double brink_compile_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the compiler ---- */

static bool is_program(brink_compiler *c, const char *path) {
  struct stat status;
  if (strlen(path) >= sizeof c->path || stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
      access(path, X_OK) != 0)
    return false;
  memmove(c->path, path, strlen(path) + 1);
  c->bytes = status.st_size;
  c->date = status.st_mtim;
  return true;
}

const char *brink_compiler_name(const brink_compiler *c) {
  return strrchr(c->path, '/') + 1;
}

/* Looks in PATH; entries that are not absolute are passed over. */
static bool find_program(brink_compiler *c, const char *name) {
  char path[BRINK_PATH];
  const char *from = getenv("PATH");
  if (strchr(name, '/') != NULL) return name[0] == '/' && is_program(c, name);
  while (from != NULL && *from != '\0') {
    size_t length = strcspn(from, ":");
    int needed = snprintf(path, sizeof path, "%.*s/%s", (int)length, from, name);
    if (from[0] == '/' && needed > 0 && needed < BRINK_PATH && is_program(c, path)) return true;
    from += length;
    if (*from == ':') from++;
  }
  return false;
}

static bool find_compiler(brink_compiler *c, size_t source_length, char *reason) {
  static const char *const usual[] = {"cc", "gcc", "clang", "cc", "gcc"};
  const char *wanted = getenv("BRINK_CC");
  if (wanted != NULL && wanted[0] != '\0') {
    if (find_program(c, wanted)) return true;
    snprintf(reason, BRINK_REASON, "BRINK_CC names no program: \"%.100s\"", wanted);
    return false;
  }
  for (size_t k = source_length < SHORT_SOURCE ? 0 : 2; k < sizeof usual / sizeof *usual; k++) {
    if (find_program(c, usual[k])) return true;
  }
  snprintf(reason, BRINK_REASON, "no C compiler in PATH (clang, cc or gcc)");
  return false;
}

/* ---- the key ---- */

static void add_text(brink_sha256 *hash, const char *text) {
  brink_sha256_add(hash, text, strlen(text) + 1);
}

/* What the processor can do: objects in a cache that machines share must not meet the wrong one. */
static void add_processor(brink_sha256 *hash) {
#if defined(__x86_64__)
  unsigned int a, b, c, d;
  for (unsigned int leaf = 1; leaf <= 7; leaf += 6) {
    if (__get_cpuid_count(leaf, 0, &a, &b, &c, &d) == 0) continue;
    if (leaf == 1) b = 0; /* which core it was */
    const unsigned int features[] = {leaf, a, b, c, d};
    brink_sha256_add(hash, features, sizeof features);
  }
#else
  (void)hash;
#endif
}

/* A compiler is known by its place, size and date: asking it for its version takes longer than
 * loading an object. */
static void make_key(const char *source, size_t length, const brink_compiler *c, const char *level,
                     brink_key *key) {
  char identity[160];
  brink_sha256 hash;
  brink_sha256_init(&hash);
  snprintf(identity, sizeof identity, "%lld bytes, %lld s, %ld ns; abi %u", c->bytes,
           (long long)c->date.tv_sec, (long)c->date.tv_nsec, BRINK_ABI);
  add_processor(&hash);
  add_text(&hash, brink_version());
  add_text(&hash, c->path);
  add_text(&hash, identity);
  add_text(&hash, level);
  for (size_t k = 0; k < FLAGS; k++) add_text(&hash, flags[k]);
  brink_sha256_add(&hash, source, length);
  brink_sha256_finish(&hash, key->digest);
  brink_sha256_text(key->digest, key->text);
}

/* ---- running it ---- */

/* What the compiler sees of the environment: where programs and their libraries are. Other variables change what compilers
 * read, write or make (CPATH, DEPENDENCIES_OUTPUT, GCC_EXEC_PREFIX, CCC_OVERRIDE_OPTIONS, …). Its temporary files are in
 * the directory that it works in; ccache, where it stands in for a compiler, has nothing to keep. */
typedef struct environment {
  char kept[2][BRINK_PATH * 4], fixed[3][20];
  char *variables[6];
} environment;

static void clean(environment *e) {
  static const char *const names[] = {"PATH", "LD_LIBRARY_PATH"};
  size_t n = 0;
  for (size_t k = 0; k < 2; k++) {
    const char *value = getenv(names[k]);
    if (value == NULL) continue;
    int length = snprintf(e->kept[k], sizeof e->kept[k], "%s=%s", names[k], value);
    if (length > 0 && (size_t)length < sizeof e->kept[k]) e->variables[n++] = e->kept[k];
  }
  e->variables[n++] = strcpy(e->fixed[0], "LC_ALL=C");
  e->variables[n++] = strcpy(e->fixed[1], "TMPDIR=.");
  e->variables[n++] = strcpy(e->fixed[2], "CCACHE_DISABLE=1");
  e->variables[n] = NULL;
}

/* The leash's end for the compiler; the first number that standard streams leave free. */
enum { LEASH = 3 };

/* In the workshop, which is held by its descriptor: nobody can put another in its place. stdin is empty; the
 * compiler's output goes to a file. */
static int arrange_files(posix_spawn_file_actions_t *files, int workshop, int leash) {
  int error = posix_spawn_file_actions_addfchdir_np(files, workshop);
  if (error == 0) error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
  if (error == 0)
    error = posix_spawn_file_actions_addopen(files, 1, BRINK_LOG, O_WRONLY | O_CREAT, 0600);
  if (error == 0) error = posix_spawn_file_actions_adddup2(files, 1, 2);
  if (error == 0 && leash >= 0) error = posix_spawn_file_actions_adddup2(files, leash, LEASH);
  return error;
}

/* 0, or why there is no process. */
static int start(const brink_compiler *c, char *const *arguments, const brink_workshop *workshop,
                 int leash, pid_t *process) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  environment surroundings;
  sigset_t none, standard;
  sigemptyset(&none);
  sigemptyset(&standard);
  sigaddset(&standard, SIGPIPE);
  sigaddset(&standard, SIGXFSZ);
  clean(&surroundings);
  int error = posix_spawn_file_actions_init(&files);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attributes);
  if (error == 0) {
    error = arrange_files(&files, workshop->directory, leash);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &standard);
    posix_spawnattr_setpgroup(&attributes, 0); /* so that its children can be ended with it */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    if (error == 0)
      error = brink_confined_spawn(&(brink_confined_start){.program = c->path,
                                                           .arguments = arguments,
                                                           .environment = surroundings.variables,
                                                           .files = &files,
                                                           .attributes = &attributes,
                                                           .workshop = workshop->directory},
                                   process);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/* Where the kernel does not know of it, or the program is killed in the moment before, a compiler that is left alone ends
 * when it is done, or by its limits (confine.c). */
static void tie(int end, pid_t process) {
#if defined(F_SETSIG)
  if (fcntl(end, F_SETOWN, -process) == 0 && fcntl(end, F_SETSIG, SIGKILL) == 0)
    fcntl(end, F_SETFL, O_RDONLY | O_ASYNC);
#else
  (void)end;
  (void)process;
#endif
}

/* Starts it on a leash. */
static bool start_tied(brink_compile *work, char *const *arguments, char *reason) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  int error = start(&work->compiler, arguments, &work->workshop, ends[0], &work->process);
  if (error == 0 && ends[0] >= 0) tie(ends[0], work->process);
  if (ends[0] >= 0) close(ends[0]);
  work->leash = ends[1];
  if (error == 0) return true;
  work->process = 0;
  snprintf(reason, BRINK_REASON, "%.40s cannot be started: %s",
           brink_compiler_name(&work->compiler), strerror(error));
  return false;
}

static bool write_source(const brink_workshop *workshop, const char *source, size_t length) {
  int fd = openat(workshop->directory, BRINK_SOURCE,
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  while (length > 0) {
    ssize_t n = write(fd, source, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    source += n;
    length -= (size_t)n;
  }
  return (close(fd) == 0) && length == 0;
}

/* The compiler, on the source in the workshop. */
static bool start_compiler(brink_compile *work, char *reason) {
  char *arguments[FLAGS + 8], output[] = "-o", maths[] = "-lm", optimise[4];
  char source[] = BRINK_SOURCE, made[] = BRINK_MADE;
  size_t n = 0;
  snprintf(optimise, sizeof optimise, "%s", work->level);
  arguments[n++] = work->compiler.path;
  arguments[n++] = optimise;
  for (size_t k = 0; k < FLAGS; k++) arguments[n++] = (char *)flags[k];
  arguments[n++] = source;
  arguments[n++] = output;
  arguments[n++] = made;
  arguments[n++] = maths; /* for the versions of its symbols */
  arguments[n] = NULL;
  return start_tied(work, arguments, reason);
}

/* ---- one compilation ---- */

bool brink_compile_prepare(brink_compile *work, const char *source, size_t length, char *reason) {
  *work = (brink_compile){.leash = -1};
  reason[0] = '\0';
  if (length > TOO_LONG) {
    snprintf(reason, BRINK_REASON, "%.1f MB of generated code take too long to compile",
             (double)length / (1 << 20));
    return false;
  }
  if (!find_compiler(&work->compiler, length, reason)) return false;
  bool quick =
      length > LONG_SOURCE && strstr(brink_compiler_name(&work->compiler), "clang") == NULL;
  work->level = quick ? "-O1" : "-O2";
  make_key(source, length, &work->compiler, work->level, &work->key);
  return true;
}

int brink_compile_find(const brink_compile *work, const char *directory) {
  brink_cache cache;
  if (!brink_cache_open_usual(&cache, directory)) return -1;
  int fd = brink_cache_find(&cache, &work->key);
  brink_cache_close(&cache);
  return fd;
}

bool brink_compile_start(brink_compile *work, const char *source, size_t length,
                         const char *directory, char *reason) {
  if (!brink_cache_open(&work->cache, directory, reason)) return false;
  if (!brink_cache_begin(&work->cache, &work->workshop)) {
    snprintf(reason, BRINK_REASON, "cannot write to %.150s", work->cache.path);
    brink_cache_close(&work->cache);
    return false;
  }
  work->begun = true;
  work->deadline = brink_compile_clock() + COMPILE_SECONDS;
  if (!write_source(&work->workshop, source, length))
    snprintf(reason, BRINK_REASON, "cannot write to %.150s: %s", work->cache.path, strerror(errno));
  else if (start_compiler(work, reason))
    return true;
  brink_compile_stop(work);
  return false;
}

/* Adds the first line of the compiler's output. */
static void add_log(const brink_workshop *workshop, char *reason) {
  char line[161];
  int fd = openat(workshop->directory, BRINK_LOG, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return;
  ssize_t n = read(fd, line, sizeof line - 1);
  close(fd);
  if (n <= 0) return;
  line[n] = '\0';
  line[strcspn(line, "\n")] = '\0';
  size_t used = strlen(reason);
  snprintf(reason + used, BRINK_REASON - used, ": %s", line);
}

/* Has it ended? `reason` is empty if it did what it should. */
static bool has_ended(brink_compile *work, char *reason) {
  const char *name = brink_compiler_name(&work->compiler);
  int status;
  pid_t done = waitpid(work->process, &status, WNOHANG);
  reason[0] = '\0';
  if (done == 0 || (done < 0 && errno == EINTR)) {
    if (brink_compile_clock() <= work->deadline) return false;
    snprintf(reason, BRINK_REASON, "%.40s took more than %d s", name, COMPILE_SECONDS);
    return true;
  }
  work->process = 0;
  if (done < 0)
    snprintf(reason, BRINK_REASON, "%.40s was lost: %s", name, strerror(errno));
  else if (WIFSIGNALED(status))
    snprintf(reason, BRINK_REASON, "%.40s was ended by a signal", name);
  else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    snprintf(reason, BRINK_REASON, "%.40s failed with exit code %d", name,
             WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  return true;
}

brink_readiness brink_compile_poll(brink_compile *work, int *object, char *reason) {
  *object = -1;
  if (!has_ended(work, reason)) return BRINK_NOT_YET;
  if (reason[0] == '\0') {
    *object = brink_cache_store(&work->cache, &work->workshop, &work->key);
    if (*object >= 0)
      brink_cache_prune(&work->cache);
    else
      snprintf(reason, BRINK_REASON, "cannot keep the object in %.150s", work->cache.path);
  } else {
    add_log(&work->workshop, reason);
  }
  brink_compile_stop(work);
  return *object >= 0 ? BRINK_READY : BRINK_NEVER;
}

/* The group is told before its first process is reaped, so that its number is still taken. Compilers have no time to remove
 * their files: all of these are in the workshop. */
void brink_compile_stop(brink_compile *work) {
  if (!work->begun) return;
  if (work->process > 0) {
    kill(-work->process, SIGKILL);
    while (waitpid(work->process, NULL, 0) < 0 && errno == EINTR) continue;
    work->process = 0;
  }
  if (work->leash >= 0) close(work->leash);
  work->leash = -1;
  brink_cache_end(&work->cache, &work->workshop);
  brink_cache_close(&work->cache);
  work->begun = false;
}

void brink_compile_abandon(brink_compile *work) {
  if (!work->begun) return;
  if (work->leash >= 0) close(work->leash);
  close(work->workshop.directory);
  close(work->cache.directory);
  work->begun = false;
}
