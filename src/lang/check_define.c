/* check_define.c: left-hand sides: each defined (or assigned) once on a path, and by every branch.
 *
 * Left-hand sides are compared as texts with their indices. Elements with literal indices are
 * compared here; what a loop defines depends on its bounds, so the flattener checks again. */
#include "lang/check.h"

#include <string.h>

static bool is_prime(const brink_ast_expr *target) {
  return target->op == BRINK_AST_PRIME;
}

static const brink_ast_expr *path_of(const brink_ast_expr *target) {
  return is_prime(target) ? target->arg[0] : target;
}

static bool has_inexact_index(const brink_ast_expr *path) {
  for (size_t k = 0; k < path->nparts; k++)
    if (path->part[k].index != NULL && !path->part[k].index->constant) return true;
  return false;
}

static brink_check_lhs make_lhs(brink_checker *c, const brink_ast_expr *target,
                                brink_symbol *symbol) {
  const brink_ast_expr *path = path_of(target);
  const char *mark = is_prime(target) ? "'" : "";
  brink_check_lhs lhs = {.symbol = symbol, .place = target->place};
  lhs.text = brink_check_path_text(c, path, true);
  lhs.coarse = brink_check_path_text(c, path, false);
  lhs.inexact = has_inexact_index(path);
  for (size_t k = 0; k < path->nparts; k++)
    if (path->part[k].symbol->vector) lhs.has_elements = true;
  if (*mark != '\0') {
    lhs.text = brink_unit_format(c->unit, "%s%s", lhs.text, mark);
    lhs.coarse = brink_unit_format(c->unit, "%s%s", lhs.coarse, mark);
  }
  if (path->nparts > 0) lhs.place = path->place;
  return lhs;
}

static void twice(brink_checker *c, const brink_check_lhs *lhs, brink_place first) {
  const char *from = lhs->symbol != NULL ? lhs->symbol->inherited_from : NULL;
  const char *hint =
      brink_unit_format(c->unit, "first at %s", brink_check_line_text(c, first, lhs->place));
  if (from != NULL && brink_check_rule(c->context)->equations)
    hint = brink_unit_format(c->unit,
                             "%s; equations that '%s' has cannot be replaced: leave them out there",
                             hint, from);
  bool connection = c->context == BRINK_IN_CONNECTIONS;
  bool equation = brink_check_rule(c->context)->equations;
  if (connection)
    brink_check_error(c, BRINK_MSG_CONNECTED_TWICE, lhs->place, hint, "'%s' is connected twice",
                      lhs->coarse);
  else if (equation)
    brink_check_error(c, BRINK_MSG_DEFINED_TWICE, lhs->place, hint, "'%s' is defined twice",
                      lhs->coarse);
  else
    brink_check_error(c, BRINK_MSG_ASSIGNED_TWICE, lhs->place, hint, "'%s' is assigned twice",
                      lhs->coarse);
}

/* The table has three kinds of entries for a list: "x[2]" the text; "x[]" some element of x;
 * "~x" the coarse name. All lead to the first left-hand side of their kind. */
static brink_place *find_place(const brink_checker *c, const brink_check_list *list,
                               const char *text) {
  return brink_check_find(c, list, text);
}

static bool defines(brink_checker *c, const brink_check_list *branch, const brink_check_lhs *lhs);

bool brink_check_replaces(brink_checker *c, const brink_ast_expr *target, brink_symbol *symbol) {
  brink_check_lhs lhs = make_lhs(c, target, symbol);
  return c->equations == NULL || defines(c, c->equations, &lhs);
}

bool brink_check_is_defined(const brink_checker *c, const brink_check_list *list,
                            const char *text) {
  return list != NULL && find_place(c, list, text) != NULL;
}

static void note_place(brink_checker *c, const brink_check_list *list, const char *text,
                       brink_place place) {
  brink_place *copy = brink_unit_take(c->unit, 1, sizeof *copy);
  if (copy == NULL) return;
  *copy = place;
  brink_check_put(c, list, text, copy);
}

