/* check.h: what the files of the checker share.
 *
 * The checker goes through a unit in passes (check.c): first the names of everything, then the
 * bodies of functions, then each component. It writes what it finds into the tree and reports
 * errors, each once: an expression with an error in it has the type UNKNOWN, and nothing is reported
 * about operations on UNKNOWN.
 *
 *   check.c           the passes; reporting; the table of names
 *   check_names.c     what a path means; what may be seen from where; did you mean …
 *   check_expr.c      the types of expressions
 *   check_call.c      functions, predefined and the model's own
 *   check_table.c     tables from files
 *   check_declare.c   declarations: sizes, ranges, knobs and views, instances, clocks
 *   check_value.c     does a value fit? assignments, arguments, simulation
 *   check_define.c    left-hand sides: defined once, in every branch
 *   check_block.c     statements
 *   check_body.c      the sections of a component: which it may have, what they leave undefined
 *   check_constraint.c  constraints: what is unknown; as many equations as unknowns
 *   check_connect.c   connections
 *   check_extends.c   components that extend others
 *   check_agents.c    populations and pairs */
#ifndef BRINK_LANG_CHECK_H
#define BRINK_LANG_CHECK_H

#include "lang/ast.h"

/* Where an expression or a statement stands: this decides what it may contain. */
typedef enum brink_context {
  BRINK_IN_DECLARATIONS, /* sizes, ranges, clocks, bounds of loops */
  BRINK_IN_ASSIGNMENTS,
  BRINK_IN_ARGUMENTS, /* of an instance */
  BRINK_IN_SIMULATION,
  BRINK_IN_OPTION,   /* of a run, by itself: constant.h */
  BRINK_IN_FUNCTION, /* the body of a function, apart from any call */
  BRINK_IN_INITIAL,
  BRINK_IN_DYNAMICS,
  BRINK_IN_CONSTRAINTS,
  BRINK_IN_OUTPUT,
  BRINK_IN_UPDATE,
  BRINK_IN_RULES,
  BRINK_IN_WHEN,
  BRINK_IN_EVENT,
  BRINK_IN_ON_EVENT,
  BRINK_IN_CONNECTIONS,
  BRINK_IN_PAIR, /* reach(…) */
  BRINK_CONTEXT_COUNT
} brink_context;

/* Which statements a section holds is the parser's affair. */
typedef struct brink_context_rule {
  const char *name;
  bool constant;  /* only what is known before the run */
  bool random;    /* uniform, normal, … */
  bool pre;       /* pre(x) */
  bool equations; /* all branches of an if define the same left-hand sides */
} brink_context_rule;

/* An entry of the table of names: (owner, name) -> value. */
typedef struct brink_check_entry {
  const void *owner;
  const char *name;
  void *value;
} brink_check_entry;

/* A local name that hides another until its block ends. */
typedef struct brink_check_local {
  brink_symbol *symbol;
  void *hidden;
} brink_check_local;

/* One left-hand side. */
typedef struct brink_check_lhs {
  const char
      *text; /* h, x[2]', car[i].x: indices as written, loop variables by their declarations */
  const char *coarse; /* the same without indices */
  bool inexact;       /* has an index that is not a literal */
  bool has_elements;  /* a vector, or in an array of components, with index or without */
  brink_symbol *symbol;
  brink_place place;
} brink_check_lhs;

/* The left-hand sides on one path through a section. Its address owns entries in the table. */
typedef struct brink_check_list {
  brink_check_lhs *item;
  size_t count, capacity;
  bool uncertain; /* some left-hand side could not be made out */
} brink_check_list;

typedef struct brink_checker {
  brink_unit *unit;
  brink_component *component; /* NULL: between components */
  brink_ast_pair *pair;       /* NULL: outside pair blocks */
  brink_context context;
  bool prime; /* x' may be read here */

  brink_check_entry *table; /* open addressing, a power of two */
  size_t table_count, table_size;
  brink_text scratch;       /* texts under construction */
  brink_check_local *local; /* the local names in scope */
  size_t nlocals, local_capacity;

  /* While the body of a function is checked for one call: errors are reported at the call. */
  brink_user_function *function;
  brink_place call_place;
  bool calling;
  size_t depth;        /* of the present expression, functions inserted */
  size_t deepest;      /* … and the deepest so far */
  double nodes;        /* operations counted so far, functions inserted */
  bool body_has_error; /* something was reported in the present function's body */

  brink_check_list *equations; /* of the present component or pair, all sections together */
  bool components_uncertain;   /* a syntax error may have swallowed components or functions */
  brink_symbol poison;         /* stands for every name that was reported as unknown */
  bool damaged;          /* a syntax error in the present section: what it defines is uncertain */
  bool lhs_uncertain;    /* a left-hand side of this component could not be made out */
  size_t nsyntax;        /* how many of the unit's items the parser reported */
  const void *locals_of; /* owner of the local names in the table: &local */
} brink_checker;

