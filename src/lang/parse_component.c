/* parse_component.c: components, their sections, events.
 *
 *   component = ["partial"] kind NAME ["extends" NAME] "is" {interface | body} "end" NAME ";"
 *   kind      = "ctc" | "dtc" | "lbc" | "composite" | "system"
 *   interface = "interface" {declaration} "end" "interface" ";"
 *   body      = "body" {section | event} "end" "body" ";"
 *   section   = NAME ... "end" NAME ";"
 *
 * Every section is read in every kind of component; the checker decides which kind may have which. */
#include <string.h>

#include "lang/parser.h"

/* What the sections that consist of statements may hold. */
static const unsigned section_may[BRINK_SECTION_COUNT] = {
    [BRINK_SECTION_INITIAL] =
        BRINK_MAY_ASSIGN | BRINK_MAY_GUESS | BRINK_MAY_IF | BRINK_MAY_FOR | BRINK_MAY_LET,
    [BRINK_SECTION_DYNAMICS] = BRINK_MAY_EQUATE | BRINK_MAY_IF | BRINK_MAY_FOR,
    [BRINK_SECTION_CONSTRAINTS] =
        BRINK_MAY_EQUATE | BRINK_MAY_IF | BRINK_MAY_FOR | BRINK_MAY_IMPLICIT,
    [BRINK_SECTION_OUTPUT] = BRINK_MAY_EQUATE | BRINK_MAY_IF | BRINK_MAY_FOR,
    [BRINK_SECTION_UPDATE] = BRINK_ACTION,
    [BRINK_SECTION_RULES] = BRINK_MAY_WHEN | BRINK_MAY_FOR,
    [BRINK_SECTION_CONNECTIONS] = BRINK_MAY_CONNECT | BRINK_MAY_FOR,
};

/* ---- sections ---- */

/* {declaration} */
static void parse_declarations(brink_parser *p, bool in_interface) {
  do {
    p->indent++;
    while (brink_parse_more(p)) brink_parse_declaration(p, in_interface);
    p->indent--;
  } while (!brink_parse_close_block(p));
}

/* A loop over values: kept as a statement whose body assigns. */
static void parse_value_loop(brink_parser *p, brink_ast_section *section) {
  brink_block_add(p, &section->body, brink_parse_statement(p, BRINK_MAY_FOR | BRINK_MAY_VALUE));
}

/* {value ";" | for} */
static void parse_values(brink_parser *p, brink_section_kind kind, brink_ast_section *section) {
  size_t begin = brink_list_begin(p);
  for (size_t i = 0; i < section->nvalues; i++)
    brink_list_add(p, &section->values[i], sizeof section->values[i]);
  do {
    p->indent++;
    while (brink_parse_more(p)) {
      const char *start = p->token.start;
      brink_ast_value value;
      if (kind == BRINK_SECTION_ASSIGNMENTS && brink_token_is_word(&p->token, "for") &&
          p->next.kind == BRINK_TOKEN_NAME) {
        parse_value_loop(p, section);
        continue;
      }
      uint32_t line = p->token.line;
      brink_parse_line(p);
      if (brink_parse_value(p, &value)) brink_list_add(p, &value, sizeof value);
      brink_parse_headless(p, BRINK_MAY_FOR | BRINK_MAY_VALUE, line);
      if (p->token.start == start && !brink_parse_at_stop(p)) brink_parse_advance(p);
    }
    p->indent--;
  } while (!brink_parse_close_block(p));
  section->values = brink_list_take(p, begin, sizeof *section->values, &section->nvalues);
}

static void parse_contents(brink_parser *p, brink_section_kind kind, brink_ast_section *section) {
  switch (kind) {
  case BRINK_SECTION_INTERFACE:
  case BRINK_SECTION_DECLARATIONS:
    parse_declarations(p, kind == BRINK_SECTION_INTERFACE);
    return;
  case BRINK_SECTION_COMPONENTS:
    brink_parse_instances(p);
    return;
  case BRINK_SECTION_AGENTS:
    brink_parse_agents(p);
    return;
  case BRINK_SECTION_SIMULATION:
  case BRINK_SECTION_ASSIGNMENTS:
    parse_values(p, kind, section);
    return;
  default:
    break;
  }
  brink_ast_block block = {.count = 0};
  brink_parse_statements(p, section_may[kind], &block);
  if (section->body.count == 0)
    section->body = block;
  else
    brink_block_join(p, &section->body, &block);
}

