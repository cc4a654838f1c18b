/* confine.c: what a child may do is taken from a thread, which then starts it.
 *
 * Landlock, seccomp and "no new privileges" belong to a thread and are inherited. So a thread is made for the start
 * alone: it gives up its rights, starts the child and ends. This keeps posix_spawn, which does not copy the memory of a large
 * process, and no code runs between fork and exec. Each part is left out where the kernel does not know it: then
 * the child can do more, as it could before.
 *
 * Landlock: https://docs.kernel.org/userspace-api/landlock.html. The numbers below are those of its interface; headers of
 * the system may be older than its kernel. */
#define _GNU_SOURCE /* prlimit */
#include "native/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

/* ---- files: Landlock ---- */

#if defined(SYS_landlock_create_ruleset)

enum {
  WRITE_FILE = 1 << 1,
  REMOVE_DIRECTORY = 1 << 4,
  REMOVE_FILE = 1 << 5,
  MAKE_CHARACTER_DEVICE = 1 << 6,
  MAKE_DIRECTORY = 1 << 7,
  MAKE_REGULAR = 1 << 8,
  MAKE_SOCKET = 1 << 9,
  MAKE_FIFO = 1 << 10,
  MAKE_BLOCK_DEVICE = 1 << 11,
  MAKE_LINK = 1 << 12,
  REFER = 1 << 13,        /* link or rename across directories; from version 2 on */
  TRUNCATE = 1 << 14,     /* from version 3 on */
  IOCTL_DEVICE = 1 << 15, /* from version 5 on */
  BIND_AND_CONNECT = 3,   /* TCP; from version 4 on */
  SCOPES = 3,             /* signals and abstract sockets; from version 6 on */
  VERSION_FLAG = 1,
  RULE_BENEATH = 1,
};

typedef struct ruleset {
  uint64_t files, network, scopes;
} ruleset;

typedef struct __attribute__((packed)) rule {
  uint64_t allowed;
  int32_t directory;
} rule;

static ruleset ruleset_of(long version) {
  ruleset r = {.files = WRITE_FILE | REMOVE_DIRECTORY | REMOVE_FILE | MAKE_CHARACTER_DEVICE |
                        MAKE_DIRECTORY | MAKE_REGULAR | MAKE_SOCKET | MAKE_FIFO |
                        MAKE_BLOCK_DEVICE | MAKE_LINK};
  if (version >= 2) r.files |= REFER;
  if (version >= 3) r.files |= TRUNCATE;
  if (version >= 5) r.files |= IOCTL_DEVICE;
  if (version >= 4) r.network = BIND_AND_CONNECT;
  if (version >= 6) r.scopes = SCOPES;
  return r;
}

static bool allow(int rules, int where, uint64_t what) {
  rule r = {.allowed = what, .directory = where};
  return where >= 0 && syscall(SYS_landlock_add_rule, rules, RULE_BENEATH, &r, 0) == 0;
}

/* Everything may be read. In the workshop, files may be made and removed. */
static void restrict_files(int workshop) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, VERSION_FLAG);
  if (version < 1) return;
  ruleset r = ruleset_of(version);
  int rules = (int)syscall(SYS_landlock_create_ruleset, &r, sizeof r, 0);
  if (rules < 0) return;
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (allow(rules, workshop, r.files & (WRITE_FILE | REMOVE_FILE | MAKE_REGULAR | TRUNCATE)) &&
      allow(rules, nowhere, r.files & (WRITE_FILE | TRUNCATE)))
    syscall(SYS_landlock_restrict_self, rules, 0);
  if (nowhere >= 0) close(nowhere);
  close(rules);
}

#else
static void restrict_files(int workshop) {
  (void)workshop;
}
#endif

/* ---- system calls: seccomp ---- */

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* No compiler needs them. */
static const unsigned int forbidden[] = {
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_bpf,
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
#if defined(SYS_io_uring_setup)
    SYS_io_uring_setup, /* it can do the work of other system calls */
#endif
#if defined(SYS_pidfd_getfd)
    SYS_pidfd_getfd,
#endif
};
enum { FORBIDDEN = sizeof forbidden / sizeof *forbidden };

/* Loads the architecture, then the number; each forbidden number jumps to the last instruction. */
static void restrict_calls(void) {
  struct sock_filter code[FORBIDDEN + 7];
  unsigned short n = 0;
  code[n++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0,
                                           FORBIDDEN + 3); /* other numbers: none */
  code[n++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  /* The numbers of x32 are those of x86-64 and this bit. */
  code[n++] =
      (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, FORBIDDEN + 1, 0);
  for (unsigned int k = 0; k < FORBIDDEN; k++)
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[k],
                                             (unsigned char)(FORBIDDEN - k), 0);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  struct sock_fprog program = {.len = n, .filter = code};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

#else
static void restrict_calls(void) {}
#endif

/* ---- memory and time ---- */

#if defined(__linux__)

/* Generous: what is compiled has at most 1 MB. */
static void restrict_use(pid_t process) {
  static const struct {
    unsigned what; /* glibc: an enum, which is unsigned */
    rlim_t most;
  } limits[] = {{RLIMIT_AS, (rlim_t)4 << 30},      /* bytes */
                {RLIMIT_CPU, 60},                  /* seconds: should nobody be there to end it */
                {RLIMIT_FSIZE, (rlim_t)256 << 20}, /* bytes */
                {RLIMIT_CORE, 0}};
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
    struct rlimit now;
    if (prlimit(process, limits[k].what, NULL, &now) != 0) continue;
    if (now.rlim_max > limits[k].most) now.rlim_max = limits[k].most;
    if (now.rlim_cur > now.rlim_max) now.rlim_cur = now.rlim_max;
    prlimit(process, limits[k].what, &now, NULL);
  }
}

static void give_up_rights(int workshop) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return; /* the others ask for it */
  restrict_files(workshop);
  restrict_calls();
}

#else
static void restrict_use(pid_t process) {
  (void)process;
}
static void give_up_rights(int workshop) {
  (void)workshop;
}
#endif

/* ---- starting ---- */

typedef struct task {
  const brink_confined_start *start;
  pid_t *process;
  int error;
} task;

static void spawn(task *t) {
  const brink_confined_start *s = t->start;
  t->error =
      posix_spawn(t->process, s->program, s->files, s->attributes, s->arguments, s->environment);
  if (t->error == 0) restrict_use(*t->process);
}

static void *spawn_confined(void *user) {
  task *t = user;
  give_up_rights(t->start->workshop);
  spawn(t);
  return NULL;
}

int brink_confined_spawn(const brink_confined_start *start, pid_t *process) {
  task t = {.start = start, .process = process};
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the threads that were there */
  bool made = pthread_create(&thread, NULL, spawn_confined, &t) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (made)
    pthread_join(thread, NULL);
  else
    spawn(&t);
  return t.error;
}
