/* parse_extends.c: components that extend others.
 *
 *   component = ["partial"] kind NAME ["extends" NAME] "is" ...
 *
 * What is inherited is read again, from the text of the other component: it becomes a copy of its own, which the checker
 * may annotate, and whose places are those of the text it comes from. It stands before the component's own. Values
 * (assignments, initial, simulation) that are given again replace inherited ones; all else is added. */
#include <string.h>

#include "lang/parser.h"

#define CHAIN_LIMIT 100 /* components that extend one another */

/* ---- which component ---- */

static brink_component *find(const brink_unit *unit, const char *name) {
  for (brink_component *c = unit->components; c != NULL; c = c->next)
    if (c->name == name) return c; /* names are interned */
  return NULL;
}

/* The components that `c` extends, nearest first; how many. Says what is wrong with the chain. */
static size_t follow(const brink_unit *unit, brink_component *c, brink_component **chain) {
  size_t count = 0;
  for (brink_component *at = c; at->base_name != NULL; at = chain[count - 1]) {
    brink_component *base = find(unit, at->base_name);
    if (base == NULL) {
      if (at == c) c->base_fault = BRINK_BASE_UNKNOWN;
      return 0;
    }
    chain[count++] = base;
    for (size_t k = 0; k + 1 < count; k++)
      if (chain[k] == base) c->base_fault = BRINK_BASE_FAULT; /* a circle without `c` */
    if (base == c)
      c->base_fault = BRINK_BASE_ITSELF;
    else if (base->kind != at->kind)
      c->base_fault = at == c ? BRINK_BASE_KIND : BRINK_BASE_FAULT;
    else if (count == CHAIN_LIMIT)
      c->base_fault = BRINK_BASE_TOO_DEEP;
    if (at == c) c->base = base;
    if (c->base_fault != BRINK_BASE_FINE) return 0;
  }
  return count;
}

void brink_parse_again(brink_parser *p, brink_parse_session *session, uint32_t file,
                       const brink_text_start *head) {
  const brink_file *source = &session->unit->files[file];
  *p = (brink_parser){.session = session,
                      .unit = session->unit,
                      .file = file,
                      .key = source->path,
                      .quiet = 1,
                      .again = true};
  brink_lexer_init(&p->lexer, NULL, file, source->text, source->length);
  p->lexer.at = head->start;
  p->lexer.line = head->line;
  p->lexer.line_start = head->start - (head->column - 1);
  p->components_end = &p->components;
  p->functions_end = &p->functions;
  p->bundles_end = &p->bundles;
  brink_lexer_next(&p->lexer, &p->token);
  brink_lexer_next(&p->lexer, &p->next);
}

/* A copy of a component, from its text. What is wrong with it has been reported. NULL: no memory. */
static brink_component *read_again(brink_parse_session *session, const brink_component *of) {
  brink_parser p;
  brink_parse_again(&p, session, of->place.file, &of->head);
  brink_parse_component(&p);
  if (p.components != NULL && p.abandoned) p.components->holes = p.components->damaged = true;
  return p.components;
}

/* ---- values that are given again ---- */

/* Does the first assign all that the second assigns? */
static bool covers(const brink_ast_expr *own, const brink_ast_expr *inherited) {
  if (own->op != BRINK_AST_NAME || inherited->op != BRINK_AST_NAME) return false;
  if (own->nparts != inherited->nparts) return false;
  for (size_t k = 0; k < own->nparts; k++) {
    const brink_ast_part *a = &own->part[k], *b = &inherited->part[k];
    if (a->name != b->name) return false;
    if (a->index == NULL) continue; /* the whole of it */
    bool same = b->index != NULL && a->index->op == BRINK_AST_NUMBER &&
                b->index->op == BRINK_AST_NUMBER && a->index->number == b->index->number;
    if (!same) return false;
  }
  return true;
}

static bool block_covers(const brink_ast_block *block, const brink_ast_expr *inherited) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_ASSIGN && covers(s->target, inherited)) return true;
    for (size_t j = 0; j < s->nblocks; j++)
      if (block_covers(&s->block[j], inherited)) return true;
  }
  return false;
}

/* Is a value given for this name, or for a part of it? */
static bool is_given(const brink_ast_section *section, const char *name) {
  for (size_t k = 0; k < section->nvalues; k++)
    if (section->values[k].name == name) return true;
  return false;
}

static bool block_gives(const brink_ast_block *block, const char *name) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_ASSIGN && s->target->op == BRINK_AST_NAME &&
        s->target->part[0].name == name)
      return true;
    for (size_t j = 0; j < s->nblocks; j++)
      if (block_gives(&s->block[j], name)) return true;
  }
  return false;
}