/* A second section of one kind is an error; its contents join the first. */
static void begin_section(brink_parser *p, brink_section_kind kind, brink_ast_section *section) {
  if (section->present) {
    brink_parse_error(p, BRINK_MSG_SECOND_SECTION, brink_parse_place(p),
                      brink_unit_format(p->unit, "the first one is at %u:%u",
                                        (unsigned)section->place.line,
                                        (unsigned)section->place.column),
                      "a second '%s' section", brink_section_name(kind));
    section->damaged = true;
    return;
  }
  section->present = true;
  section->place = brink_parse_place(p);
}

void brink_parse_section_body(brink_parser *p, brink_section_kind kind,
                              brink_ast_section *section) {
  size_t losses = p->losses;
  brink_open_block open;
  brink_block_rank rank = kind == BRINK_SECTION_INTERFACE ? BRINK_RANK_PART
                          : kind == BRINK_SECTION_AGENTS  ? BRINK_RANK_AGENTS
                                                          : BRINK_RANK_SECTION;
  brink_parse_line(p);
  begin_section(p, kind, section);
  brink_parse_open(p, &open, brink_section_name(kind), rank, &p->token);
  if (!brink_token_is_word(&p->token, open.name)) open.alias = brink_parse_name(p, &p->token);
  brink_parse_keyword(p);
  bool equation = brink_parse_is(p, "equation") || brink_parse_is(p, "algorithm");
  if (kind == BRINK_SECTION_INITIAL && equation && !brink_token_is_defining(p->next.kind)) {
    p->losses++;
    brink_parse_error(p, BRINK_MSG_UNKNOWN_SECTION, brink_parse_place(p),
                      "where a state starts is assigned: initial x := 1.0; end initial;",
                      "unknown section '%s'", "initial equation");
    p->quiet++;
    brink_parse_advance(p);
    parse_contents(p, kind, section);
    p->quiet--;
  } else {
    parse_contents(p, kind, section);
  }
  if (p->losses != losses) section->damaged = true;
}

/* ---- events ---- */

typedef struct action_place {
  brink_ast_block *block;
  bool *present;
  const char *name;
  unsigned may;
} action_place;

static action_place action_of(brink_ast_event *event, brink_token_kind kind) {
  if (kind == BRINK_TOKEN_NEGATIVE_GOING)
    return (action_place){&event->negative, &event->has_negative, "negative-going", BRINK_ACTION};
  if (kind == BRINK_TOKEN_POSITIVE_GOING)
    return (action_place){&event->positive, &event->has_positive, "positive-going", BRINK_ACTION};
  return (action_place){&event->on, &event->has_on, "on-event",
                        BRINK_ACTION | BRINK_MAY_EQUATE | BRINK_MAY_LEAVE};
}

/* action = ("negative-going" | "positive-going" | "on-event") {statement} "end" (the same) ";" */
static void parse_action(brink_parser *p, brink_ast_event *event) {
  action_place action = action_of(event, p->token.kind);
  brink_open_block open;
  brink_ast_block block = {.count = 0};
  brink_parse_line(p);
  if (*action.present)
    brink_parse_error(p, BRINK_MSG_SECOND_ACTION, brink_parse_place(p), NULL,
                      "a second '%s' of this event", action.name);
  *action.present = true;
  brink_parse_open(p, &open, action.name, BRINK_RANK_ACTION, &p->token);
  if (p->token.length != strlen(action.name)) open.alias = brink_parse_name(p, &p->token);
  brink_parse_keyword(p);
  brink_parse_statements(p, action.may, &block);
  brink_block_join(p, action.block, &block);
}

