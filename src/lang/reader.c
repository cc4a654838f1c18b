/* reader.c: files from disk, or from standard input ("-"). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lang/ast.h"

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
  }
  return "it cannot be read";
}

/* All of a stream, with a NUL at the end. */
static char *read_stream(FILE *stream, size_t *length, const char **reason) {
  size_t size = 0, capacity = (size_t)1 << 16;
  char *text = malloc(capacity);
  while (text != NULL) {
    size += fread(text + size, 1, capacity - 1 - size, stream);
    if (size < capacity - 1) break; /* the end, or an error */
    if (size > BRINK_FILE_LIMIT) break;
    char *larger = realloc(text, 2 * capacity);
    if (larger == NULL) free(text);
    text = larger;
    capacity *= 2;
  }
  if (text == NULL)
    *reason = reason_of(ENOMEM);
  else if (ferror(stream))
    *reason = reason_of(errno);
  else if (size > BRINK_FILE_LIMIT)
    *reason = "it is larger than 64 MiB";
  else {
    text[size] = '\0';
    *length = size;
    return text;
  }
  free(text);
  return NULL;
}

static char *read_file(const char *path, size_t *length, const char **reason, void *user) {
  (void)user;
  if (strcmp(path, "-") == 0) return read_stream(stdin, length, reason);
  errno = 0;
  FILE *stream = fopen(path, "rb");
  if (stream == NULL) {
    *reason = reason_of(errno);
    return NULL;
  }
  char *text = read_stream(stream, length, reason);
  fclose(stream);
  return text;
}

/* Only regular files are imported: a directory has no text, and reading a pipe would wait for ever. */
static brink_file_found look_for(const char *path, const char **reason, void *user) {
  struct stat found;
  (void)user;
  bool there = stat(path, &found) == 0;
  if (there && S_ISREG(found.st_mode)) return BRINK_FILE_FOUND;
  *reason = !there                   ? reason_of(errno)
            : S_ISDIR(found.st_mode) ? reason_of(EISDIR)
                                     : "it is not a regular file";
  bool nothing = there ? S_ISDIR(found.st_mode) : errno == ENOENT || errno == ENOTDIR;
  return nothing ? BRINK_FILE_NOTHING : BRINK_FILE_NO_TEXT;
}

static bool is_same_file(const char *a, const char *b, void *user) {
  struct stat first, second;
  (void)user;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

const brink_reader brink_file_reader = {.read = read_file, .look = look_for, .same = is_same_file};
