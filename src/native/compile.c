/* compile.c: from C to functions that can be called.
 *
 * The system's compiler makes a shared object, which is kept in the user's cache (cache.c) under a
 * hash of all that it depends on: the source, the compiler, the flags, this program's version. Several
 * processes may compile the same model at once; each works on files of its own, and the last to finish
 * wins.
 *
 * A signal that ends the program ends the compiler first, and its files are removed (signals.c).
 *
 * Whatever goes wrong (no compiler, a full disk, an object that cannot be loaded) is no error: there
 * is a reason, and the interpreter. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addfchdir_np */
#include "native/cache.h"
#include "native/confine.h"
#include "native/emit.h"
#include "native/signals.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  GRACE_SECONDS = 1,    /* for a compiler to remove its own files when it is ended */
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

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the compiler ---- */

typedef struct compiler {
  char path[BRINK_PATH];
  const char *name; /* the last part of it */
  struct stat status;
} compiler;

static bool is_program(compiler *c, const char *path) {
  if (strlen(path) >= sizeof c->path || stat(path, &c->status) != 0 ||
      !S_ISREG(c->status.st_mode) || access(path, X_OK) != 0)
    return false;
  memmove(c->path, path, strlen(path) + 1);
  c->name = strrchr(c->path, '/') + 1;
  return true;
}