/* Not one of the three words, where one of them must be. */
static void parse_no_action(brink_parser *p) {
  static const char *const words[] = {"negative-going", "positive-going", "on-event"};
  static const brink_token_kind kinds[] = {BRINK_TOKEN_NEGATIVE_GOING, BRINK_TOKEN_POSITIVE_GOING,
                                           BRINK_TOKEN_ON_EVENT};
  const char *best = NULL, *hint = NULL;
  size_t guess = 0;
  static const char *const others[] = {"falling", "rising", "when"};
  if (p->token.kind == BRINK_TOKEN_NAME && !brink_token_is_defining(p->next.kind)) {
    for (size_t k = 0; k < 2; k++)
      if (brink_token_is_word(&p->token, others[k])) best = words[k], guess = k;
    for (size_t k = 0; k < 3 && best == NULL; k++) {
      const char *near = brink_nearest(brink_parse_name(p, &p->token), words[k], best);
      if (near != best) best = near, guess = k;
    }
    hint = brink_parse_did_you_mean(p, best);
  }
  if (best != NULL) {
    brink_parse_error(p, BRINK_MSG_UNKNOWN_EVENT_PART, brink_parse_place(p), hint,
                      "an event has no part %s", brink_parse_shown(p, &p->token));
    p->token.kind = kinds[guess];
    return;
  }
  brink_parse_panic(p, BRINK_MSG_NOT_IN_EVENT, brink_parse_place(p),
                    "actions belong in 'negative-going', 'positive-going' or 'on-event'",
                    "%s is not allowed in an event by itself", brink_parse_shown(p, &p->token));
  p->panic = false;
  brink_parse_advance(p);
  while (!brink_parse_at_stop(p)) brink_parse_advance(p);
  if (p->token.kind != BRINK_TOKEN_END || !brink_token_is_action(p->next.kind)) return;
  brink_parse_advance(p); /* the end of what had no beginning */
  brink_parse_advance(p);
  brink_parse_accept(p, BRINK_TOKEN_SEMICOLON);
}

/* full[i] */
static void parse_event_element(brink_parser *p, brink_ast_event *event) {
  brink_ast_expr *path = brink_parse_expression(p);
  if (path->op == BRINK_AST_DAMAGED) return;
  if (path->op != BRINK_AST_NAME || path->nparts != 1) {
    brink_parse_panic(p, BRINK_MSG_EVENT_OF_AN_EXPRESSION, path->place,
                      "declare a flag, define it in dynamics, and name it here",
                      "an event is of a flag, or of one of its elements");
    return;
  }
  event->element = path;
  event->flag_name = path->part[0].name;
  event->flag_place = path->place;
}

static void parse_event_flag(brink_parser *p, brink_ast_event *event) {
  brink_token open = p->token, name;
  if (p->token.kind == BRINK_TOKEN_NAME && !p->token.first)
    brink_parse_panic(p, BRINK_MSG_EXPECTED, brink_parse_place(p),
                      brink_unit_format(p->unit, "write event(%s)", brink_parse_name(p, &p->token)),
                      "expected %s, found %s", "'(' and the name of a flag",
                      brink_parse_shown(p, &p->token));
  brink_parse_expect(p, BRINK_TOKEN_LPAREN, "'(' and the name of a flag");
  if (p->token.kind == BRINK_TOKEN_NAME && p->next.kind == BRINK_TOKEN_LBRACKET && !p->panic) {
    parse_event_element(p, event);
  } else if (brink_parse_expect_name(p, "the name of a flag", &name)) {
    event->flag_name = brink_parse_name(p, &name);
    event->flag_place = brink_token_place(p->file, &name);
  }
  if (!p->panic && p->token.kind >= BRINK_TOKEN_PLUS && p->token.kind <= BRINK_TOKEN_NE)
    brink_parse_panic(p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p),
                      "declare a flag, define it in dynamics, and name it here",
                      "expected '%s', found %s", ")", brink_parse_shown(p, &p->token));
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  if (!p->panic && p->token.kind == BRINK_TOKEN_SEMICOLON) {
    brink_parse_error(p, BRINK_MSG_EVENT_SEMICOLON, brink_parse_place(p),
                      "leave it out; the event ends with 'end event;'",
                      "a ';' after the head of an event");
    brink_parse_advance(p);
  }
  if (!p->panic) return;
  p->panic = false; /* the parts of the event follow all the same */
  while (!brink_parse_at_stop(p) && !p->token.first) brink_parse_advance(p);
}

/* The actions of a timer stand in the event itself. Its declaration may come later. */
static bool is_of_timer(const brink_parser *p, const brink_ast_event *event) {
  const brink_component *c = p->component;
  if (c == NULL || event->flag_name == NULL || brink_parse_at_stop(p)) return false;
  for (const brink_symbol *s = c->symbols; s != NULL; s = s->next)
    if (strcmp(s->name, event->flag_name) == 0) return s->timer;
  return !c->section[BRINK_SECTION_DECLARATIONS].present &&
         (p->token.kind == BRINK_TOKEN_IF || brink_token_is_defining(p->next.kind));
}

