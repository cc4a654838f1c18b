/* cache.c: the directory of compiled objects. In it:
 *
 *   KEY.so   an object; KEY is 64 hexadecimal digits
 *   tmp-…    a directory: a compilation under way
 *   pruned   its time says when old objects were last looked for */
#define _XOPEN_SOURCE 700 /* realpath */
#include "native/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DAY = 24 * 60 * 60, KEEP_DAYS = 30, TEMPORARY_SECONDS = 120, LAST_FILES = 100 };
#define KEEP_BYTES ((uint64_t)256 << 20)

/* ---- trust ---- */

static bool only_ours(const struct stat *status) {
  return status->st_uid == geteuid() && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* ---- directories ---- */

/* Opens a directory if nobody else can change it, or what stands at its name. */
static bool open_directory(brink_cache *cache, const char *path) {
  int fd = brink_trusted_directory(path);
  if (fd < 0) return false;
  if (faccessat(fd, ".", W_OK | X_OK, 0) != 0) {
    close(fd);
    return false;
  }
  cache->directory = fd;
  if (realpath(path, cache->path) == NULL)
    snprintf(cache->path, sizeof cache->path, "%s", path); /* only shown */
  return true;
}

/* A home that is kept through sudo is not the place for root's files. */
static bool is_own_home(const char *home) {
  struct stat status;
  return home != NULL && home[0] == '/' && stat(home, &status) == 0 && status.st_uid == geteuid();
}

/* Where the user keeps caches; false: not known. */
static bool usual_place(char path[BRINK_PATH]) {
  const char *own = getenv("BRINK_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length = -1;
  if (own != NULL && own[0] != '\0')
    length = snprintf(path, BRINK_PATH, "%s", own);
  else if (xdg != NULL && xdg[0] == '/') /* relative ones are to be ignored */
    length = snprintf(path, BRINK_PATH, "%s/brink", xdg);
  else if (is_own_home(home))
    length = snprintf(path, BRINK_PATH, "%s/.cache/brink", home);
  return length > 0 && length < BRINK_PATH;
}

/* Below `parent`, for this one object. */
static bool open_private_in(brink_cache *cache, const char *parent) {
  char path[BRINK_PATH];
  int length = snprintf(path, sizeof path, "%s/brink-XXXXXX", parent);
  if (length < 0 || length >= BRINK_PATH || mkdtemp(path) == NULL) return false;
  if (open_directory(cache, path)) return true;
  rmdir(path);
  return false;
}

static bool open_private(brink_cache *cache, char *reason) {
  const char *temporary = getenv("TMPDIR");
  bool named = temporary != NULL && temporary[0] == '/';
  cache->is_private =
      (named && open_private_in(cache, temporary)) || open_private_in(cache, "/tmp");
  if (!cache->is_private)
    snprintf(reason, BRINK_REASON,
             "there is no directory to compile in that nobody else can change");
  return cache->is_private;
}

bool brink_cache_open_usual(brink_cache *cache, const char *wanted) {
  char path[BRINK_PATH];
  *cache = (brink_cache){.directory = -1};
  if (wanted == NULL && usual_place(path)) wanted = path;
  return wanted != NULL && open_directory(cache, wanted);
}

bool brink_cache_open(brink_cache *cache, const char *wanted, char *reason) {
  return brink_cache_open_usual(cache, wanted) || open_private(cache, reason);
}

/* All files in an open directory. What a compilation leaves, first: that takes no memory, of which there may be none. */
static void remove_all(int directory) {
  static const char *const usual[] = {BRINK_SOURCE, BRINK_MADE, BRINK_LOG};
  for (size_t k = 0; k < sizeof usual / sizeof usual[0]; k++) unlinkat(directory, usual[k], 0);
  int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = again < 0 ? NULL : fdopendir(again);
  if (list == NULL) {
    if (again >= 0) close(again);
    return;
  }
  for (struct dirent *entry; (entry = readdir(list)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(directory, entry->d_name, 0);
  closedir(list);
}

/* A file, or a directory with its files. */
static void remove_entry(const brink_cache *cache, const char *name) {
  if (unlinkat(cache->directory, name, 0) == 0) return;
  int fd = openat(cache->directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  remove_all(fd);
  close(fd);
  unlinkat(cache->directory, name, AT_REMOVEDIR);
}

void brink_cache_close(brink_cache *cache) {
  if (cache->directory < 0) return;
  if (cache->is_private) {
    remove_all(cache->directory);
    rmdir(cache->path);
  }
  close(cache->directory);
  cache->directory = -1;
}

/* ---- seals ---- */

/* What an object ends with. */
typedef struct seal {
  char mark[8];
  unsigned char key[BRINK_SHA256_BYTES];
  unsigned char digest[BRINK_SHA256_BYTES]; /* of all bytes before the seal, and the key */
} seal;

static bool read_exactly(int fd, void *data, size_t length) {
  for (char *to = data; length > 0;) {
    ssize_t n = read(fd, to, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    length -= (size_t)n;
  }
  return true;
}

static bool write_exactly(int fd, const void *data, size_t length) {
  for (const char *from = data; length > 0;) {
    ssize_t n = write(fd, from, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    length -= (size_t)n;
  }
  return true;
}

/* The seal that the first `length` bytes should have. */
static bool make_seal(int fd, uint64_t length, const brink_key *key, seal *made) {
  unsigned char buffer[16384];
  brink_sha256 hash;
  brink_sha256_init(&hash);
  if (lseek(fd, 0, SEEK_SET) != 0) return false;
  while (length > 0) {
    size_t part = length < sizeof buffer ? (size_t)length : sizeof buffer;
    if (!read_exactly(fd, buffer, part)) return false;
    brink_sha256_add(&hash, buffer, part);
    length -= part;
  }
  brink_sha256_add(&hash, key->digest, sizeof key->digest);
  memcpy(made->mark, "brink\1\n", sizeof made->mark);
  memcpy(made->key, key->digest, sizeof made->key);
  brink_sha256_finish(&hash, made->digest);
  return true;
}

static bool is_sealed(int fd, const struct stat *status, const brink_key *key) {
  seal expected, found;
  uint64_t size = (uint64_t)status->st_size;
  if (size < sizeof(seal)) return false;
  return make_seal(fd, size - sizeof(seal), key, &expected) &&
         read_exactly(fd, &found, sizeof found) && memcmp(&expected, &found, sizeof found) == 0;
}

/* ---- objects ---- */

static void object_name(const brink_key *key, char name[BRINK_SHA256_TEXT + 3]) {
  snprintf(name, BRINK_SHA256_TEXT + 3, "%s.so", key->text);
}

/* Objects in use stay young; once a day is enough. */
static void mark_used(int fd, const struct stat *status) {
  if (time(NULL) - status->st_mtime > DAY) futimens(fd, NULL);
}

int brink_cache_find(const brink_cache *cache, const brink_key *key) {
  char name[BRINK_SHA256_TEXT + 3];
  struct stat status;
  object_name(key, name);
  int fd = openat(cache->directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || !only_ours(&status) ||
      !is_sealed(fd, &status, key)) {
    close(fd);
    return -1;
  }
  mark_used(fd, &status);
  return fd;
}

bool brink_cache_begin(const brink_cache *cache, brink_workshop *workshop) {
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(workshop->name, sizeof workshop->name, "tmp-%ld-%lx-%u", (long)getpid(),
             (unsigned long)now.tv_nsec, attempt);
    if (mkdirat(cache->directory, workshop->name, 0700) == 0) {
      workshop->directory =
          openat(cache->directory, workshop->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (workshop->directory >= 0) return true;
      unlinkat(cache->directory, workshop->name, AT_REMOVEDIR);
      return false;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

/* A compiler that was killed may be in the middle of making a last file. */
void brink_cache_end(const brink_cache *cache, brink_workshop *workshop) {
  struct timespec moment = {.tv_nsec = 1000000};
  remove_all(workshop->directory);
  for (int k = 0; k < LAST_FILES; k++) {
    if (unlinkat(cache->directory, workshop->name, AT_REMOVEDIR) == 0 ||
        (errno != ENOTEMPTY && errno != EEXIST))
      break;
    nanosleep(&moment, NULL);
    remove_all(workshop->directory);
  }
  close(workshop->directory);
}

/* The compiler made it, and nothing else has its bytes. */
static bool is_new_object(const struct stat *status) {
  return S_ISREG(status->st_mode) && status->st_uid == geteuid() && status->st_nlink == 1 &&
         status->st_size > 0;
}

int brink_cache_store(const brink_cache *cache, const brink_workshop *workshop,
                      const brink_key *key) {
  char final[BRINK_SHA256_TEXT + 3];
  struct stat status;
  seal made_seal;
  object_name(key, final);
  int fd = openat(workshop->directory, BRINK_MADE, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  /* The compiler's umask may let others write. */
  bool ok = fstat(fd, &status) == 0 && is_new_object(&status) && fchmod(fd, 0600) == 0 &&
            make_seal(fd, (uint64_t)status.st_size, key, &made_seal) &&
            write_exactly(fd, &made_seal, sizeof made_seal) &&
            renameat(workshop->directory, BRINK_MADE, cache->directory, final) == 0;
  if (ok) return fd;
  close(fd);
  return -1;
}

/* ---- forgetting ---- */

static bool is_object(const char *name) {
  return strspn(name, "0123456789abcdef") == 64 && strcmp(name + 64, ".so") == 0;
}

static bool prune_is_due(const brink_cache *cache) {
  struct stat status;
  int fd = openat(cache->directory, "pruned", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool due = fstat(fd, &status) == 0 &&
             (status.st_size == 0 || time(NULL) - status.st_mtime > DAY) && ftruncate(fd, 0) == 0 &&
             write_exactly(fd, "\n", 1);
  close(fd);
  return due;
}

/* Bytes of objects by the hours since they were used: gives the age to remove without a list of files. */
typedef struct ages {
  uint64_t bytes[KEEP_DAYS * 24 + 1];
  time_t now;
} ages;

static size_t hours(const ages *a, time_t used) {
  if (used >= a->now) return 0;
  time_t age = (a->now - used) / 3600;
  return age > KEEP_DAYS * 24 ? KEEP_DAYS * 24 : (size_t)age;
}

/* Calls `visit` for every object and temporary file. */
static void each_file(const brink_cache *cache, ages *a, size_t limit,
                      void (*visit)(const brink_cache *, const char *, const struct stat *, ages *,
                                    size_t)) {
  struct stat status;
  int copy = openat(cache->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = copy < 0 ? NULL : fdopendir(copy);
  if (list == NULL) {
    if (copy >= 0) close(copy);
    return;
  }
  for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
    const char *name = entry->d_name;
    if (!is_object(name) && strncmp(name, "tmp-", 4) != 0) continue;
    if (fstatat(cache->directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
      visit(cache, name, &status, a, limit);
  }
  closedir(list);
}

static void count_file(const brink_cache *cache, const char *name, const struct stat *status,
                       ages *a, size_t limit) {
  (void)cache;
  (void)limit;
  if (is_object(name)) a->bytes[hours(a, status->st_mtime)] += (uint64_t)status->st_size;
}

static void drop_file(const brink_cache *cache, const char *name, const struct stat *status,
                      ages *a, size_t limit) {
  if (is_object(name) && hours(a, status->st_mtime) >= limit) remove_entry(cache, name);
}

/* Of compilers whose program was killed: no compilation takes that long. */
static void drop_remains(const brink_cache *cache, const char *name, const struct stat *status,
                         ages *a, size_t limit) {
  (void)limit;
  if (!is_object(name) && a->now - status->st_mtime > TEMPORARY_SECONDS) remove_entry(cache, name);
}

void brink_cache_prune(const brink_cache *cache) {
  ages a = {.now = time(NULL)};
  uint64_t bytes = 0;
  if (cache->is_private) return;
  each_file(cache, &a, 0, drop_remains);
  if (!prune_is_due(cache)) return;
  each_file(cache, &a, 0, count_file);
  size_t limit = 0;
  while (limit < KEEP_DAYS * 24 && bytes + a.bytes[limit] <= KEEP_BYTES) bytes += a.bytes[limit++];
  each_file(cache, &a, limit > 0 ? limit : 1, drop_file);
}
