/* file.c: files that are read. See file.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *reason_of(int error) {
  switch (error) {
  case ENOENT:
    return "no such file";
  case EACCES:
  case EPERM:
    return "permission denied";
  case EISDIR:
    return "it is a directory";
  case ENOTDIR:
    return "a part of its path is not a directory";
  case ENAMETOOLONG:
    return "its name is too long";
  case ENOMEM:
    return "out of memory";
  case ELOOP:
    return "its links lead nowhere";
  }
  return "it cannot be read";
}

/* NULL: it is one that can be read. */
static const char *reason_of_kind(const struct stat *status) {
  if (S_ISREG(status->st_mode)) return NULL;
  return S_ISDIR(status->st_mode) ? reason_of(EISDIR) : "it is not a regular file";
}

/* Opening a pipe does not wait for its writer; nor does reading what is no file in truth. */
FILE *brink_file_open(const char *path, const char **reason) {
  struct stat status;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) {
    /* A socket cannot be opened at all. */
    *reason = errno == ENXIO ? "it is not a regular file" : reason_of(errno);
    return NULL;
  }
  *reason = fstat(fd, &status) == 0 ? reason_of_kind(&status) : reason_of(errno);
  FILE *stream = *reason == NULL ? fdopen(fd, "rb") : NULL;
  if (stream != NULL) return stream;
  if (*reason == NULL) *reason = reason_of(errno);
  close(fd);
  return NULL;
}

static char *read_stream(FILE *stream, size_t limit, size_t *length, const char **reason) {
  size_t size = 0, capacity = (size_t)1 << 16;
  char *text = malloc(capacity);
  errno = 0;
  while (text != NULL) {
    size += fread(text + size, 1, capacity - 1 - size, stream);
    if (size < capacity - 1) break; /* the end, or an error */
    if (size > limit) break;
    char *larger = realloc(text, 2 * capacity);
    if (larger == NULL) free(text);
    text = larger;
    capacity *= 2;
  }
  if (text == NULL)
    *reason = reason_of(ENOMEM);
  else if (ferror(stream))
    *reason = reason_of(errno);
  else if (size > limit)
    *reason = limit >= (size_t)1 << 30 ? "it is larger than 1 GiB" : "it is larger than 64 MiB";
  else {
    text[size] = '\0';
    *length = size;
    return text;
  }
  free(text);
  return NULL;
}

char *brink_file_read(const char *path, size_t limit, size_t *length, const char **reason) {
  if (strcmp(path, "-") == 0) return read_stream(stdin, limit, length, reason);
  FILE *stream = brink_file_open(path, reason);
  if (stream == NULL) return NULL;
  char *text = read_stream(stream, limit, length, reason);
  fclose(stream);
  return text;
}

bool brink_file_is_regular(const char *path, const char **reason, bool *missing) {
  struct stat found;
  bool there = stat(path, &found) == 0;
  *reason = there ? reason_of_kind(&found) : reason_of(errno);
  *missing = there ? S_ISDIR(found.st_mode) : errno == ENOENT || errno == ENOTDIR;
  return *reason == NULL;
}

bool brink_file_is_same(const char *a, const char *b) {
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

bool brink_file_follow(const char *path, brink_text *target) {
  struct stat status;
  char link[PATH_MAX];
  brink_text_add(target, "%s", path);
  for (int links = 0; links < 40 && !target->failed; links++) {
    if (lstat(target->data, &status) != 0 || !S_ISLNK(status.st_mode)) break;
    ssize_t length = readlink(target->data, link, sizeof link - 1);
    if (length <= 0) break;
    link[length] = '\0';
    const char *slash = strrchr(target->data, '/');
    target->length = link[0] == '/' || slash == NULL ? 0 : (size_t)(slash - target->data) + 1;
    brink_text_append(target, link, (size_t)length);
  }
  return !target->failed;
}

/* One that is no file would wait (a pipe) or be written elsewhere (a link). */
FILE *brink_file_create_aside(const char *path) {
  struct stat status;
  int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  if (fd < 0) return NULL;
  bool fine = fstat(fd, &status) == 0;
  if (fine && !S_ISREG(status.st_mode)) {
    errno = EEXIST;
    fine = false;
  }
  FILE *stream = fine && ftruncate(fd, 0) == 0 ? fdopen(fd, "wb") : NULL;
  if (stream != NULL) return stream;
  int number = errno;
  close(fd);
  errno = number;
  return NULL;
}

bool brink_file_is_inside(const char *path, const char *directory) {
  char file[PATH_MAX], folder[PATH_MAX]; /* a lack of memory must not be an answer */
  if (realpath(path, file) == NULL || realpath(directory, folder) == NULL) return false;
  size_t length = strlen(folder);
  if (length > 0 && folder[length - 1] == '/') length--; /* the root */
  return strncmp(file, folder, length) == 0 && file[length] == '/';
}

bool brink_text_find_nul(const char *text, size_t length, size_t *line, size_t *column) {
  const char *nul = length > 0 ? memchr(text, '\0', length) : NULL;
  if (nul == NULL) return false;
  *line = *column = 1;
  for (const char *c = text; c < nul; c++) {
    *column = *c == '\n' ? 1 : *column + 1;
    *line += *c == '\n';
  }
  return true;
}
