/* parse_agents.c: populations of agents, and what happens between two of them.
 *
 *   agents = "agents" {population | pair} "end" "agents" ";" */
#include "lang/parser.h"

static void add_population(brink_parser *p, const brink_token *name) {
  brink_component *c = p->component;
  brink_ast_population *population =
      brink_unit_push(p->unit, c->populations, c->npopulations, p->populations_capacity);
  if (population == NULL) return;
  *population = (brink_ast_population){.name = brink_parse_name(p, name),
                                       .place = brink_token_place(p->file, name)};
}

/* population = "population" "(" NAME {"," NAME} ")" ";" */
static void parse_population(brink_parser *p) {
  brink_parse_line(p);
  brink_parse_keyword(p);
  brink_token open = p->token, name;
  brink_parse_expect(p, BRINK_TOKEN_LPAREN, "'('");
  do {
    if (!brink_parse_expect_name(p, "the name of an array of components", &name)) break;
    add_population(p, &name);
  } while (brink_parse_accept(p, BRINK_TOKEN_COMMA));
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  brink_parse_finish(p);
}

/* "(" NAME "," NAME ")" "in" NAME ["," NAME] */
static void parse_pair_head(brink_parser *p, brink_ast_pair *pair) {
  brink_token open = p->token, name;
  brink_parse_expect(p, BRINK_TOKEN_LPAREN, "'(' and two names");
  for (size_t k = 0; k < 2; k++) {
    if (k == 1) brink_parse_expect(p, BRINK_TOKEN_COMMA, "',' and a second name");
    if (brink_parse_expect_name(p, "a name for the partner", &name))
      pair->partner[k] = brink_parse_symbol(p, BRINK_SYMBOL_PARTNER, &name);
  }
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  if (brink_parse_is(p, "in"))
    brink_parse_spaced_keyword(p);
  else if (!p->panic)
    brink_parse_panic(p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p), "write 'pair(a, b) in car'",
                      "expected '%s', found %s", "in", brink_parse_shown(p, &p->token));
  for (size_t k = 0; k < 2; k++) {
    if (k == 1 && !brink_parse_accept(p, BRINK_TOKEN_COMMA)) break;
    if (!brink_parse_expect_name(p, "the name of a population", &name)) break;
    pair->population_name[k] = brink_parse_name(p, &name);
    pair->population_place[k] = brink_token_place(p->file, &name);
  }
  if (!p->panic) return;
  p->panic = false; /* the parts of the pair follow all the same */
  while (!brink_parse_at_stop(p) && !p->token.first) brink_parse_advance(p);
}

/* One of: declarations, dynamics, assignments, event, reach. */
static bool parse_pair_part(brink_parser *p, brink_ast_pair *pair, brink_ast_event ***events) {
  brink_ast_section declarations = {.present = false};
  if (brink_parse_is(p, "declarations")) {
    brink_parse_section_body(p, BRINK_SECTION_DECLARATIONS, &declarations);
  } else if (brink_parse_is(p, "dynamics")) {
    brink_parse_section_body(p, BRINK_SECTION_DYNAMICS, &pair->dynamics);
  } else if (brink_parse_is(p, "assignments")) {
    brink_parse_section_body(p, BRINK_SECTION_ASSIGNMENTS, &pair->assignments);
  } else if (brink_parse_is(p, "event")) {
    brink_parse_event(p, events);
  } else if (brink_parse_at_event_loop(p)) {
    brink_parse_event_loop(p, events);
  } else if (brink_parse_is(p, "reach")) {
    brink_block_add(p, &pair->reach, brink_parse_statement(p, BRINK_MAY_REACH));
  } else {
    return false;
  }
  return true;
}

static void parse_no_pair_part(brink_parser *p) {
  brink_parse_panic(p, BRINK_MSG_NOT_IN_PAIR, brink_parse_place(p),
                    "a pair contains declarations, dynamics, assignments, events and reach(...)",
                    "%s is not allowed in a pair", brink_parse_shown(p, &p->token));
  const char *name = brink_parse_name(p, &p->token);
  bool statement = brink_token_is_defining(p->next.kind) || p->token.kind != BRINK_TOKEN_NAME ||
                   p->next.kind == BRINK_TOKEN_LPAREN || p->next.kind == BRINK_TOKEN_DOT;
  brink_parse_advance(p);
  if (statement)
    brink_parse_skip_headless(p, BRINK_RANK_SECTION);
  else
    brink_parse_skip_block(p, name);
}

static void parse_pair_body(brink_parser *p, brink_ast_pair *pair) {
  brink_symbol **outer = p->symbols_end;
  brink_ast_event **events = &pair->events;
  p->symbols_end = &pair->symbols;
  for (;;) {
    brink_parse_more(p);
    const char *start = p->token.start;
    p->indent++;
    bool parsed = parse_pair_part(p, pair, &events);
    p->indent--;
    if (parsed) continue;
    if (brink_parse_at_stop(p)) {
      if (brink_parse_close_block(p)) break;
    } else {
      parse_no_pair_part(p);
    }
    if (p->token.start == start) brink_parse_advance(p);
  }
  p->symbols_end = outer;
}

/* pair = "pair" "(" NAME "," NAME ")" "in" NAME ["," NAME]
 *        {declarations | dynamics | assignments | event | reach} "end" "pair" ";" */
static void parse_pair(brink_parser *p) {
  brink_ast_pair *pair = brink_unit_take(p->unit, 1, sizeof *pair);
  if (pair == NULL) {
    brink_parse_abandon(p);
    return;
  }
  size_t losses = p->losses;
  brink_open_block open;
  brink_parse_line(p);
  pair->place = brink_parse_place(p);
  brink_parse_open(p, &open, "pair", BRINK_RANK_PAIR, &p->token);
  brink_parse_keyword(p);
  parse_pair_head(p, pair);
  parse_pair_body(p, pair);
  pair->damaged = p->losses != losses;
  if (pair->partner[0] == NULL || pair->partner[1] == NULL || pair->population_name[0] == NULL)
    return;
  *p->pairs_end = pair;
  p->pairs_end = &pair->next;
}

/* Up to the ';' of this line; or, if there is none, it was the head of a pair. */
static void parse_no_agents(brink_parser *p) {
  uint32_t line = p->token.line;
  brink_parse_panic(p, BRINK_MSG_NOT_IN_AGENTS, brink_parse_place(p),
                    "agents are population(...) and pair(...)", "%s is not allowed in 'agents'",
                    brink_parse_shown(p, &p->token));
  p->panic = false;
  do {
    if (brink_parse_accept(p, BRINK_TOKEN_SEMICOLON)) return;
    brink_parse_advance(p);
  } while (p->token.line == line && !brink_parse_at_stop(p));
  if (p->token.line != line) brink_parse_skip_block(p, "pair");
}

void brink_parse_agents(brink_parser *p) {
  do {
    p->indent++;
    while (brink_parse_more(p)) {
      if (brink_parse_is(p, "population") && p->next.kind == BRINK_TOKEN_LPAREN) {
        parse_population(p);
      } else if (brink_parse_is(p, "pair") && p->next.kind == BRINK_TOKEN_LPAREN) {
        parse_pair(p);
      } else {
        parse_no_agents(p);
      }
    }
    p->indent--;
  } while (!brink_parse_close_block(p));
}
