/* tracer.c: runs a program and lets system calls fail.
 *
 *     tracer LOG CALLS FIRST LAST EFFECT PROGRAM [ARGUMENT]...
 *
 * Of the calls named in CALLS ("write,pwrite64", or "all") those from FIRST to LAST, counted from 1, have an effect:
 *
 *     ENOSPC, EIO, ...  the call is not made and returns this error; close is made, as Linux does it, and returns it
 *     short             half as many bytes are read or written
 *     room:N            the writes to files have room for N bytes together; then ENOSPC
 *     kill              the process is killed (SIGKILL) before the call
 *     tear              the call writes some of its bytes, and the process is killed; the system copies a page in one go, so
 *                       a write to a place in a file (pwrite) is cut between two pages only
 *     none              the calls are counted
 *
 * What the loader does before the program's first instruction does not count: it has its own messages, or none (brk neither:
 * it does not fail with an error). All threads are traced, and processes that are started until they are another program. LOG receives the number of calls,
 * the number of effects, the name of the first call with an effect, and the file that it was about; separated by tabs. The exit code is that of the program; after a
 * signal the tracer ends with the same signal. Exit 77: not on this machine.
 *
 * Unlike a preloaded library this sees what the C library calls by itself: writes of stdio, the memory of malloc and of
 * threads, the files of dlopen. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)

typedef struct call {
  const char *name;
  long number;
  bool moves_bytes; /* its third argument is a number of bytes */
  bool takes_file;  /* its first argument is a descriptor */
  int path;         /* the argument that is a path, from 1; 0: none */
} call;

#define CALL(name, ...)                                                                            \
  { #name, SYS_##name, __VA_ARGS__ }
static const call calls[] = {CALL(write, true, true, 0),
                             CALL(pwrite64, true, true, 0),
                             CALL(writev, false, true, 0),
                             CALL(read, true, true, 0),
                             CALL(pread64, true, true, 0),
                             CALL(fsync, false, true, 0),
                             CALL(fdatasync, false, true, 0),
                             CALL(ftruncate, false, true, 0),
                             CALL(fallocate, false, true, 0),
                             CALL(lseek, false, true, 0),
                             CALL(close, false, true, 0),
                             CALL(open, false, false, 1),
                             CALL(openat, false, false, 2),
                             CALL(fstat, false, true, 0),
                             CALL(newfstatat, false, false, 2),
                             CALL(statx, false, false, 2),
                             CALL(access, false, false, 1),
                             CALL(rename, false, false, 1),
                             CALL(renameat, false, false, 2),
                             CALL(renameat2, false, false, 2),
                             CALL(link, false, false, 1),
                             CALL(linkat, false, false, 2),
                             CALL(symlink, false, false, 1),
                             CALL(mkdir, false, false, 1),
                             CALL(mkdirat, false, false, 2),
                             CALL(unlink, false, false, 1),
                             CALL(unlinkat, false, false, 2),
                             CALL(rmdir, false, false, 1),
                             CALL(chdir, false, false, 1),
                             CALL(fchdir, false, true, 0),
                             CALL(fchmod, false, true, 0),
                             CALL(chmod, false, false, 1),
                             CALL(utimensat, false, false, 2),
                             CALL(getdents64, false, true, 0),
                             CALL(flock, false, true, 0),
                             CALL(fcntl, false, true, 0),
                             CALL(dup, false, true, 0),
                             CALL(dup2, false, true, 0),
                             CALL(pipe, false, false, 0),
                             CALL(pipe2, false, false, 0),
                             CALL(mmap, false, false, 0),
                             CALL(mprotect, false, false, 0),
                             CALL(munmap, false, false, 0),
                             CALL(mremap, false, false, 0),
                             CALL(madvise, false, false, 0),
                             CALL(fork, false, false, 0),
                             CALL(vfork, false, false, 0),
                             CALL(clone, false, false, 0),
                             CALL(clone3, false, false, 0),
                             CALL(execve, false, false, 1),
                             CALL(wait4, false, false, 0),
                             CALL(waitid, false, false, 0),
                             CALL(getrandom, false, false, 0),
                             CALL(prlimit64, false, false, 0),
                             CALL(ioctl, false, true, 0),
                             CALL(rt_sigaction, false, false, 0),
                             CALL(rt_sigprocmask, false, false, 0),
                             CALL(sched_getaffinity, false, false, 0),
                             CALL(sysinfo, false, false, 0),
                             CALL(uname, false, false, 0),
                             CALL(getcwd, false, false, 0),
                             CALL(readlink, false, false, 1),
                             CALL(prctl, false, false, 0),
                             CALL(seccomp, false, false, 0),
                             CALL(setitimer, false, false, 0),
                             CALL(timer_create, false, false, 0),
                             CALL(clock_nanosleep, false, false, 0),
                             CALL(poll, false, false, 0)};
enum { CALLS = sizeof calls / sizeof calls[0], MOST_TASKS = 256 };

static const struct {
  const char *name;
  int value;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},   {"EMFILE", EMFILE},
              {"ENFILE", ENFILE}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES}, {"EAGAIN", EAGAIN},
              {"EPERM", EPERM},   {"EROFS", EROFS},   {"EDQUOT", EDQUOT}, {"ENOSYS", ENOSYS},
              {"ESTALE", ESTALE}, {"EPIPE", EPIPE}};

