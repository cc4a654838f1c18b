/* file.h: files that are read. Whatever opens a file for reading does it here; replace.h has those that are replaced.
 *
 * Only regular files are opened: a pipe without a writer, a terminal or a device would wait for ever or never end. Files that
 * say that they are regular and wait nevertheless (/proc/kmsg) are an error, too. What may be a stream is named "-", standard
 * input, by the user alone. */
#ifndef BRINK_BASE_FILE_H
#define BRINK_BASE_FILE_H

#include "base/base.h"

#include <stdio.h>

/* Opens a regular file; NULL: *reason says why not. */
FILE *brink_file_open(const char *path, const char **reason);

/* All of a file, or of standard input ("-"), in memory from malloc, with a NUL behind it; at most `limit` bytes. NULL:
 * *reason says why not. */
char *brink_file_read(const char *path, size_t limit, size_t *length, const char **reason);

/* Is this a regular file? If not, *reason says what it is or why it cannot be looked at, and *missing is whether there is
 * nothing that could be one. */
bool brink_file_is_regular(const char *path, const char **reason, bool *missing);

/* Are these two names of one file? */
bool brink_file_is_same(const char *a, const char *b);

/* Adds where the last name of a path leads, link by link, to `target`; there may be nothing there yet. False: out of memory. */
bool brink_file_follow(const char *path, brink_text *target);

/* Creates or empties a file whose name the user has not chosen, for it stands beside another: a link, a pipe or a device of
 * that name is somebody else's, and refused. NULL: errno says why. */
FILE *brink_file_create_aside(const char *path);

/* Is the file in this directory, or below it, wherever links lead? */
bool brink_file_is_inside(const char *path, const char *directory);

/* The first NUL in a text, which ends texts in C: its line and column, from 1. False: there is none. */
bool brink_text_find_nul(const char *text, size_t length, size_t *line, size_t *column);

#endif
