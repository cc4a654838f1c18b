/* fields.h: lines of comma-separated values (RFC 4180; a value has no line break). */
#ifndef BRINK_SWEEP_FIELDS_H
#define BRINK_SWEEP_FIELDS_H

#include "base/base.h"

/* Adds a value, in quotes where it needs them; line breaks become spaces. */
void brink_fields_add(brink_text *line, const char *value);
/* The same of a number, exactly; NaN: an empty value. */
void brink_fields_add_number(brink_text *line, double value);

/* Cuts a line into its values, in place; `most` of them are kept. Returns how many there are; BRINK_NONE: a quote is not
 * closed, or something follows it. */
size_t brink_fields_cut(char *line, char **fields, size_t most);

#endif