typedef enum effect { NONE, ERROR, SHORT, ROOM, KILL, TEAR } effect;

/* A thread of the program, or a process that it has made and that is not yet another program. */
typedef struct task {
  pid_t id;
  bool child;  /* not a thread of the program itself */
  int error;   /* what the call that it is in will return; 0: what it returns */
  bool dies;   /* after that call */
  bool inside; /* a call */
} task;

static struct {
  const char *log;
  bool wanted[CALLS];
  long long first, last, room;
  effect effect;
  int error;
  pid_t program;
  bool started;             /* the loader is done */
  unsigned long long entry; /* the program's first instruction */
  long instruction;         /* what stands there */
  task tasks[MOST_TASKS];
  size_t ntasks;
  long long count, fired;
  char name[32], file[512];
} run;

static void stop(const char *what) {
  fprintf(stderr, "tracer: %s: %s\n", what, strerror(errno));
  if (run.program > 0) kill(run.program, SIGKILL);
  exit(77);
}

/* ---- what is asked for ---- */

static const call *call_of(long number) {
  for (size_t k = 0; k < CALLS; k++)
    if (calls[k].number == number) return &calls[k];
  return NULL;
}

static bool want_calls(char *names) {
  bool all = strcmp(names, "all") == 0;
  for (size_t k = 0; k < CALLS; k++) run.wanted[k] = all;
  for (char *name = strtok(names, ","); name != NULL && !all; name = strtok(NULL, ",")) {
    bool known = false;
    for (size_t k = 0; k < CALLS; k++) {
      if (strcmp(calls[k].name, name) != 0) continue;
      known = run.wanted[k] = true;
    }
    if (!known) return false;
  }
  return true;
}

static bool want_effect(const char *name) {
  static const char *const names[] = {
      [NONE] = "none", [SHORT] = "short", [KILL] = "kill", [TEAR] = "tear"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    if (names[k] == NULL || strcmp(names[k], name) != 0) continue;
    run.effect = (effect)k;
    return true;
  }
  for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++) {
    if (strcmp(errors[k].name, name) != 0) continue;
    run.effect = ERROR;
    run.error = errors[k].value;
    return true;
  }
  run.effect = ROOM;
  return sscanf(name, "room:%lld", &run.room) == 1;
}

/* ---- tasks ---- */

static task *task_of(pid_t id) {
  for (size_t k = 0; k < run.ntasks; k++)
    if (run.tasks[k].id == id) return &run.tasks[k];
  if (run.ntasks == MOST_TASKS) stop("too many threads");
  run.tasks[run.ntasks] = (task){.id = id};
  return &run.tasks[run.ntasks++];
}

static void forget(pid_t id) {
  for (size_t k = 0; k < run.ntasks; k++) {
    if (run.tasks[k].id != id) continue;
    run.tasks[k] = run.tasks[--run.ntasks];
    return;
  }
}

/* ---- calls ---- */