static void parse_plain(brink_parser *p, brink_ast_event *event) {
  brink_ast_block block = {.count = 0};
  event->has_plain = true;
  brink_parse_statements(p, BRINK_ACTION, &block);
  brink_block_join(p, &event->plain, &block);
}

/* event = "event" "(" NAME ["[" expression "]"] ")" ({action} | {statement}) "end" "event" ";" */
void brink_parse_event(brink_parser *p, brink_ast_event ***end) {
  brink_ast_event *event = brink_unit_take(p->unit, 1, sizeof *event);
  if (event == NULL) {
    brink_parse_abandon(p);
    return;
  }
  size_t losses = p->losses;
  brink_open_block open;
  brink_parse_line(p);
  event->place = brink_parse_place(p);
  brink_parse_open(p, &open, "event", BRINK_RANK_SECTION, &p->token);
  if (!brink_token_is_word(&p->token, "event")) open.alias = brink_parse_name(p, &p->token);
  brink_parse_keyword(p);
  parse_event_flag(p, event);
  if (is_of_timer(p, event)) parse_plain(p, event);
  while (!event->has_plain) {
    p->indent++;
    if (brink_parse_more(p)) parse_no_action(p);
    bool action = brink_token_is_action(p->token.kind) && brink_parse_at_stop(p);
    if (action) parse_action(p, event);
    p->indent--;
    if (!action && brink_parse_at_stop(p) && brink_parse_close_block(p)) break;
  }
  event->damaged = p->losses != losses || event->flag_name == NULL;
  if (event->flag_name == NULL) return; /* the checker has nothing to check */
  **end = event;
  *end = &event->next;
}

/* ---- body ---- */

static brink_section_kind find_section(const brink_token *token) {
  if (token->kind == BRINK_TOKEN_NAME)
    for (int kind = 0; kind < BRINK_SECTION_COUNT; kind++)
      if (brink_token_is_word(token, brink_section_name((brink_section_kind)kind)))
        return (brink_section_kind)kind;
  return BRINK_SECTION_COUNT;
}

/* Does the current token name a section, nearly or exactly? What is near is reported. */
static brink_section_kind guess_section(brink_parser *p) {
  brink_section_kind kind = find_section(&p->token);
  if (kind == BRINK_SECTION_OUTPUT && brink_parse_at_declaration(p)) return BRINK_SECTION_COUNT;
  if (kind != BRINK_SECTION_COUNT || p->token.kind != BRINK_TOKEN_NAME) return kind;
  if (brink_token_is_defining(p->next.kind) || brink_parse_at_declaration(p) ||
      brink_parse_at_opening(p))
    return kind;
  const char *name = brink_parse_name(p, &p->token), *best = NULL;
  if (brink_foreign_hint(BRINK_FOREIGN_SECTION, name) != NULL) return kind;
  bool event = p->next.kind == BRINK_TOKEN_LPAREN; /* the only one with a parenthesis */
  for (int k = event ? BRINK_SECTION_EVENT : 0; k < BRINK_SECTION_COUNT; k++) {
    const char *near = brink_nearest(name, brink_section_name((brink_section_kind)k), best);
    if (near != best) best = near, kind = (brink_section_kind)k;
  }
  if (best != NULL)
    brink_parse_error(p, BRINK_MSG_UNKNOWN_SECTION, brink_parse_place(p),
                      brink_parse_did_you_mean(p, best), "unknown section '%s'", name);
  return kind;
}

static void parse_section(brink_parser *p, brink_section_kind kind) {
  brink_component *c = p->component;
  if (kind != BRINK_SECTION_EVENT) {
    if (kind == BRINK_SECTION_INTERFACE && brink_parse_inside(p, "body"))
      brink_parse_error(p, BRINK_MSG_INTERFACE_IN_BODY, brink_parse_place(p), NULL,
                        "the interface belongs beside the body, not in it");
    brink_parse_section_body(p, kind, &c->section[kind]);
    return;
  }
  brink_ast_section *section = &c->section[BRINK_SECTION_EVENT];
  if (!section->present) section->place = brink_parse_place(p);
  section->present = true;
  if (brink_parse_at_event_loop(p))
    brink_parse_event_loop(p, &p->events_end);
  else
    brink_parse_event(p, &p->events_end);
}

