/* csv.h: the fields of CSV files, as people have them.
 *
 * A file is read as RFC 4180 says: fields may be quoted, lines end with LF or CRLF. Beyond that: fields are separated by
 * ',', or by ';' or tabs, if the line of names says so (numbers may then have decimal commas); lines that begin with '#'
 * are comments, also the one that names the columns, as NumPy writes it; names may have units, "u [m/s]" or "u (m/s)".
 * What columns and cells mean is left to the caller. */
#ifndef BRINK_BASE_CSV_H
#define BRINK_BASE_CSV_H

#include "base/base.h"

/* A text that fields are cut out of. */
typedef struct brink_csv {
  char *at;
  char *line_start; /* of the present line */
  size_t line;      /* of the next field, from 1 */
  char separator;
  bool line_ends; /* the last field was the last of its line */
  bool unclosed;  /* a quote that nothing closes */
} brink_csv;

/* How a text begins. */
typedef enum brink_csv_start {
  BRINK_CSV_NAMES,
  BRINK_CSV_NUMBERS, /* the first line has numbers */
  BRINK_CSV_UTF16,
} brink_csv_start;

/* Does it begin with a mark of UTF-16? Then NULs in it are no surprise. */
bool brink_csv_is_utf16(const char *text);
/* To the line that names the columns. */
brink_csv_start brink_csv_open(brink_csv *csv, char *text);
/* Over comments and empty lines, to a row. False: the text is over. */
bool brink_csv_next_row(brink_csv *csv);
/* The next field, cut out; NULL: the text is over. */
char *brink_csv_field(brink_csv *csv);
/* Where a field begins in its line, from 1. */
size_t brink_csv_column(const brink_csv *csv, const char *field);
/* How many fields the present line may have, at most. */
size_t brink_csv_fields(const brink_csv *csv);
/* How many rows the rest may have, at most. */
size_t brink_csv_rows(const brink_csv *csv);

/* A field without the spaces around it. */
char *brink_csv_trim(char *field);
/* Cuts the unit off a name: "u [m/s]" and "u (m/s)" have one, "u[2]" is an element. Returns the name; *unit NULL: none. */
char *brink_csv_unit(char *name, char **unit);
/* Marks the columns that have the name of an earlier one. A name may be NULL: then it is like none. False: out of memory. */
bool brink_csv_mark_repeated(const char *const *names, size_t count, bool *again,
                             brink_arena *scratch);
/* Decimal commas become points, where fields are not separated by commas. */
void brink_csv_mend(const brink_csv *csv, char *cell);
/* Is the cell a finite number, and nothing else? */
bool brink_csv_number(const char *cell, double *value);

#endif
