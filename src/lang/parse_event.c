/* parse_event.c: loops around events.
 *
 *   events = event | "for" NAME "in" sum ".." sum "loop" {events} "end" "loop" ";"
 *
 * A loop stands in a body only around events. Where it holds something else, a section's first word is missing: that
 * is reported by parse_component.c. */
#include <ctype.h>
#include <string.h>

#include "lang/parser.h"

/* ---- what is in the loop? ---- */

/* Blanks and comments. */
static const char *skip_blanks(const char *at, const char *end) {
  for (; at < end; at++) {
    if (*at == '%')
      while (at < end && *at != '\n') at++;
    else if (!isspace((unsigned char)*at))
      break;
  }
  return at;
}

static const char *skip_word(const char *at, const char *end) {
  while (at < end && (isalnum((unsigned char)*at) || *at == '_')) at++;
  return at;
}

static bool is_word(const char *at, const char *end, const char *word) {
  size_t length = (size_t)(skip_word(at, end) - at);
  if (length != strlen(word)) return false;
  for (size_t k = 0; k < length; k++)
    if (tolower((unsigned char)at[k]) != word[k]) return false;
  return true;
}

/* Looks ahead in the text, further than the parser does: is the first thing behind `loop` an event? */
static bool holds_events(const char *at, const char *end) {
  for (;;) {
    at = skip_blanks(at, end);
    if (at >= end || *at == ';') return false;
    if (!isalpha((unsigned char)*at)) {
      at++;
      continue;
    }
    bool opens = is_word(at, end, "loop");
    at = skip_word(at, end);
    if (!opens) continue;
    at = skip_blanks(at, end);
    if (is_word(at, end, "event")) return true;
    if (!is_word(at, end, "for")) return false;
  }
}

bool brink_parse_at_event_loop(const brink_parser *p) {
  if (!brink_token_is_word(&p->token, "for") || p->next.kind != BRINK_TOKEN_NAME) return false;
  const brink_file *file = &p->unit->files[p->file];
  return holds_events(p->token.start, file->text + file->length);
}

/* ---- the loop ---- */

/* What follows in `end`'s list from `first` on is inside the loop. */
static void put_inside(brink_parser *p, brink_ast_event *first, brink_ast_statement *loop) {
  for (brink_ast_event *event = first; event != NULL; event = event->next) {
    if (event->nloops == BRINK_EVENT_LOOPS) {
      brink_parse_error(p, BRINK_MSG_LOOPS_TOO_DEEP, loop->place, NULL,
                        "loops are nested more than %d deep", BRINK_EVENT_LOOPS);
      return;
    }
    /* Inner loops are read first. */
    memmove(event->loops + 1, event->loops, event->nloops * sizeof *event->loops);
    event->loops[0] = loop;
    event->nloops++;
  }
}

static void not_here(brink_parser *p) {
  brink_parse_panic(p, BRINK_MSG_NOT_IN_EVENT_LOOP, brink_parse_place(p),
                    "for i in 1..n loop event(f[i]) ... end event; end loop;",
                    "a loop in a body holds events, not %s", brink_parse_shown(p, &p->token));
  p->panic = false;
  brink_parse_advance(p);
  while (!brink_parse_at_stop(p) && !brink_token_is_word(&p->token, "for")) brink_parse_advance(p);
}

void brink_parse_event_loop(brink_parser *p, brink_ast_event ***end) {
  brink_ast_event **first = *end;
  brink_open_block open;
  brink_parse_line(p);
  brink_ast_statement *loop = brink_parse_new(p, BRINK_STATEMENT_FOR, brink_parse_place(p));
  brink_ast_statement head = {.symbol = NULL};
  brink_parse_for_head(p, &head, &open);
  open.rank = BRINK_RANK_SECTION;
  for (;;) {
    brink_parse_more(p);
    const char *start = p->token.start;
    p->indent++;
    bool event = brink_token_is_word(&p->token, "event");
    bool inner = !event && brink_parse_at_event_loop(p);
    if (event) brink_parse_event(p, end);
    if (inner) brink_parse_event_loop(p, end);
    p->indent--;
    if (event || inner) continue;
    if (brink_parse_at_stop(p)) {
      if (brink_parse_close_block(p)) break;
    } else {
      not_here(p);
    }
    if (p->token.start == start) brink_parse_advance(p);
  }
  **end = NULL;
  if (loop == NULL || head.symbol == NULL) return;
  loop->symbol = head.symbol;
  loop->lo = head.lo;
  loop->hi = head.hi;
  put_inside(p, *first, loop);
}