/* Adds a left-hand side; false (after a report) if it is there already, whole or in part. */
static bool add(brink_checker *c, brink_check_list *list, const brink_check_lhs *lhs) {
  bool element = strcmp(lhs->text, lhs->coarse) != 0;
  const char *elements = NULL;
  if (element || lhs->has_elements) elements = brink_unit_format(c->unit, "%s[]", lhs->coarse);
  const brink_place *first = find_place(c, list, lhs->text);
  /* In initial, the whole and then an element: the later one counts. */
  if (first == NULL && element && c->context != BRINK_IN_INITIAL)
    first = find_place(c, list, lhs->coarse);
  if (first == NULL && !element && elements != NULL) first = find_place(c, list, elements);
  if (first != NULL) {
    if (!c->damaged) twice(c, lhs, *first);
    return false;
  }
  brink_check_lhs *added = brink_unit_push(c->unit, list->item, list->count, list->capacity);
  if (added == NULL) return false;
  *added = *lhs;
  note_place(c, list, lhs->text, lhs->place);
  if (element) note_place(c, list, elements, lhs->place);
  if (lhs->inexact) note_place(c, list, brink_unit_format(c->unit, "~%s", lhs->coarse), lhs->place);
  return true;
}

void brink_check_define(brink_checker *c, brink_check_list *list, const brink_ast_expr *target,
                        brink_symbol *symbol) {
  brink_check_lhs lhs = make_lhs(c, target, symbol);
  add(c, list, &lhs);
}

/* ---- branches ---- */

/* Does a branch define this, as far as it is known here? */
static bool defines(brink_checker *c, const brink_check_list *branch, const brink_check_lhs *lhs) {
  if (find_place(c, branch, lhs->text) != NULL) return true;
  if (find_place(c, branch, lhs->coarse) != NULL) return true; /* the whole vector */
  const char *elements = brink_unit_format(c->unit, "%s[]", lhs->coarse);
  if (find_place(c, branch, elements) == NULL) return false;
  if (lhs->inexact || strcmp(lhs->text, lhs->coarse) == 0) return true;
  return find_place(c, branch, brink_unit_format(c->unit, "~%s", lhs->coarse)) != NULL;
}

static bool branch_lacks(brink_checker *c, const brink_check_list *branch,
                         const brink_check_list *other) {
  for (size_t k = 0; k < other->count; k++) {
    if (defines(c, branch, &other->item[k])) continue;
    brink_check_error(c, BRINK_MSG_NOT_IN_EVERY_BRANCH, other->item[k].place,
                      "all branches of an if define the same left-hand sides",
                      "'%s' is not defined in every branch", other->item[k].coarse);
    return true;
  }
  return false;
}

/* Each branch is compared with the first, both ways; one report is enough. */
static void compare_branches(brink_checker *c, const brink_ast_statement *statement,
                             const brink_check_list *branch) {
  if (c->damaged) return;
  for (size_t k = 0; k < statement->nblocks; k++)
    if (branch[k].uncertain) return;
  for (size_t k = 1; k < statement->nblocks; k++)
    if (branch_lacks(c, &branch[k], &branch[0]) || branch_lacks(c, &branch[0], &branch[k])) return;
}

void brink_check_join(brink_checker *c, brink_check_list *list,
                      const brink_ast_statement *statement, brink_check_list *branch) {
  if (c->function == NULL && brink_check_rule(c->context)->equations)
    compare_branches(c, statement, branch);
  brink_check_list *all = brink_unit_take(c->unit, 1, sizeof *all);
  if (all == NULL) return;
  for (size_t k = 0; k < statement->nblocks; k++) {
    if (branch[k].uncertain) list->uncertain = true;
    for (size_t j = 0; j < branch[k].count; j++) {
      const brink_check_lhs *lhs = &branch[k].item[j];
      if (find_place(c, all, lhs->text) != NULL) continue;
      note_place(c, all, lhs->text, lhs->place);
      add(c, list, lhs);
    }
  }
}