/* ---- check.c ---- */

const brink_context_rule *brink_check_rule(brink_context context);

/* Reports an error (in the body of a function under a call: at the call) and marks the component. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void brink_check_error(brink_checker *c, brink_message code, brink_place place, const char *hint, const char *format,
                       ...);
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void brink_check_warning(brink_checker *c, brink_message code, brink_place place, const char *hint, const char *format,
                         ...);

/* Did the parser report something on this line? */
bool brink_check_on_damaged_line(const brink_checker *c, brink_place place);

/* "line 12", or "gears.hsml:12" of another file than that of `here`. */
const char *brink_check_line_text(brink_checker *c, brink_place place, brink_place here);

void *brink_check_find(const brink_checker *c, const void *owner, const char *name);
/* Returns what stood there before; NULL: nothing. */
void *brink_check_put(brink_checker *c, const void *owner, const char *name, void *value);

/* check_call.c: the queue of this component that a name means; NULL: it is none, and that was reported. */
brink_symbol *brink_check_queue(brink_checker *c, brink_ast_expr *name);
bool brink_is_numeric(brink_type type);           /* UNKNOWN is */
const char *brink_a_type(brink_type type);        /* "an integer" */
const char *brink_a_kind(brink_symbol_kind kind); /* "an input" */
const char *brink_a_component(brink_component_kind kind);

/* ---- check_names.c ---- */

/* Local names: visible until the scope that was opened before them closes. */
size_t brink_check_open_scope(const brink_checker *c);
void brink_check_close_scope(brink_checker *c, size_t mark);
void brink_check_declare_local(brink_checker *c, brink_symbol *symbol);

/* What a single name means here; NULL: nothing. &c->poison: reported already. */
brink_symbol *brink_check_lookup(const brink_checker *c, const char *name);

/* Resolves a path: fills its symbols, checks its indices. Returns the last symbol, or NULL after a
 * report (or where one would follow from an earlier one). Finds everything; visibility is checked apart. */
brink_symbol *brink_check_path(brink_checker *c, brink_ast_expr *expr);
/* May the present place read the end of this path, which brink_check_path has resolved? Reports. */
bool brink_check_visible(brink_checker *c, const brink_ast_expr *expr);

brink_predefined brink_check_predefined(const char *name);
void brink_check_unknown(brink_checker *c, const char *name, brink_place place);
/* "one of "a", "b" …", and the nearest to `wrong` if there is one. */
const char *brink_check_one_of(brink_checker *c, const brink_ast_range *set, const char *wrong);
const char *brink_check_did_you_mean(brink_checker *c, const char *nearest);
/* check_import.c: which file beside the model holds the missing class of an instance; NULL: none. */
const char *brink_check_import_hint(brink_checker *c, const char *class_name,
                                    brink_place class_place);
const char *brink_check_nearest_component(const brink_checker *c, const char *name, bool *damaged);
/* "plant.h", or "car[i].x": with indices, equal texts mean the same thing. */
const char *brink_check_path_text(brink_checker *c, const brink_ast_expr *expr, bool indices);
/* Not for people: equal texts mean equal values. */
const char *brink_check_expr_text(brink_checker *c, const brink_ast_expr *expr);

/* ---- check_expr.c, check_call.c ---- */

/* How deep an expression may be with all functions inserted: deeper than anything that a person
 * writes, and shallow enough for the stack of whoever walks the tree after us. */
#define BRINK_CHECK_DEEPEST ((size_t)2000)

