/* formats.h: the messages that a module can report, read from its sources.
 *
 * Every call of a reporting function has a printf format among its arguments. A test that provokes
 * all of them needs to know what "all" is; a list kept by hand would go stale. */
#ifndef BRINK_TESTS_FORMATS_H
#define BRINK_TESTS_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

/* A reporting function, and which of its arguments are the code and the format (from 0). */
typedef struct reporter {
  const char *name;
  int code, format;
} reporter;

typedef struct message_format {
  char code[64]; /* "unknown-name": what stands behind BRINK_MSG_, as codes are written */
  char *text;
  bool of_setting; /* reported about a setting, which is the first argument */
  char place[64];  /* file:line of the call */
  bool seen;
} message_format;

typedef struct format_list {
  message_format *item;
  size_t count, capacity;
} format_list;

/* Adds the formats in all .c files of a directory; false if it cannot be read. Equal texts of one code count as one. */
bool formats_collect(format_list *list, const char *directory, const reporter *reporters,
                     size_t count);
/* Marks every format of this code that could have made this message. Was there any? */
bool formats_see(format_list *list, const char *code, const char *message);
/* How many arguments it has. */
size_t format_arguments(const message_format *format);
/* Those of src/lang below the directory of the sources. */
bool formats_collect_lang(format_list *list, const char *source_directory);
void formats_free(format_list *list);

/* The text of a file, NUL at the end, from malloc; NULL if it cannot be read. */
char *read_whole_file(const char *path, size_t *length);
/* Makes a folder for temporary files, in TMPDIR or /tmp, and writes its path; false if it cannot. */
bool make_temporary_folder(char *path, size_t size);
/* The names in a directory that end so, sorted, from malloc (each, and the list). */
char **list_directory(const char *directory, const char *ending, size_t *count);

#endif