/* The contents of a section whose first word is missing: one error, however long it is. */
static void parse_headless(brink_parser *p, brink_section_kind kind) {
  brink_open_block open;
  const char *name = brink_section_name(kind);
  brink_ast_section *section = &p->component->section[kind];
  bool rule = kind == BRINK_SECTION_RULES && p->component->kind == BRINK_CTC;
  brink_parse_error(
      p, BRINK_MSG_OUTSIDE_OF_SECTION, brink_parse_place(p),
      rule ? "in a ctc, declare a flag, and write event(flag) ... end event;"
           : brink_unit_format(p->unit, "write '%s' before it, and 'end %s;' after it", name, name),
      "%s outside of '%s'", brink_parse_shown(p, &p->token), name);
  if (!section->present) section->place = brink_parse_place(p);
  section->present = section->damaged = true;
  p->muted = p->token.start;
  brink_parse_open(p, &open, name,
                   kind == BRINK_SECTION_AGENTS      ? BRINK_RANK_AGENTS
                   : kind == BRINK_SECTION_INTERFACE ? BRINK_RANK_PART
                                                     : BRINK_RANK_SECTION,
                   &p->token);
  open.implied = true;
  if (rule) {
    p->component->holes = true;
    section->present = false; /* it is no rule */
    p->quiet++;
  }
  parse_contents(p, kind, section);
  if (rule) p->quiet--;
}

/* Which section would hold what stands here? COUNT: that is not clear. */
static brink_section_kind section_for(const brink_parser *p) {
  static const struct {
    const char *word;
    brink_section_kind kind;
  } known[] = {{"connect", BRINK_SECTION_CONNECTIONS},
               {"population", BRINK_SECTION_AGENTS},
               {"pair", BRINK_SECTION_AGENTS},
               {"when", BRINK_SECTION_RULES}};
  if (brink_parse_at_declaration(p)) return BRINK_SECTION_DECLARATIONS;
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
    if (brink_token_is_word(&p->token, known[k].word) && !brink_token_is_defining(p->next.kind))
      return known[k].kind;
  return BRINK_SECTION_COUNT;
}

/* Something in a body that begins no section. */
static void parse_no_section(brink_parser *p) {
  brink_section_kind kind = section_for(p);
  if (kind != BRINK_SECTION_COUNT) {
    parse_headless(p, kind);
    return;
  }
  bool statement = brink_token_is_defining(p->next.kind) || p->token.kind != BRINK_TOKEN_NAME ||
                   brink_parse_at_opening(p) || p->next.kind == BRINK_TOKEN_LBRACKET ||
                   p->next.kind == BRINK_TOKEN_DOT;
  brink_place place = brink_parse_place(p);
  const char *shown = brink_parse_shown(p, &p->token), *name = brink_parse_name(p, &p->token);
  bool bad = p->token.kind == BRINK_TOKEN_BAD;
  p->component->holes = true; /* the checker reports nothing as missing */
  brink_parse_advance(p);
  if (!statement) {
    const char *other = brink_foreign_hint(BRINK_FOREIGN_SECTION, name);
    brink_parse_panic(
        p, BRINK_MSG_UNKNOWN_SECTION, place,
        other != NULL
            ? other
            : "sections are declarations, initial, dynamics, constraints, output, update, "
              "rules, event, components, connections, agents, simulation and assignments",
        "unknown section '%s'", name);
    brink_parse_skip_block(p, name);
    return;
  }
  const char *end = brink_parse_skip_headless(p, BRINK_RANK_SECTION);
  const char *hint = "statements belong in sections: dynamics, output, initial, ...";
  if (end != NULL) hint = brink_unit_format(p->unit, "is '%s' missing before it?", end);
  p->losses++;
  if (!bad)
    brink_parse_error(p, BRINK_MSG_NOT_A_SECTION, place, hint, "%s does not begin a section",
                      shown);
}