static void peek_text(pid_t id, unsigned long long at, char *out, size_t size) {
  struct iovec local = {.iov_base = out, .iov_len = size - 1};
  size_t done = 0;
  while (done < size - 1) { /* up to the end of a page at a time */
    size_t part = 4096 - (at + done) % 4096;
    if (part > size - 1 - done) part = size - 1 - done;
    local = (struct iovec){out + done, part};
    struct iovec remote = {(void *)(at + done), part};
    ssize_t got = process_vm_readv(id, &local, 1, &remote, 1, 0);
    if (got <= 0 || memchr(out + done, '\0', (size_t)got) != NULL) break;
    done += (size_t)got;
  }
  out[size - 1] = '\0';
}

static void note(const task *t, const call *c, const unsigned long long *arguments) {
  char link[64];
  if (run.fired++ > 0) return;
  snprintf(run.name, sizeof run.name, "%s", c->name);
  memset(run.file, 0, sizeof run.file);
  if (c->takes_file) {
    snprintf(link, sizeof link, "/proc/%d/fd/%lld", (int)t->id, (long long)arguments[0]);
    ssize_t length = readlink(link, run.file, sizeof run.file - 1);
    run.file[length > 0 ? length : 0] = '\0';
  } else if (c->path > 0) {
    peek_text(t->id, arguments[c->path - 1], run.file, sizeof run.file);
  }
}

static bool is_file(const task *t, unsigned long long descriptor) {
  char link[64];
  struct stat about;
  snprintf(link, sizeof link, "/proc/%d/fd/%lld", (int)t->id, (long long)descriptor);
  return stat(link, &about) == 0 && S_ISREG(about.st_mode);
}

static void set_size(task *t, unsigned long long size) {
  ptrace(PTRACE_POKEUSER, t->id, offsetof(struct user_regs_struct, rdx), size);
}

static void refuse(task *t, int error, bool made) {
  if (!made) ptrace(PTRACE_POKEUSER, t->id, offsetof(struct user_regs_struct, orig_rax), -1L);
  t->error = error;
}

static void write_into_room(task *t, const call *c, const unsigned long long *arguments) {
  if (!is_file(t, arguments[0])) return;
  if ((long long)arguments[2] <= run.room) {
    run.room -= (long long)arguments[2];
    return;
  }
  note(t, c, arguments);
  if (run.room == 0)
    refuse(t, ENOSPC, false);
  else
    set_size(t, (unsigned long long)run.room);
  run.room = 0;
}

/* How many bytes a write gets done; 0: it is too short to be cut. */
static unsigned long long torn_size(long number, const unsigned long long *arguments) {
  unsigned long long half = arguments[2] / 2, end = arguments[3] + half;
  if (number != SYS_pwrite64) return half;
  end -= end % 4096;
  return end > arguments[3] ? end - arguments[3] : 0;
}

static void enter(task *t, long number, const unsigned long long *arguments) {
  const call *c = call_of(number);
  if (c == NULL || !run.wanted[c - calls]) return;
  bool writes = number == SYS_write || number == SYS_pwrite64;
  if (c->takes_file && arguments[0] == STDERR_FILENO) return; /* what is wrong can be said */
  long long n = ++run.count;
  if (run.effect == ROOM && writes) write_into_room(t, c, arguments);
  if (n < run.first || n > run.last) return;
  switch (run.effect) {
  case NONE:
  case ROOM:
    return;
  case ERROR:
    note(t, c, arguments);
    refuse(t, run.error, number == SYS_close);
    return;
  case SHORT:
    if (!c->moves_bytes || arguments[2] < 2) return;
    note(t, c, arguments);
    set_size(t, arguments[2] / 2);
    return;
  case TEAR:
    if (!writes || torn_size(number, arguments) == 0) return;
    note(t, c, arguments);
    set_size(t, torn_size(number, arguments));
    t->dies = true;
    return;
  case KILL:
    note(t, c, arguments);
    kill(run.program, SIGKILL);
    return;
  }
}

static void leave(task *t) {
  if (t->error != 0)
    ptrace(PTRACE_POKEUSER, t->id, offsetof(struct user_regs_struct, rax), -(long)t->error);
  t->error = 0;
  if (t->dies) kill(run.program, SIGKILL);
}

static void at_call(task *t) {
  struct __ptrace_syscall_info about;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, t->id, sizeof about, &about) <= 0) return;
  if (about.op == PTRACE_SYSCALL_INFO_ENTRY) {
    unsigned long long arguments[6];
    for (int k = 0; k < 6; k++) arguments[k] = about.entry.args[k];
    if (run.started) enter(t, (long)about.entry.nr, arguments);
  } else if (about.op == PTRACE_SYSCALL_INFO_EXIT) {
    leave(t);
  }
}