/* Types an expression and everything in it. */
void brink_check_expr(brink_checker *c, brink_ast_expr *expr);
void brink_check_expr_in(brink_checker *c, brink_context context, brink_ast_expr *expr);
/* The same, and it must be a number / a scalar boolean / a whole number. */
bool brink_check_number(brink_checker *c, brink_ast_expr *expr, const char *what);
void brink_check_condition(brink_checker *c, brink_ast_expr *expr);
/* The rank of an arithmetic operator of operands with these; -1: they do not go together (reported). */
int brink_check_ranks(brink_checker *c, const brink_ast_expr *expr, int a, int b);
bool brink_check_whole(brink_checker *c, brink_ast_expr *expr, const char *what);
void brink_check_call(brink_checker *c, brink_ast_expr *expr);
void brink_check_functions(brink_checker *c);
void brink_check_argument_count(brink_checker *c, const brink_ast_expr *call, size_t count);

/* check_table.c: a function without a body: a table, whose file is read, or an external one. Types a call of it. */
void brink_check_plain_function(brink_checker *c, brink_user_function *f);
void brink_check_plain_call(brink_checker *c, brink_ast_expr *call);
/* Is the name of one part a constant of a library? Then it is typed. */
bool brink_check_constant(brink_checker *c, brink_ast_expr *name);

/* check_function.c */

/* Arguments are in scope. */
void brink_check_function_statements(brink_checker *c, brink_user_function *f);
bool brink_check_result_count(brink_checker *c, const brink_ast_expr *call);
void brink_check_recursion(brink_checker *c, const brink_ast_expr *call);

/* ---- check_declare.c, check_value.c ---- */

void brink_check_declarations(brink_checker *c, brink_symbol *symbols);
void brink_check_mentions(brink_checker *c);
void brink_check_clock(brink_checker *c);

bool brink_check_in_set(const brink_checker *c, const brink_ast_range *set, const char *text);
/* May `expr`, typed already, be given to `symbol` (to what this index names of it; NULL: all)? Reports. */
void brink_check_fits(brink_checker *c, const brink_symbol *symbol, const brink_ast_expr *index,
                      brink_ast_expr *expr);
/* Are two strings comparable? Reports values outside the other's set. */
void brink_check_comparable(brink_checker *c, brink_ast_expr *a, brink_ast_expr *b);
void brink_check_assignments(brink_checker *c, brink_ast_section *section);
/* name[i] : expr; in a loop. */
void brink_check_assigned(brink_checker *c, brink_ast_statement *statement, brink_check_list *list);
void brink_check_arguments(brink_checker *c, brink_symbol *instance);
void brink_check_simulation(brink_checker *c);

/* ---- check_define.c, check_block.c ---- */

/* Is this left-hand side defined by the equations of the component? */
bool brink_check_replaces(brink_checker *c, const brink_ast_expr *target, brink_symbol *symbol);
/* Was this text defined in this list? */
bool brink_check_is_defined(const brink_checker *c, const brink_check_list *list, const char *text);
void brink_check_define(brink_checker *c, brink_check_list *list, const brink_ast_expr *target,
                        brink_symbol *symbol);
/* Joins the branches of an if into `list`; in equations, they must define the same. */
void brink_check_join(brink_checker *c, brink_check_list *list,
                      const brink_ast_statement *statement, brink_check_list *branch);
/* The bounds of a loop, and its variable, in the present scope. */
void brink_check_loop(brink_checker *c, brink_ast_statement *loop);
void brink_check_block(brink_checker *c, brink_ast_block *block, brink_check_list *list);
/* A section on its own: a fresh list, a scope of its own. */
void brink_check_section(brink_checker *c, brink_context context, brink_ast_block *block,
                         bool damaged);
void brink_check_connect(brink_checker *c, brink_ast_statement *statement, brink_check_list *list);

/* ---- check_constraint.c ---- */

/* Which variables are unknown? Before anything assigns them. */
void brink_check_unknowns(brink_checker *c);
void brink_check_constraints(brink_checker *c);

/* ---- check_extends.c ---- */

/* What is wrong with the components that others extend; what a partial one may not be. */
void brink_check_bases(brink_checker *c);

/* ---- check_body.c, check_agents.c ---- */

void brink_check_component(brink_checker *c, brink_component *component);
void brink_check_events(brink_checker *c, brink_ast_event *events);
/* Which flags are formulas? Before anything reads them. */
void brink_check_formulas(brink_checker *c, const brink_ast_block *dynamics);
/* Everything in this list that needs an equation has one. */
void brink_check_all_defined(brink_checker *c, brink_symbol *symbols);
void brink_check_partners(brink_checker *c);
void brink_check_agents(brink_checker *c);

#endif
