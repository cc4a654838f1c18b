/* parse_bundle.c: bundles: named signals that are connected as one.
 *
 *   bundle = "bundle" NAME "is" {declaration} "end" NAME ";"
 *
 * A bundle lists its signals as the side sees them that has it as an output. `output(f, Flange)` declares a port: for
 * each signal s of Flange, an input or output whose name is `f.s`; `input(f, Flange)` declares the same the other
 * way round. A connection between two ports becomes one connection for each signal. All that follows the parser knows
 * signals only; the port itself stays in a list of its own, for names and messages.
 *
 * The declarations of a bundle are read again for each port: names in ranges and sizes are those of the component. */
#include <stdlib.h>
#include <string.h>

#include "lang/parser.h"

/* ---- the bundle ---- */

/* Signals, and nothing else. */
static void check_members(brink_parser *p, const brink_bundle *bundle) {
  if (bundle->members == NULL && p->errors == 0)
    brink_parse_error(p, BRINK_MSG_EMPTY_BUNDLE, bundle->place,
                      "list its signals: output(w, signal);", "'%s' has no signals", bundle->name);
}

static void parse_members(brink_parser *p) {
  do {
    p->indent++;
    while (brink_parse_more(p)) {
      const char *start = p->token.start;
      brink_parse_declaration(p, true);
      if (p->token.start == start && !brink_parse_at_stop(p)) brink_parse_advance(p);
    }
    p->indent--;
  } while (!brink_parse_close_block(p));
}

void brink_parse_bundle(brink_parser *p) {
  brink_bundle *bundle = brink_unit_take(p->unit, 1, sizeof *bundle);
  brink_open_block open;
  brink_token name;
  if (bundle == NULL) {
    brink_parse_abandon(p);
    return;
  }
  bundle->head =
      (brink_text_start){.start = p->token.start, .line = p->token.line, .column = p->token.column};
  brink_token first = p->token;
  size_t errors = p->errors;
  brink_parse_line(p);
  brink_parse_keyword(p);
  if (!brink_parse_expect_name(p, "the bundle's name", &name)) return;
  bundle->name = brink_parse_name(p, &name);
  bundle->place = brink_token_place(p->file, &name);
  brink_parse_open(p, &open, bundle->name, BRINK_RANK_COMPONENT, &first);
  brink_parse_expect(p, BRINK_TOKEN_IS, "'is'");
  p->panic = false;
  p->symbols_end = &bundle->members;
  parse_members(p);
  p->symbols_end = NULL;
  if (p->errors == errors) check_members(p, bundle);
  bundle->damaged = p->errors != errors;
  *p->bundles_end = bundle;
  p->bundles_end = &bundle->next;
}

/* ---- looking up ---- */

static brink_bundle *find_bundle(const brink_unit *unit, const char *name) {
  for (brink_bundle *b = unit->bundles; b != NULL; b = b->next)
    if (b->name == name) return b; /* names are interned */
  return NULL;
}

static brink_component *find_component(const brink_unit *unit, const char *name) {
  for (brink_component *c = unit->components; c != NULL; c = c->next)
    if (c->name == name) return c;
  return NULL;
}

static const brink_symbol *find_symbol(const brink_symbol *list, const char *name) {
  for (; list != NULL; list = list->next)
    if (list->name == name) return list;
  return NULL;
}

/* ---- ports ---- */

static void report_type(brink_unit *unit, brink_symbol *symbol) {
  const char *near = NULL;
  for (const brink_bundle *b = unit->bundles; b != NULL; b = b->next)
    near = brink_nearest(symbol->bundle_name, b->name, near);
  const char *hint =
      near != NULL ? brink_unit_format(unit, "did you mean '%s'?", near) : symbol->type_hint;
  brink_report(unit, BRINK_ERROR, BRINK_MSG_UNKNOWN_TYPE, symbol->type_place, hint,
               "unknown type %s", brink_unit_format(unit, "'%s'", symbol->bundle_name));
}

/* Bundles hold no bundles; a type that is none is reported as in a component. */
static void check_bundle(brink_unit *unit, brink_bundle *bundle) {
  for (brink_symbol *m = bundle->members; m != NULL; m = m->next) {
    if (m->bundle_name == NULL) continue;
    bundle->damaged = true;
    if (find_bundle(unit, m->bundle_name) == NULL)
      report_type(unit, m);
    else
      brink_report(unit, BRINK_ERROR, BRINK_MSG_BUNDLE_IN_BUNDLE, m->type_place,
                   "list the signals themselves", "a bundle cannot hold a bundle");
  }
  const brink_bundle *first = find_bundle(unit, bundle->name);
  if (first != bundle)
    brink_report(unit, BRINK_ERROR, BRINK_MSG_BUNDLE_TWICE, bundle->place,
                 brink_unit_format(unit, "first declared at %s:%u",
                                   unit->files[first->place.file].path,
                                   (unsigned)first->place.line),
                 "there are two bundles '%s'", bundle->name);
}