/* Drops the inherited statements whose values are given again. */
static void drop_statements(brink_ast_block *inherited, const brink_ast_section *own,
                            bool initial) {
  size_t kept = 0;
  for (size_t k = 0; k < inherited->count; k++) {
    brink_ast_statement *s = inherited->statement[k];
    bool assigns = s->kind == BRINK_STATEMENT_ASSIGN && s->target->op == BRINK_AST_NAME;
    bool again = assigns && (initial ? block_covers(&own->body, s->target)
                                     : is_given(own, s->target->part[0].name) ||
                                           block_gives(&own->body, s->target->part[0].name));
    for (size_t j = 0; j < s->nblocks; j++) drop_statements(&s->block[j], own, initial);
    if (!again) inherited->statement[kept++] = s;
  }
  inherited->count = kept;
}

static void drop_values(brink_ast_section *inherited, const brink_ast_section *own) {
  size_t kept = 0;
  for (size_t k = 0; k < inherited->nvalues; k++) {
    const char *name = inherited->values[k].name;
    if (!is_given(own, name) && !block_gives(&own->body, name))
      inherited->values[kept++] = inherited->values[k];
  }
  inherited->nvalues = kept;
}

/* ---- one component before another ---- */

/* Two arrays as one, in the unit; false: no memory. */
static bool join(brink_unit *unit, void **items, size_t *count, const void *before, size_t more,
                 size_t size) {
  if (more == 0) return true;
  char *joined = brink_unit_take(unit, *count + more, size);
  if (joined == NULL) return false;
  memcpy(joined, before, more * size);
  if (*count > 0) memcpy(joined + more * size, *items, *count * size);
  *items = joined;
  *count += more;
  return true;
}

#define JOIN(unit, array, count, before, more)                                                     \
  join((unit), (void **)&(array), &(count), (before), (more), sizeof *(array))

static void join_section(brink_unit *unit, brink_section_kind kind, brink_ast_section *own,
                         brink_ast_section *inherited) {
  if (!inherited->present) return;
  if (kind == BRINK_SECTION_INITIAL || kind == BRINK_SECTION_ASSIGNMENTS)
    drop_statements(&inherited->body, own, kind == BRINK_SECTION_INITIAL);
  drop_values(inherited, own);
  if (!own->present) own->place = inherited->place;
  own->present = true;
  own->damaged = own->damaged || inherited->damaged;
  JOIN(unit, own->body.statement, own->body.count, inherited->body.statement,
       inherited->body.count);
  JOIN(unit, own->values, own->nvalues, inherited->values, inherited->nvalues);
}

static void join_clock(brink_component *own, const brink_component *inherited) {
  if (!own->has_sample && inherited->has_sample) {
    own->has_sample = true;
    own->sample_place = inherited->sample_place;
    own->period = inherited->period;
    own->offset = inherited->offset;
  }
  if (own->has_priority || !inherited->has_priority) return;
  own->has_priority = true;
  own->priority_place = inherited->priority_place;
  own->priority = inherited->priority;
}

static void join_lists(brink_component *own, brink_component *inherited) {
  brink_symbol **symbols = &inherited->symbols;
  for (; *symbols != NULL; symbols = &(*symbols)->next)
    if ((*symbols)->inherited_from == NULL) (*symbols)->inherited_from = inherited->name;
  *symbols = own->symbols;
  own->symbols = inherited->symbols;
  brink_ast_event **events = &inherited->events;
  while (*events != NULL) events = &(*events)->next;
  *events = own->events;
  own->events = inherited->events;
  brink_ast_pair **pairs = &inherited->pairs;
  while (*pairs != NULL) pairs = &(*pairs)->next;
  *pairs = own->pairs;
  own->pairs = inherited->pairs;
}

/* `inherited` is used up. */
static void put_before(brink_unit *unit, brink_component *own, brink_component *inherited) {
  for (int k = 0; k < BRINK_SECTION_COUNT; k++)
    join_section(unit, (brink_section_kind)k, &own->section[k], &inherited->section[k]);
  join_clock(own, inherited);
  join_lists(own, inherited);
  JOIN(unit, own->mentions, own->nmentions, inherited->mentions, inherited->nmentions);
  JOIN(unit, own->populations, own->npopulations, inherited->populations, inherited->npopulations);
  own->holes = own->holes || inherited->holes;
  own->damaged = own->damaged || inherited->damaged;
}

/* The most general first: what stands nearer replaces what stands farther. */
static void inherit(brink_parse_session *session, brink_component *c) {
  brink_component *chain[CHAIN_LIMIT];
  size_t count = follow(session->unit, c, chain);
  if (count == 0) {
    c->holes = c->damaged = true;
    return;
  }
  brink_component *inherited = NULL;
  for (size_t k = count; k-- > 0 && !session->unit->out_of_memory;) {
    brink_component *nearer = read_again(session, chain[k]);
    if (nearer == NULL) {
      c->holes = c->damaged = true;
      return;
    }
    if (inherited != NULL) put_before(session->unit, nearer, inherited);
    inherited = nearer;
  }
  if (inherited != NULL) put_before(session->unit, c, inherited);
}

void brink_parse_inherit(brink_parse_session *session) {
  for (brink_component *c = session->unit->components; c != NULL; c = c->next)
    if (c->base_name != NULL && !session->unit->out_of_memory) inherit(session, c);
}
