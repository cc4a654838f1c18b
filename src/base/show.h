/* show.h: texts that others wrote, as they may be shown on a terminal.
 *
 * Names of files, cells of tables, strings of models: a control character in them could move the cursor, change colours, hide or
 * turn round what stands beside it, or begin a line that looks like one of ours. Whatever prints such a text passes it through here:
 * such characters are shown as \n, \t, \x1b or \u202e, as well as bytes that are no UTF-8. */
#ifndef BRINK_BASE_SHOW_H
#define BRINK_BASE_SHOW_H

#include <stdarg.h>

#include "base/base.h"

/* One character of UTF-8: its length, or 0 if it is none. Overlong forms, surrogates and numbers beyond Unicode are none. */
size_t brink_utf8_decode(const char *at, const char *end, uint32_t *code);

/* Characters that are not seen but do something: controls (C0, DEL, C1), ends of lines and paragraphs, and marks of direction. */
bool brink_is_control(uint32_t code);

/* The character at `at`, as it is shown, with a NUL at the end; returns how many bytes of the text it is. */
enum { BRINK_SHOWN = 8 };
size_t brink_show_character(const char *at, const char *end, char shown[BRINK_SHOWN]);

/* Appends a text as it is shown, all of it. */
void brink_text_show(brink_text *text, const char *foreign);

/* The same for a message, which may quote a text of any length: of a line that is longer than this the middle is left out. */
enum { BRINK_SHOWN_LINE = 600 };
void brink_text_show_message(brink_text *text, const char *message);

/* The same for a message that may show a place in what was given: lines that begin with two spaces stay lines. No other ones can
 * be made to look like ours. */
void brink_text_show_lines(brink_text *text, const char *message);

/* As vsnprintf; where the buffer, of 32 bytes or more, is too small, the middle is left out: the reason stands at the end. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
void brink_format_short(char *text, size_t size, const char *format, va_list arguments);

/* Makes a text in a buffer of `size` bytes what it is shown as, with lines that begin with two spaces, cut where
 * it is full. */
void brink_show_in_place(char *text, size_t size);

#endif
