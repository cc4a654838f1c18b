/* trusted.c: the way to a directory, one name at a time.
 *
 * Each name is opened in the directory before it, without following links, and what was opened is looked at: so there
 * is no moment between the look and the use. */
#define _GNU_SOURCE /* O_PATH: directories that may be passed, but not listed */
#include "native/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS = 40 /* as many as Linux follows */, NOBODY = 65534 };

/* In a container, root of the machine may have no number of its own: its files then belong to "nobody". */
static bool root_has_a_number(void) {
  FILE *map = fopen("/proc/self/uid_map", "re");
  unsigned long first, outside, count;
  bool has = map == NULL;
  while (!has && fscanf(map, "%lu %lu %lu", &first, &outside, &count) == 3)
    has = first == 0 && count > 0;
  if (map != NULL) fclose(map);
  return has;
}

static bool is_trusted_owner(uid_t owner) {
  return owner == geteuid() || owner == 0 || (owner == NOBODY && !root_has_a_number());
}

static bool others_may_write(const struct stat *status) {
  return (status->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* What is left of a way. */
typedef struct way {
  int directory; /* open: so far */
  char rest[BRINK_PATH];
  int links;
} way;

/* The next name of the rest; false: there is none. */
static bool next_name(way *w, char name[BRINK_PATH]) {
  char *from = w->rest + strspn(w->rest, "/");
  size_t length = strcspn(from, "/");
  memcpy(name, from, length);
  name[length] = '\0';
  memmove(w->rest, from + length, strlen(from + length) + 1);
  return length > 0;
}

static bool go_to(way *w, int directory) {
  if (w->directory >= 0) close(w->directory);
  w->directory = directory;
  return directory >= 0;
}

static bool go_to_root(way *w) {
  struct stat status;
  return go_to(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) &&
         fstat(w->directory, &status) == 0 && is_trusted_owner(status.st_uid) &&
         !others_may_write(&status);
}

/* The way goes on where a link leads. */
static bool follow(way *w, int link) {
  char target[BRINK_PATH], joined[BRINK_PATH];
  ssize_t length = readlinkat(link, "", target, sizeof target - 1);
  close(link);
  if (length <= 0 || ++w->links > LINKS) return false;
  target[length] = '\0';
  int needed = snprintf(joined, sizeof joined, "%s/%s", target, w->rest);
  if (needed < 0 || (size_t)needed >= sizeof joined) return false;
  memcpy(w->rest, joined, (size_t)needed + 1);
  return target[0] != '/' || go_to_root(w);
}

static bool enter(way *w, const char *name) {
  struct stat status;
  int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  int found = openat(w->directory, name, flags);
  if (found < 0 && errno == ENOENT && mkdirat(w->directory, name, 0700) == 0)
    found = openat(w->directory, name, flags);
  if (found < 0) return false;
  if (fstat(found, &status) != 0 || !is_trusted_owner(status.st_uid)) {
    close(found);
    return false;
  }
  if (S_ISLNK(status.st_mode)) return follow(w, found);
  if (S_ISDIR(status.st_mode) && (!others_may_write(&status) || (status.st_mode & S_ISVTX) != 0))
    return go_to(w, found);
  close(found);
  return false;
}

static bool begin(way *w, const char *path) {
  char here[BRINK_PATH] = "";
  if (path[0] != '/' && getcwd(here, sizeof here) == NULL) return false;
  int needed = snprintf(w->rest, sizeof w->rest, "%s/%s", here, path);
  return needed > 0 && (size_t)needed < sizeof w->rest && go_to_root(w);
}

int brink_trusted_directory(const char *path) {
  way w = {.directory = -1};
  char name[BRINK_PATH];
  struct stat status;
  int opened = -1;
  bool ok = begin(&w, path);
  while (ok && next_name(&w, name)) ok = enter(&w, name);
  if (ok && fstat(w.directory, &status) == 0 && status.st_uid == geteuid() &&
      !others_may_write(&status))
    opened = openat(w.directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (w.directory >= 0) close(w.directory);
  return opened;
}
