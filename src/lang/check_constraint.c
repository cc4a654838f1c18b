/* check_constraint.c: constraints: what is unknown, and whether there are as many equations as unknowns.
 *
 * The unknowns of a component are its variables that no equation defines, and its states without a derivative. They
 * are counted here where all sizes are literals; the flattener counts again. */
#include "lang/check.h"

#include <string.h>

/* ---- texts that the flattener needs, too ---- */

const char *brink_constraint_equations_text(brink_unit *unit, size_t equations) {
  bool one = equations == 1;
  return brink_unit_format(unit, "%s %zu constraint%s", one ? "is" : "are", equations,
                           one ? "" : "s");
}

const char *brink_constraint_unknowns_text(brink_unit *unit, size_t unknowns, const char *names) {
  if (unknowns == 0) return "0 unknowns";
  return brink_unit_format(unit, "%zu unknown%s (%s)", unknowns, unknowns == 1 ? "" : "s", names);
}

const char *brink_constraint_branches_text(brink_unit *unit, const size_t *counts, size_t n) {
  enum { SHOWN = 10 };
  const char *text = "";
  for (size_t k = 0; k < n && k < SHOWN; k++) {
    const char *joint = k == 0 ? "" : k + 1 == n ? " and " : ", ";
    text = brink_unit_format(unit, "%s%s%zu", text, joint, counts[k]);
  }
  return n > SHOWN ? brink_unit_format(unit, "%s, …", text) : text;
}

const char *brink_constraint_unknown_text(brink_unit *unit, const char *names, size_t named,
                                          const brink_symbol *symbol, size_t length) {
  enum { SHOWN = 8 };
  if (named > SHOWN) return names;
  if (named == SHOWN) return brink_unit_format(unit, "%s, …", names);
  const char *text = symbol->name;
  if (symbol->vector) text = brink_unit_format(unit, "%s[1..%zu]", text, length);
  if (symbol->kind == BRINK_SYMBOL_STATE) text = brink_unit_format(unit, "%s'", text);
  return named == 0 ? text : brink_unit_format(unit, "%s, %s", names, text);
}

/* ---- what is unknown ---- */

static void note_defined(brink_checker *c, const brink_ast_block *block) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    for (size_t j = 0; j < s->nblocks; j++) note_defined(c, &s->block[j]);
    if (s->kind != BRINK_STATEMENT_EQUATION || s->target->op != BRINK_AST_NAME ||
        s->target->nparts != 1)
      continue;
    brink_symbol *symbol = brink_check_lookup(c, s->target->part[0].name);
    if (symbol != NULL) symbol->unknown = false;
  }
}

void brink_check_unknowns(brink_checker *c) {
  brink_component *component = c->component;
  if (component->kind != BRINK_CTC || !component->section[BRINK_SECTION_CONSTRAINTS].present)
    return;
  for (brink_symbol *symbol = component->symbols; symbol != NULL; symbol = symbol->next)
    symbol->unknown =
        symbol->kind == BRINK_SYMBOL_VARIABLE && symbol->read_type == BRINK_TYPE_SIGNAL;
  note_defined(c, &component->section[BRINK_SECTION_DYNAMICS].body);
  note_defined(c, &component->section[BRINK_SECTION_OUTPUT].body);
}

/* ---- counting ---- */

/* How many equations stand in a block; false: it is not known here. */
static bool count_block(brink_checker *c, const brink_ast_block *block, double *count);

static bool count_branches(brink_checker *c, const brink_ast_statement *s, double *count) {
  size_t n = s->nconditions + 1; /* an else that is missing holds nothing */
  size_t *counts = brink_unit_take(c->unit, n, sizeof *counts);
  bool same = true;
  if (counts == NULL) return false;
  for (size_t k = 0; k < s->nblocks; k++) {
    double held = 0.0;
    if (!count_block(c, &s->block[k], &held)) return false;
    counts[k] = (size_t)held;
  }
  for (size_t k = 1; k < n; k++) same = same && counts[k] == counts[0];
  if (!same)
    brink_check_error(c, BRINK_MSG_CONSTRAINT_BRANCHES, s->place,
                      "in every branch there are as many equations as unknowns",
                      "the branches of this if hold %s equations",
                      brink_constraint_branches_text(c->unit, counts, n));
  *count += (double)counts[0];
  return same;
}

static bool count_statement(brink_checker *c, const brink_ast_statement *s, double *count) {
  double inner = 0.0;
  switch (s->kind) {
  case BRINK_STATEMENT_EQUATION:
    if (s->target->vector || s->expr->vector || s->target->type == BRINK_TYPE_UNKNOWN ||
        s->expr->type == BRINK_TYPE_UNKNOWN)
      return false;
    *count += 1.0;
    return true;
  case BRINK_STATEMENT_IF:
    return count_branches(c, s, count);
  case BRINK_STATEMENT_FOR:
    if (!count_block(c, &s->block[0], &inner) || !s->lo->constant || !s->hi->constant) return false;
    if (s->hi->number >= s->lo->number) *count += inner * (s->hi->number - s->lo->number + 1.0);
    return *count < 1e9;
  default:
    return false;
  }
}

static bool count_block(brink_checker *c, const brink_ast_block *block, double *count) {
  bool certain = true;
  for (size_t k = 0; k < block->count; k++)
    certain = count_statement(c, block->statement[k], count) && certain;
  return certain;
}

/* Is this unknown, or does it have an unknown derivative? false in *certain: perhaps, in part. */
static bool is_unknown(brink_checker *c, const brink_symbol *symbol, bool *certain) {
  if (symbol->unknown) return true;
  if (symbol->kind != BRINK_SYMBOL_STATE || symbol->read_type != BRINK_TYPE_SIGNAL) return false;
  if (!symbol->defined) return true;
  if (symbol->vector &&
      !brink_check_is_defined(c, c->equations, brink_unit_format(c->unit, "%s'", symbol->name)))
    *certain = false;
  return false;
}

void brink_check_constraints(brink_checker *c) {
  brink_ast_section *section = &c->component->section[BRINK_SECTION_CONSTRAINTS];
  brink_check_section(c, BRINK_IN_CONSTRAINTS, &section->body, section->damaged);
  if (section->damaged || c->lhs_uncertain || c->component->names_uncertain) return;
  double equations = 0.0, unknowns = 0.0;
  size_t named = 0;
  const char *names = "";
  bool certain = count_block(c, &section->body, &equations);
  for (const brink_symbol *symbol = c->component->symbols; symbol != NULL; symbol = symbol->next) {
    if (!is_unknown(c, symbol, &certain)) continue;
    if (symbol->vector && !symbol->size->constant) certain = false;
    if (!certain) return;
    double length = symbol->vector ? symbol->size->number : 1.0;
    names = brink_constraint_unknown_text(c->unit, names, named++, symbol, (size_t)length);
    unknowns += length;
  }
  if (!certain || equations == unknowns || unknowns > 1e9) return;
  const char *given = brink_constraint_equations_text(c->unit, (size_t)equations);
  const char *wanted = brink_constraint_unknowns_text(c->unit, (size_t)unknowns, names);
  if (unknowns > equations)
    brink_check_error(c, BRINK_MSG_TOO_FEW_CONSTRAINTS, section->place,
                      "add a constraint, or define one of them in dynamics", "%s, but there %s",
                      wanted, given);
  else
    brink_check_error(c, BRINK_MSG_TOO_MANY_CONSTRAINTS, section->place,
                      "each needs a variable that dynamics does not define", "there %s for %s",
                      given, wanted);
}