/* The signals of a bundle, declared anew. */
static brink_symbol *read_members(brink_parse_session *session, const brink_bundle *bundle) {
  brink_parser p;
  brink_parse_again(&p, session, bundle->place.file, &bundle->head);
  brink_parse_bundle(&p);
  return p.bundles != NULL ? p.bundles->members : NULL;
}

/* "f.w" */
static const char *member_name(brink_parse_session *session, const char *port, const char *member) {
  brink_parser p = {.session = session, .unit = session->unit};
  const char *name = brink_unit_format(session->unit, "%s.%s", port, member);
  return brink_parse_intern(&p, name, strlen(name));
}

/* A member as a declaration of the port's component. */
static bool adopt(brink_parse_session *session, const brink_symbol *port, brink_symbol *member) {
  bool reversed = port->kind == BRINK_SYMBOL_INPUT;
  if (reversed)
    member->kind = member->kind == BRINK_SYMBOL_INPUT ? BRINK_SYMBOL_OUTPUT : BRINK_SYMBOL_INPUT;
  if (port->size != NULL && member->size != NULL) {
    brink_report(session->unit, BRINK_ERROR, BRINK_MSG_BUNDLE_OF_VECTORS, port->place,
                 "declare single ports, or arrays of components",
                 "'%s' is an array of bundles, and '%s' in it is a vector", port->name,
                 member->name);
    return false;
  }
  if (port->size != NULL) member->size = port->size;
  member->name = member_name(session, port->name, member->name);
  member->place = port->place;
  member->inherited_from = port->inherited_from;
  return true;
}

/* Puts the signals of a port in its place; *link leads to the port, and then to what follows. */
static brink_symbol **expand_port(brink_parse_session *session, brink_component *c,
                                  brink_symbol **link) {
  brink_symbol *port = *link, *rest = port->next;
  brink_bundle *bundle = find_bundle(session->unit, port->bundle_name);
  if (bundle == NULL) {
    report_type(session->unit, port);
    c->damaged = true;
    return &port->next;
  }
  if (port->range.given || port->unit != NULL)
    brink_report(session->unit, BRINK_ERROR, BRINK_MSG_BUNDLE_RANGE, port->place,
                 "ranges and units stand in the bundle", "a bundle has no range and no unit");
  if (bundle->damaged) c->holes = c->damaged = true;
  brink_symbol *member = read_members(session, bundle);
  while (member != NULL) {
    brink_symbol *next = member->next;
    if (adopt(session, port, member)) {
      *link = member;
      link = &member->next;
    } else {
      c->holes = c->damaged = true;
    }
    member = next;
  }
  *link = rest;
  port->port_kind = port->kind;
  port->kind = BRINK_SYMBOL_BUNDLE;
  port->bundle = bundle;
  port->next = c->ports;
  c->ports = port;
  return link;
}

static void expand_ports(brink_parse_session *session, brink_component *c) {
  for (brink_symbol **link = &c->symbols; *link != NULL && !session->unit->out_of_memory;)
    link = (*link)->bundle_name != NULL && (*link)->kind != BRINK_SYMBOL_BUNDLE
               ? expand_port(session, c, link)
               : &(*link)->next;
}

/* ---- connections ---- */

/* A component whose connections are expanded, with its symbols in order of their names' addresses: it may have very
 * many parts. */
typedef struct connected {
  brink_parse_session *session;
  const brink_component *component;
  const brink_symbol **sorted;
  size_t count;
} connected;

static int compare_names(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)(*(const brink_symbol *const *)a)->name;
  uintptr_t y = (uintptr_t)(*(const brink_symbol *const *)b)->name;
  return (x > y) - (x < y);
}

static void sort_symbols(connected *of) {
  for (const brink_symbol *s = of->component->symbols; s != NULL; s = s->next) of->count++;
  of->sorted = brink_unit_take(of->session->unit, of->count, sizeof *of->sorted);
  size_t k = 0;
  for (const brink_symbol *s = of->component->symbols; s != NULL && of->sorted != NULL; s = s->next)
    of->sorted[k++] = s;
  if (of->sorted != NULL) qsort(of->sorted, of->count, sizeof *of->sorted, compare_names);
}

