/* report.h: diagnostics of the language: collected in a unit, sorted, rendered with their source line. */
#ifndef BRINK_LANG_REPORT_H
#define BRINK_LANG_REPORT_H

#include <stdarg.h>

#include "base/base.h"
#include "base/place.h"
#include "lang/messages.h"
#include <brink/hsml.h>

typedef struct brink_unit brink_unit; /* ast.h */

/* What a diagnostic is about: the text of the model, or a setting of the caller (flatten.h). */
typedef enum brink_origin {
  BRINK_ORIGIN_TEXT,
  BRINK_ORIGIN_TOP,    /* the component that runs */
  BRINK_ORIGIN_SET,    /* a value for a parameter, a state or an input */
  BRINK_ORIGIN_DRIVEN, /* an input that a table drives */
} brink_origin;

#define BRINK_NO_FILE UINT32_MAX /* brink_place.file of a diagnostic about a setting */

typedef struct brink_report_item {
  brink_message code;
  brink_severity severity;
  brink_origin origin;
  brink_place place;
  const char *setting; /* what the caller gave, such as "k=abc"; NULL: it is about the text */
  const char *message;
  const char *hint;             /* NULL: none */
  const char *const *arguments; /* of the message, in order; a setting comes first */
  size_t narguments;
  const brink_place *more; /* further places that it is about */
  size_t nmore;
  const char *line_text; /* the source line; brink_report_sort fills it, for the renderer */
  size_t number;         /* in order of arrival, from 0 */
} brink_report_item;

#define BRINK_REPORT_LIMIT 100 /* items in a report */

/* Adds a diagnostic. `hint` may be NULL; the message is a printf format with its arguments: format the hint first,
 * with brink_unit_format. One error a place: a second one at the same line and column is dropped. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
void brink_report(brink_unit *unit, brink_severity severity, brink_message code, brink_place place,
                  const char *hint, const char *format, ...);

/* The same with a list of arguments. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 0)))
#endif
void brink_report_list(brink_unit *unit, brink_severity severity, brink_message code,
                       brink_place place, const char *hint, const char *format, va_list arguments);

/* Further places of the last diagnostic, each shown with its line; `before` is unit->reported before that was added: if
 * it was dropped, so are they. Copied. */
void brink_report_more(brink_unit *unit, size_t before, const brink_place *places, size_t count);

/* Adds an error of a setting that the caller gave. Only the first one is kept. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 0)))
#endif
void brink_report_setting(brink_unit *unit, brink_origin origin, const char *setting,
                          brink_message code, const char *hint, const char *format,
                          va_list arguments);

/* Which of its characters that error is about, from 0. */
void brink_report_setting_at(brink_unit *unit, size_t at, size_t length);
/* A text of one line and, below it, carets: "  1/x\n    ^\n". */
void brink_report_carets(const char *line, size_t at, size_t length, brink_text *text);

/* Items in order of file, line, column; those about settings last. Call before reading unit->items. */
void brink_report_sort(brink_unit *unit);

/* One item as text: "file:line:column: error: message", the source line, a caret line, the hint. An item about a
 * setting: "k=abc: error: message", the hint. Appends to `text` (see base.h). */
void brink_report_render(const brink_unit *unit, const brink_report_item *item, brink_text *text);

/* For a message of a run: the same for any place of the unit, with further ones. `hint` may be NULL. */
void brink_report_render_at(const brink_unit *unit, brink_severity severity,
                            const brink_place *places, size_t count, const char *message,
                            const char *hint, brink_text *text);

/* What has been reported so far, and back to it: for attempts whose diagnostics do not count. */
typedef struct brink_report_mark {
  size_t reported, nerrors, nwarnings, nsettings;
  bool too_many;
} brink_report_mark;

brink_report_mark brink_report_now(const brink_unit *unit);
void brink_report_return(brink_unit *unit, const brink_report_mark *mark);
void brink_report_forget_settings(brink_unit *unit);

/* The item about a setting of the caller; NULL: there is none. */
const brink_report_item *brink_report_of_settings(const brink_unit *unit);

/* ---- for surfaces: one diagnostic, without the unit's tables ---- */

typedef struct brink_report_entry {
  const char *code; /* "unknown-name" */
  brink_severity severity;
  brink_origin origin;
  const char *setting;           /* NULL: it is about the text */
  const char *file;              /* path as the user wrote it; NULL: it is about a setting */
  uint32_t line, column, length; /* from 1, in bytes; 0: it is about a setting */
  const char *const *arguments;
  size_t narguments;
  const char *message, *hint; /* hint: NULL: none */
} brink_report_entry;

/* Item k of a sorted report; false: there are fewer. Texts live as long as the unit. */
bool brink_report_read(const brink_unit *unit, size_t k, brink_report_entry *entry);

/* messages.c: the arguments of a message as texts in the arena, into the item; a setting comes first. False: no
 * memory. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
bool brink_message_arguments(brink_report_item *item, brink_arena *arena, const char *format,
                             va_list list);

#endif