/* Looks in PATH; entries that are not absolute are passed over. */
static bool find_program(compiler *c, const char *name) {
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

static bool find_compiler(compiler *c, size_t source_length, char *reason) {
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
static void make_key(const char *source, size_t length, const compiler *c, const char *level,
                     brink_key *key) {
  char identity[160];
  brink_sha256 hash;
  brink_sha256_init(&hash);
  snprintf(identity, sizeof identity, "%lld bytes, %lld s, %ld ns; abi %u",
           (long long)c->status.st_size, (long long)c->status.st_mtim.tv_sec,
           (long)c->status.st_mtim.tv_nsec, BRINK_ABI);
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

/* In the workshop, which is held by its descriptor: nobody can put another in its place. stdin is empty; the
 * compiler's output goes to a file. */
static int arrange_files(posix_spawn_file_actions_t *files, int workshop) {
  int error = posix_spawn_file_actions_addfchdir_np(files, workshop);
  if (error == 0) error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
  if (error == 0)
    error = posix_spawn_file_actions_addopen(files, 1, BRINK_LOG, O_WRONLY | O_CREAT, 0600);
  return error == 0 ? posix_spawn_file_actions_adddup2(files, 1, 2) : error;
}

/* 0, or why there is no process. */
static int start(const compiler *c, char *const *arguments, const brink_workshop *workshop,
                 pid_t *process) {
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
    error = arrange_files(&files, workshop->directory);
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

/* Ends it with its children. It is asked first, since compilers remove their own files then; its number stays taken until
 * the whole group has been told. */
static void end(pid_t process) {
  double deadline = seconds_now() + GRACE_SECONDS;
  struct timespec pause = {.tv_nsec = 2000000};
  siginfo_t gone = {0};
  kill(-process, SIGTERM);
  while (seconds_now() < deadline &&
         waitid(P_PID, (id_t)process, &gone, WEXITED | WNOHANG | WNOWAIT) == 0 && gone.si_pid == 0)
    nanosleep(&pause, NULL);
  kill(-process, SIGKILL);
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
}

/* Waits until it ends, but not for ever. False: it failed; `reason` says how. */
static bool finish(const compiler *c, pid_t process, const brink_signals *signals, char *reason) {
  double deadline = seconds_now() + COMPILE_SECONDS;
  struct timespec pause = {.tv_nsec = 500000};
  for (;;) {
    int status;
    pid_t done = waitpid(process, &status, WNOHANG);
    if (done == process) {
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
      if (WIFEXITED(status))
        snprintf(reason, BRINK_REASON, "%.40s failed with exit code %d", c->name,
                 WEXITSTATUS(status));
      else
        snprintf(reason, BRINK_REASON, "%.40s was ended by a signal", c->name);
      return false;
    }
    if (done < 0 && errno != EINTR) {
      snprintf(reason, BRINK_REASON, "%.40s was lost: %s", c->name, strerror(errno));
      return false;
    }
    if (done == 0 && seconds_now() > deadline) {
      end(process);
      snprintf(reason, BRINK_REASON, "%.40s took more than %d s", c->name, COMPILE_SECONDS);
      return false;
    }
    if (done == 0 && brink_signals_wait(signals)) {
      end(process);
      snprintf(reason, BRINK_REASON, "a signal came while %.40s was running", c->name);
      return false;
    }
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < 4000000) pause.tv_nsec += pause.tv_nsec / 8;
  }
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

/* Runs the compiler on the source in the workshop. */
static bool run_compiler(const brink_workshop *workshop, const compiler *c, const char *level,
                         const brink_signals *signals, char *reason) {
  char *arguments[FLAGS + 8], output[] = "-o", maths[] = "-lm", optimise[4];
  char source[] = BRINK_SOURCE, made[] = BRINK_MADE;
  size_t n = 0;
  snprintf(optimise, sizeof optimise, "%s", level);
  arguments[n++] = (char *)c->path;
  arguments[n++] = optimise;
  for (size_t k = 0; k < FLAGS; k++) arguments[n++] = (char *)flags[k];
  arguments[n++] = source;
  arguments[n++] = output;
  arguments[n++] = made;
  arguments[n++] = maths; /* for the versions of its symbols */
  arguments[n] = NULL;
  pid_t process;
  int error = start(c, arguments, workshop, &process);
  if (error != 0) {
    snprintf(reason, BRINK_REASON, "%.40s cannot be started: %s", c->name, strerror(error));
    return false;
  }
  if (finish(c, process, signals, reason)) return true;
  add_log(workshop, reason);
  return false;
}

/* Makes the object and returns it open; -1: `reason` says why not. */
static int compile(const brink_cache *cache, const compiler *c, const char *level,
                   const brink_key *key, const char *source, size_t length,
                   const brink_signals *signals, char *reason) {
  brink_workshop workshop;
  int fd = -1;
  if (!brink_cache_begin(cache, &workshop)) {
    snprintf(reason, BRINK_REASON, "cannot write to %.150s", cache->path);
    return -1;
  }
  if (!write_source(&workshop, source, length)) {
    snprintf(reason, BRINK_REASON, "cannot write to %.150s: %s", cache->path, strerror(errno));
  } else if (run_compiler(&workshop, c, level, signals, reason)) {
    fd = brink_cache_store(cache, &workshop, key);
    if (fd < 0) snprintf(reason, BRINK_REASON, "cannot keep the object in %.150s", cache->path);
  }
  brink_cache_end(cache, &workshop);
  return fd;
}

/* ---- loading ---- */

typedef struct loaded {
  brink_object object; /* first */
  atomic_size_t users;
  void *handle;
  brink_allocator allocator;
} loaded;

/* The dynamic linker takes a path it has seen for the object it has loaded, even if another file is
 * behind the same descriptor now. So the path spells the key: "./" and "/" change nothing but the
 * name. */
static void spell_path(int fd, const brink_key *key, char path[192]) {
  size_t n = (size_t)snprintf(path, 192, "/proc/self/fd/");
  for (int bit = 0; bit < 64; bit++) {
    if (key->digest[bit / 8] >> (bit % 8) & 1) path[n++] = '.';
    path[n++] = '/';
  }
  snprintf(path + n, 192 - n, "%d", fd);
}

static bool is_compatible(const brink_entry *entry) {
  return entry->abi == BRINK_ABI && entry->frame_size == sizeof(brink_frame) &&
         entry->tables_size == sizeof(brink_tables) && entry->rhs != NULL;
}

/* Loads what `fd` is, and closes it. */
static bool load(int fd, const brink_key *key, loaded *l, char *reason) {
  char path[192];
  spell_path(fd, key, path);
  l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (l->handle == NULL) {
    const char *error = dlerror();
    snprintf(reason, BRINK_REASON, "the object cannot be loaded: %.180s",
             error == NULL ? "" : error);
  }
  close(fd);
  const brink_entry *entry = l->handle == NULL ? NULL : dlsym(l->handle, BRINK_ENTRY);
  if (entry == NULL || !is_compatible(entry)) {
    if (l->handle != NULL) {
      dlclose(l->handle);
      l->handle = NULL;
      snprintf(reason, BRINK_REASON, "the object is not one of this version");
    }
    return false;
  }
  l->object.rhs = entry->rhs;
  l->object.all = entry->all;
  l->object.jacobian = entry->jacobian;
  l->object.kernels = entry->kernels;
  l->object.flow = entry->flow;
  l->object.lanes_flow = entry->lanes_flow;
  l->object.lanes = (int)entry->lanes;
  l->object.lanes_order = (int)entry->lanes_order;
  l->object.jets = entry->jets;
  l->object.nkernels = entry->nkernels;
  l->object.njets = entry->njets;
  return true;
}

/* From the cache, or made; one that cannot be loaded is made again. */
static bool obtain(const brink_cache *cache, const compiler *c, const char *source, size_t length,
                   const brink_signals *signals, loaded *l, char *reason) {
  brink_key key;
  bool quick = length > LONG_SOURCE && strstr(c->name, "clang") == NULL;
  const char *level = quick ? "-O1" : "-O2";
  make_key(source, length, c, level, &key);
  int fd = brink_cache_find(cache, &key);
  if (fd >= 0 && load(fd, &key, l, reason)) {
    l->object.from_cache = true;
    return true;
  }
  fd = compile(cache, c, level, &key, source, length, signals, reason);
  if (fd < 0) return false;
  brink_cache_prune(cache);
  return load(fd, &key, l, reason);
}

brink_status brink_object_load(const char *source, size_t length, const char *cache,
                               const brink_allocator *allocator, brink_object **object,
                               char *reason) {
  double started = seconds_now();
  compiler c;
  brink_cache place;
  *object = NULL;
  reason[0] = '\0';
  if (length > TOO_LONG) {
    snprintf(reason, BRINK_REASON, "%zu MB of generated code take too long to compile",
             length >> 20);
    return BRINK_ERR_UNSUPPORTED;
  }
  if (!find_compiler(&c, length, reason)) return BRINK_ERR_UNSUPPORTED;
  loaded *l = brink_allocate(allocator, 1, sizeof *l);
  if (l == NULL) return BRINK_ERR_MEMORY;
  if (allocator != NULL) l->allocator = *allocator;
  atomic_init(&l->users, 1);
  brink_signals signals;
  brink_signals_hold(&signals);
  bool ok = brink_cache_open(&place, cache, reason);
  if (ok) {
    ok = obtain(&place, &c, source, length, &signals, l, reason);
    brink_cache_close(&place);
  }
  brink_signals_release(&signals);
  if (!ok) {
    brink_release(allocator, l, 1, sizeof *l);
    return BRINK_ERR_UNSUPPORTED;
  }
  snprintf(l->object.compiler, sizeof l->object.compiler, "%.60s", c.name);
  l->object.seconds = seconds_now() - started;
  reason[0] = '\0';
  *object = &l->object;
  return BRINK_OK;
}

brink_object *brink_object_share(brink_object *object) {
  atomic_fetch_add(&((loaded *)object)->users, 1);
  return object;
}

void brink_object_unload(brink_object *object) {
  loaded *l = (loaded *)object;
  if (object == NULL || atomic_fetch_sub(&l->users, 1) > 1) return;
  brink_allocator allocator = l->allocator;
  dlclose(l->handle);
  brink_release(&allocator, l, 1, sizeof *l);
}