static const brink_symbol *find_part(const connected *in, const char *name) {
  const brink_symbol key = {.name = name}, *wanted = &key;
  const brink_symbol **found =
      bsearch(&wanted, in->sorted, in->count, sizeof *in->sorted, compare_names);
  return found != NULL ? *found : NULL;
}

/* The port at the end of a path; NULL: it is none, or the path leads nowhere. */
static const brink_symbol *port_at(const connected *in, const brink_ast_expr *path) {
  const brink_unit *unit = in->session->unit;
  const brink_component *c = in->component;
  if (path->op != BRINK_AST_NAME) return NULL;
  for (size_t k = 0; k + 1 < path->nparts; k++) {
    const char *name = path->part[k].name;
    const brink_symbol *part = k == 0 ? find_part(in, name) : find_symbol(c->symbols, name);
    if (part == NULL || part->kind != BRINK_SYMBOL_INSTANCE) return NULL;
    c = find_component(unit, part->class_name);
    if (c == NULL) return NULL;
  }
  return find_symbol(c->ports, path->part[path->nparts - 1].name);
}

bool brink_port_is_source(const brink_symbol *port, size_t nparts) {
  return port->port_kind == (nparts == 1 ? BRINK_SYMBOL_INPUT : BRINK_SYMBOL_OUTPUT);
}

/* The path to one signal of the port that a path leads to. */
static brink_ast_expr *member_path(brink_parse_session *session, const brink_ast_expr *path,
                                   const char *member) {
  brink_ast_expr *made = brink_unit_take(session->unit, 1, sizeof *made);
  brink_ast_part *parts = brink_unit_take(session->unit, path->nparts, sizeof *parts);
  if (made == NULL || parts == NULL) return NULL;
  *made = *path;
  memcpy(parts, path->part, path->nparts * sizeof *parts);
  made->part = parts;
  brink_ast_part *last = &parts[path->nparts - 1];
  last->name = member_name(session, last->name, member);
  return made;
}

static brink_ast_statement *connect_member(brink_parse_session *session,
                                           const brink_ast_statement *s,
                                           const brink_symbol *member) {
  brink_ast_statement *made = brink_unit_take(session->unit, 1, sizeof *made);
  brink_ast_expr *source = member_path(session, s->expr, member->name);
  brink_ast_expr *target = member_path(session, s->target, member->name);
  if (made == NULL || source == NULL || target == NULL) return NULL;
  bool forward = member->kind == BRINK_SYMBOL_OUTPUT;
  *made = *s;
  made->expr = forward ? source : target;
  made->target = forward ? target : source;
  return made;
}

/* Two ports of one bundle, in the right order? What does not fit is left to the checker. */
static const brink_bundle *bundle_between(const connected *in, const brink_ast_statement *s) {
  const brink_symbol *from = port_at(in, s->expr), *to = port_at(in, s->target);
  if (from == NULL || to == NULL || from->bundle != to->bundle) return NULL;
  bool fits =
      brink_port_is_source(from, s->expr->nparts) && !brink_port_is_source(to, s->target->nparts);
  return fits ? from->bundle : NULL;
}

static void expand_connections(const connected *in, brink_ast_block *block) {
  brink_parse_session *session = in->session;
  brink_parser p = {.session = session, .unit = session->unit};
  brink_ast_block made = {.count = 0};
  for (size_t k = 0; k < block->count; k++) {
    brink_ast_statement *s = block->statement[k];
    for (size_t j = 0; j < s->nblocks; j++) expand_connections(in, &s->block[j]);
    const brink_bundle *bundle = s->kind == BRINK_STATEMENT_CONNECT ? bundle_between(in, s) : NULL;
    if (bundle == NULL) brink_block_add(&p, &made, s);
    for (const brink_symbol *m = bundle != NULL ? bundle->members : NULL; m != NULL; m = m->next)
      brink_block_add(&p, &made, connect_member(session, s, m));
  }
  *block = made;
}

void brink_parse_expand_bundles(brink_parse_session *session) {
  brink_unit *unit = session->unit;
  for (brink_bundle *b = unit->bundles; b != NULL; b = b->next) check_bundle(unit, b);
  for (brink_component *c = unit->components; c != NULL; c = c->next) expand_ports(session, c);
  if (unit->bundles == NULL) return;
  for (brink_component *c = unit->components; c != NULL && !unit->out_of_memory; c = c->next) {
    connected in = {.session = session, .component = c};
    if (c->section[BRINK_SECTION_CONNECTIONS].body.count == 0) continue;
    sort_symbols(&in);
    if (!unit->out_of_memory) expand_connections(&in, &c->section[BRINK_SECTION_CONNECTIONS].body);
  }
}