/* body = "body" {section} "end" "body" ";" */
static void parse_body(brink_parser *p, bool implied) {
  brink_open_block open;
  size_t losses = p->losses;
  if (!implied) brink_parse_line(p);
  brink_parse_open(p, &open, "body", BRINK_RANK_PART, &p->token);
  open.implied = implied;
  if (!implied) {
    if (!brink_token_is_word(&p->token, "body")) open.alias = brink_parse_name(p, &p->token);
    brink_parse_keyword(p);
  }
  for (;;) {
    const char *start = p->token.start;
    brink_parse_more(p);
    bool over = p->token.kind == BRINK_TOKEN_END || brink_parse_at_top(p) ||
                brink_token_is_word(&p->token, "body") || p->token.kind == BRINK_TOKEN_EOF;
    if (over) {
      if (brink_parse_close_block(p)) break;
      continue;
    }
    p->indent++;
    brink_section_kind kind = brink_parse_at_event_loop(p) ? BRINK_SECTION_EVENT : guess_section(p);
    if (kind != BRINK_SECTION_COUNT)
      parse_section(p, kind);
    else
      parse_no_section(p);
    p->indent--;
    if (p->token.start == start) brink_parse_advance(p);
  }
  if (p->losses != losses) p->component->damaged = true;
}

/* ---- component ---- */

/* Between `is` and `end`: interface and body, or what belongs in one of them. */
static void parse_part(brink_parser *p) {
  const char *best = NULL;
  if (brink_token_is_word(&p->token, "interface")) {
    brink_parse_section_body(p, BRINK_SECTION_INTERFACE,
                             &p->component->section[BRINK_SECTION_INTERFACE]);
    return;
  }
  if (brink_token_is_word(&p->token, "body")) {
    parse_body(p, false);
    return;
  }
  if (p->token.kind == BRINK_TOKEN_NAME && !brink_token_is_defining(p->next.kind)) {
    const char *name = brink_parse_name(p, &p->token);
    best = brink_nearest(name, "body", brink_nearest(name, "interface", NULL));
  }
  if (best != NULL) {
    brink_parse_error(p, BRINK_MSG_UNKNOWN_PART, brink_parse_place(p),
                      brink_parse_did_you_mean(p, best), "unknown part '%s' of a component",
                      brink_parse_name(p, &p->token));
    if (best[0] == 'b')
      parse_body(p, false);
    else
      brink_parse_section_body(p, BRINK_SECTION_INTERFACE,
                               &p->component->section[BRINK_SECTION_INTERFACE]);
    return;
  }
  brink_parse_error(p, BRINK_MSG_EXPECTED_PART, brink_parse_place(p),
                    "sections belong between 'body' and 'end body;'",
                    "'interface' or 'body' expected, found %s", brink_parse_shown(p, &p->token));
  p->muted = p->token.start;
  if (brink_parse_at_interface(p))
    parse_headless(p, BRINK_SECTION_INTERFACE);
  else
    parse_body(p, true);
}

/* kind = "ctc" | "dtc" | "lbc" | "composite" | "system" */
static bool parse_kind(brink_parser *p, brink_component_kind *kind) {
  const char *best = NULL, *name = brink_parse_name(p, &p->token);
  const char *other = brink_foreign_hint(BRINK_FOREIGN_KIND, name);
  for (int k = BRINK_CTC; k <= BRINK_SYSTEM; k++) {
    const char *word = brink_component_kind_name((brink_component_kind)k);
    const char *near = brink_nearest(name, word, best);
    if (near != best) best = near, *kind = (brink_component_kind)k;
    if (!brink_token_is_word(&p->token, word)) continue;
    brink_parse_keyword(p);
    return true;
  }
  if (p->next.kind == BRINK_TOKEN_IS) {
    brink_parse_error(p, BRINK_MSG_MISSING_KIND, brink_parse_place(p),
                      "write 'ctc', 'dtc', 'lbc', 'composite' or 'system'",
                      "the kind of component '%s' is missing", name);
    return false; /* the name is the current token */
  }
  brink_parse_error(p, BRINK_MSG_UNKNOWN_KIND, brink_parse_place(p),
                    other != NULL  ? other
                    : best != NULL ? brink_parse_did_you_mean(p, best)
                                   : "kinds are ctc, dtc, lbc, composite and system",
                    "unknown kind of component '%s'", name);
  brink_parse_advance(p);
  if (other != NULL) *kind = BRINK_CTC; /* whatever is near, it was not meant */
  return best != NULL && other == NULL;
}