/* ---- the program ---- */

static void start(char **command) {
  run.program = fork();
  if (run.program < 0) stop("fork");
  if (run.program == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(77);
    raise(SIGSTOP);
    execv(command[0], command);
    _exit(77);
  }
  int status;
  if (waitpid(run.program, &status, 0) != run.program || !WIFSTOPPED(status)) stop("ptrace");
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE |
                 PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, run.program, NULL, options) != 0) stop("ptrace");
  task_of(run.program);
  ptrace(PTRACE_SYSCALL, run.program, NULL, NULL);
}

/* Where the loader will hand over: a breakpoint is put there. */
static void expect_entry(void) {
  char path[64];
  Elf64_auxv_t item;
  snprintf(path, sizeof path, "/proc/%d/auxv", (int)run.program);
  FILE *file = fopen(path, "rb");
  if (file == NULL) stop(path);
  while (fread(&item, sizeof item, 1, file) == 1)
    if (item.a_type == AT_ENTRY) run.entry = item.a_un.a_val;
  fclose(file);
  run.instruction = ptrace(PTRACE_PEEKTEXT, run.program, run.entry, NULL);
  long trap = (run.instruction & ~0xffL) | 0xcc; /* int3 */
  if (ptrace(PTRACE_POKETEXT, run.program, run.entry, trap) != 0) stop("breakpoint");
}

static bool is_at_entry(const task *t) {
  long at = ptrace(PTRACE_PEEKUSER, t->id, offsetof(struct user_regs_struct, rip), NULL);
  if (run.started || (unsigned long long)at != run.entry + 1) return false;
  ptrace(PTRACE_POKETEXT, t->id, run.entry, run.instruction);
  ptrace(PTRACE_POKEUSER, t->id, offsetof(struct user_regs_struct, rip), run.entry);
  run.started = true;
  return true;
}

/* The signal that the task goes on with. */
static int at_stop(task *t, int status) {
  int signal = WSTOPSIG(status), event = status >> 16;
  if (signal == (SIGTRAP | 0x80)) {
    at_call(t);
    return 0;
  }
  if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) {
    unsigned long made;
    ptrace(PTRACE_GETEVENTMSG, t->id, NULL, &made);
    task_of((pid_t)made)->child = true;
  }
  if (event != 0 || (signal == SIGTRAP && is_at_entry(t))) return 0;
  return signal == SIGSTOP ? 0 : signal; /* the SIGSTOP of new tasks */
}

static int follow(void) {
  int status, result = 0;
  pid_t id;
  while ((id = waitpid(-1, &status, __WALL)) > 0) {
    if (!WIFSTOPPED(status)) {
      if (id == run.program) result = status;
      forget(id);
      continue;
    }
    task *t = task_of(id);
    /* Another program by now. A child may come here before its parent's stop says that there is one. */
    if (status >> 16 == PTRACE_EVENT_EXEC && id != run.program) {
      ptrace(PTRACE_DETACH, id, NULL, NULL);
      forget(id);
      continue;
    }
    if (status >> 16 == PTRACE_EVENT_EXEC) expect_entry();
    int signal = at_stop(t, status);
    ptrace(PTRACE_SYSCALL, id, NULL, (long)signal);
  }
  return result;
}

static void report(void) {
  FILE *log = fopen(run.log, "w");
  if (log == NULL) stop(run.log);
  fprintf(log, "%lld\t%lld\t%s\t%s\n", run.count, run.fired, run.name, run.file);
  fclose(log);
}

int main(int argc, char **argv) {
  if (argc < 7 || !want_calls(argv[2]) || !want_effect(argv[5])) {
    fprintf(stderr, "usage: tracer LOG CALLS FIRST LAST EFFECT PROGRAM [ARGUMENT]...\n");
    return 64;
  }
  run.log = argv[1];
  run.first = atoll(argv[3]);
  run.last = atoll(argv[4]);
  start(argv + 6);
  int status = follow();
  report();
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  raise(WTERMSIG(status));
  return 70;
}

#else

int main(void) {
  return 77;
}

#endif