/* ["partial"] kind NAME ["extends" NAME] "is" */
static bool parse_head(brink_parser *p, brink_component *c, brink_open_block *open) {
  brink_token first = p->token, name = {.length = 0};
  c->head = (brink_text_start){.start = first.start, .line = first.line, .column = first.column};
  c->partial = brink_token_is_word(&p->token, "partial") && p->next.kind == BRINK_TOKEN_NAME;
  if (c->partial) brink_parse_keyword(p);
  bool known = parse_kind(p, &c->kind);
  c->place = brink_parse_place(p);
  c->name = "";
  if (p->token.kind != BRINK_TOKEN_IS) {
    if (brink_parse_expect_name(p, "the component's name", &name)) {
      c->name = brink_parse_name(p, &name);
      c->place = brink_token_place(p->file, &name);
    }
  } else {
    brink_parse_error(p, BRINK_MSG_MISSING_COMPONENT_NAME, brink_parse_place(p),
                      "write 'ctc Tank is'", "the component's name is missing");
  }
  if (brink_parse_is(p, "extends") && p->next.kind == BRINK_TOKEN_NAME) {
    brink_parse_keyword(p);
    c->base_name = brink_parse_name(p, &p->token);
    c->base_place = brink_parse_place(p);
    brink_parse_advance(p);
  }
  if (p->token.kind == BRINK_TOKEN_NAME && p->next.kind == BRINK_TOKEN_IS) {
    brink_parse_error(p, BRINK_MSG_COMPONENT_HEAD, brink_parse_place(p), "write 'ctc Tank is'",
                      "a component has one kind and one name");
    c->name = brink_parse_name(p, &p->token);
    c->place = brink_parse_place(p);
    brink_parse_advance(p);
  }
  brink_parse_open(p, open, c->name, BRINK_RANK_COMPONENT, &first);
  open->nameless = c->name[0] == '\0';
  p->panic = false;
  while (p->token.kind == BRINK_TOKEN_BAD) brink_parse_advance(p);
  if (p->token.kind == BRINK_TOKEN_NAME && !p->token.first && p->next.first) {
    brink_parse_error(p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p), NULL,
                      "expected '%s', found %s", "is", brink_parse_shown(p, &p->token));
    brink_parse_advance(p);
    return known;
  }
  if (brink_parse_accept(p, BRINK_TOKEN_IS)) {
    if (p->token.kind == BRINK_TOKEN_IS)
      brink_parse_error(p, BRINK_MSG_REPEATED_WORD, brink_parse_place(p), NULL,
                        "'%s' is repeated here", "is");
    while (brink_parse_accept(p, BRINK_TOKEN_IS)) continue;
    return known;
  }
  bool brace = p->token.kind == BRINK_TOKEN_LBRACE, colon = p->token.kind == BRINK_TOKEN_COLON;
  brink_parse_error(p, BRINK_MSG_MISSING_WORD, brink_parse_after(p),
                    brace || colon ? "a component is written 'ctc Tank is ... end Tank;'" : NULL,
                    "'%s' is missing here", "is");
  if (brace || colon) brink_parse_advance(p);
  open->braced = brace;
  brink_parse_accept(p, BRINK_TOKEN_SEMICOLON);
  return known;
}

void brink_parse_component(brink_parser *p) {
  brink_component *c = brink_unit_take(p->unit, 1, sizeof *c);
  if (c == NULL) {
    brink_parse_abandon(p);
    return;
  }
  size_t errors = p->errors, reported = p->unit->nerrors;
  brink_open_block open;
  p->component = c;
  p->symbols_end = &c->symbols;
  p->events_end = &c->events;
  p->pairs_end = &c->pairs;
  p->mentions_capacity = p->populations_capacity = 0;
  brink_parse_line(p);
  bool known = parse_head(p, c, &open);
  for (;;) {
    const char *start = p->token.start;
    brink_parse_more(p);
    bool brace = open.braced && p->token.kind == BRINK_TOKEN_RBRACE;
    if (brace || p->token.kind == BRINK_TOKEN_END || p->token.kind == BRINK_TOKEN_EOF ||
        brink_parse_at_top(p)) {
      if (brink_parse_close_block(p)) break;
      continue;
    }
    p->indent++;
    parse_part(p);
    p->indent--;
    if (p->token.start == start) brink_parse_advance(p);
  }
  for (int k = 0; k < BRINK_SECTION_COUNT && !known; k++) c->section[k].damaged = true;
  c->damaged = c->damaged || p->errors != errors || p->unit->nerrors != reported;
  p->component = NULL;
  p->symbols_end = NULL;
  if (open.nameless) return;
  *p->components_end = c;
  p->components_end = &c->next;
}
