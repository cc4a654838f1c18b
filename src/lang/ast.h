/* ast.h: a parsed model: sources, diagnostics, syntax trees.
 *
 * The parser (parse.c) makes these trees; the checker (check.c) resolves the names in them and
 * writes what it found into the fields marked "checked"; the flattener (flatten.c) reads both.
 * Everything lives in the arena of one brink_unit. */
#ifndef BRINK_LANG_AST_H
#define BRINK_LANG_AST_H

#include "lang/report.h"

/* ---- expressions ---- */

typedef enum brink_type {
  BRINK_TYPE_UNKNOWN, /* an error was reported: anything goes */
  BRINK_TYPE_SIGNAL,  /* a real that varies in continuous time */
  BRINK_TYPE_REAL,
  BRINK_TYPE_INTEGER,
  BRINK_TYPE_BOOLEAN,
  BRINK_TYPE_STRING,
} brink_type;

typedef enum brink_ast_op {
  BRINK_AST_NUMBER,
  BRINK_AST_TEXT,  /* "high" */
  BRINK_AST_NAME,  /* a path: h, x[2], plant.h, car[i].x[1] */
  BRINK_AST_PRIME, /* x': arg[0] is the NAME */
  BRINK_AST_NEGATE,
  BRINK_AST_NOT,
  BRINK_AST_ADD,
  BRINK_AST_SUB,
  BRINK_AST_MUL,
  BRINK_AST_DIV,
  BRINK_AST_POW,
  BRINK_AST_LT,
  BRINK_AST_LE,
  BRINK_AST_GT,
  BRINK_AST_GE,
  BRINK_AST_EQ,
  BRINK_AST_NE,
  BRINK_AST_AND,
  BRINK_AST_OR,
  BRINK_AST_IF,     /* arg[0] condition, arg[1] then, arg[2] else */
  BRINK_AST_CALL,   /* text is the function's name; args */
  BRINK_AST_VECTOR, /* [a, b, c] */
  BRINK_AST_DAMAGED /* stands where a syntax error was; never reported again */
} brink_ast_op;

/* Predefined functions. text, id, fewest arguments, most (0: any number) */
#define BRINK_FUNCTION_LIST(X)                                                                     \
  X("sin", SIN, 1, 1)                                                                              \
  X("cos", COS, 1, 1)                                                                              \
  X("tan", TAN, 1, 1)                                                                              \
  X("asin", ASIN, 1, 1)                                                                            \
  X("acos", ACOS, 1, 1)                                                                            \
  X("atan", ATAN, 1, 1)                                                                            \
  X("atan2", ATAN2, 2, 2)                                                                          \
  X("sinh", SINH, 1, 1)                                                                            \
  X("cosh", COSH, 1, 1)                                                                            \
  X("tanh", TANH, 1, 1)                                                                            \
  X("exp", EXP, 1, 1)                                                                              \
  X("log", LOG, 1, 1)                                                                              \
  X("log10", LOG10, 1, 1)                                                                          \
  X("sqrt", SQRT, 1, 1)                                                                            \
  X("abs", ABS, 1, 1)                                                                              \
  X("sign", SIGN, 1, 1)                                                                            \
  X("min", MIN, 2, 0)                                                                              \
  X("max", MAX, 2, 0)                                                                              \
  X("floor", FLOOR, 1, 1)                                                                          \
  X("ceil", CEIL, 1, 1)                                                                            \
  X("mod", MOD, 2, 2)                                                                              \
  X("hypot", HYPOT, 2, 2)                                                                          \
  X("dot", DOT, 2, 2)                                                                              \
  X("norm", NORM, 1, 1)                                                                            \
  X("sum", SUM, 1, 1)                                                                              \
  X("pre", PRE, 1, 1)                                                                              \
  X("sgn", SGN, 1, 1)                                                                              \
  X("noevent", NOEVENT, 1, 1)                                                                      \
  X("uniform", UNIFORM, 2, 2)                                                                      \
  X("normal", NORMAL, 2, 2)                                                                        \
  X("table", TABLE, 3, 3)

typedef enum brink_function {
#define BRINK_FUNCTION_ENUM(text, id, least, most) BRINK_FN_##id,
  BRINK_FUNCTION_LIST(BRINK_FUNCTION_ENUM)
#undef BRINK_FUNCTION_ENUM
      BRINK_FN_USER, /* a `function` of the model */
} brink_function;

typedef struct brink_symbol brink_symbol;
typedef struct brink_component brink_component;
typedef struct brink_user_function brink_user_function;
typedef struct brink_ast_expr brink_ast_expr;

/* One part of a path: name, name[index]. */
typedef struct brink_ast_part {
  const char *name;
  brink_ast_expr *index; /* NULL: none */
  brink_place place;
  brink_symbol
      *symbol; /* checked: what the name means in the scope reached so far; NULL: nothing */
} brink_ast_part;

/* Names that need no declaration. */
typedef enum brink_predefined {
  BRINK_PREDEFINED_NOT, /* checked: the name is a declared one */
  BRINK_PREDEFINED_TRUE,
  BRINK_PREDEFINED_FALSE,
  BRINK_PREDEFINED_INF,
  BRINK_PREDEFINED_PI,
  BRINK_PREDEFINED_TIME, /* time, t */
} brink_predefined;

/* In an order without holes: most of a large model's memory is these. */
struct brink_ast_expr {
  brink_ast_op op;
  brink_place place; /* of the operator, or of the whole thing if it has none */
  uint32_t height;   /* of the tree below, at most BRINK_EXPR_HEIGHT: recursion over it is safe */
  double number;     /* NUMBER */
  const char *text;  /* TEXT, CALL; NUMBER: as written */
  brink_ast_part *part; /* NAME */
  size_t nparts;
  brink_ast_expr **arg; /* operands, arguments, elements */
  size_t nargs;
  bool whole;         /* NUMBER: written without point and exponent */
  bool parenthesised; /* for format.c */

  /* checked */
  bool vector;   /* more than one element: a declared vector without index, … */
  bool constant; /* made of literals alone: `number` is its value (booleans: 0 or 1) */
  brink_type type;
  brink_predefined predefined; /* NAME with one part */
  brink_function function;     /* CALL */
  brink_user_function *user;   /* CALL of a model's own function */
};

/* ---- declarations ---- */

typedef enum brink_symbol_kind {
  BRINK_SYMBOL_INPUT,
  BRINK_SYMBOL_OUTPUT,
  BRINK_SYMBOL_STATE,
  BRINK_SYMBOL_PARAMETER,
  BRINK_SYMBOL_VARIABLE,
  BRINK_SYMBOL_FLAG,
  BRINK_SYMBOL_MODE,
  BRINK_SYMBOL_INSTANCE, /* of another component */
  BRINK_SYMBOL_LOOP,     /* the variable of a for */
  BRINK_SYMBOL_LET,
  BRINK_SYMBOL_ARGUMENT, /* of a function */
  BRINK_SYMBOL_PARTNER,  /* a or b of a pair block */
} brink_symbol_kind;

/* (lo, hi) or { "a", "b" } or { 1, 2 } */
typedef struct brink_ast_range {
  bool given, is_set;
  brink_place place;
  brink_ast_expr *lo, *hi;
  brink_ast_expr **item; /* of a set: TEXT or NUMBER */
  size_t nitems;
} brink_ast_range;

typedef struct brink_ast_value brink_ast_value;

struct brink_symbol {
  brink_symbol_kind kind;
  const char *name;
  brink_place place;
  brink_type type;
  brink_place type_place;
  brink_ast_expr *size; /* vectors and arrays of components; NULL: one */
  brink_ast_range range;
  const char *unit;   /* NULL: none given */
  brink_side side;    /* FLAG */
  bool knob, view;    /* named in the interface as such */
  brink_symbol *next; /* in declaration order within its component (or pair block) */

  const char *class_name; /* INSTANCE: the component's name … */
  brink_place class_place;
  brink_ast_value *values; /* … and its arguments */
  size_t nvalues;
  brink_component *class_;  /* checked: INSTANCE, PARTNER */
  brink_symbol *population; /* checked: PARTNER: the instance array it comes from */
  size_t order;             /* checked: position among its component's symbols, from 0 */
  bool boolean_flag;        /* checked: FLAG: defined by a formula */
  brink_symbol *same_as;    /* flattening: LOOP: the variable of the same loop in another branch */
  brink_type read_type; /* checked: of an expression that names it: a ctc's real state is SIGNAL */
  bool vector;          /* checked: has elements: declared with a size, or a LET of a vector */
  bool defined;         /* checked: some equation, constraint or connection defines it */
  bool unknown;     /* checked: VARIABLE that no equation defines: the constraints determine it */
  bool has_initial; /* checked: set by `initial`, its own or that of a component around it */
  brink_ast_expr
      *definition; /* checked: LET: what it names; FLAG: its equation, if it has just one */
};

/* name : expr;  in assignments, instance arguments and simulation */
struct brink_ast_value {
  brink_place place;
  const char *name;
  brink_symbol *symbol;  /* checked */
  brink_ast_expr *index; /* name[index] : expr; NULL: none */
  brink_ast_expr *expr;
};

/* ---- statements ---- */

typedef enum brink_ast_statement_kind {
  BRINK_STATEMENT_ASSIGN, /* target := expr;  guess target := expr; */
  BRINK_STATEMENT_EQUATION, /* target = expr;  target is NAME, PRIME, or any expression in constraints */
  BRINK_STATEMENT_IF,   /* conditions[k] then blocks[k]; the last block without condition: else */
  BRINK_STATEMENT_FOR,  /* for loop in lo..hi loop body */
  BRINK_STATEMENT_WHEN, /* when condition do body */
  BRINK_STATEMENT_LET,  /* let symbol = expr; */
  BRINK_STATEMENT_STOP, /* stop("message") */
  BRINK_STATEMENT_FAIL,
  BRINK_STATEMENT_NOTE,    /* note("label", e, …): text, args */
  BRINK_STATEMENT_CONNECT, /* connect(target's source = expr, target) */
  BRINK_STATEMENT_LEAVE,   /* leave positive-going when condition */
  BRINK_STATEMENT_REACH,   /* reach(a.x, a.y, a.r): args */
} brink_ast_statement_kind;

typedef struct brink_ast_statement brink_ast_statement;

typedef struct brink_ast_block {
  brink_ast_statement **statement;
  size_t count;
} brink_ast_block;

struct brink_ast_statement {
  brink_ast_statement_kind kind;
  brink_place place;
  brink_ast_expr *target, *expr; /* ASSIGN, EQUATION; CONNECT: expr is the source; LET: expr */
  brink_ast_expr **condition;    /* IF: one for each block but an else; WHEN, LEAVE: one */
  size_t nconditions;
  brink_ast_block *block; /* IF: nblocks; FOR, WHEN: one */
  size_t nblocks;
  brink_symbol *symbol;    /* FOR: the loop variable; LET: the name */
  brink_ast_expr *lo, *hi; /* FOR */
  const char *text;        /* STOP, FAIL, NOTE */
  brink_ast_expr **arg;    /* NOTE, REACH */
  size_t nargs;
  brink_direction direction; /* LEAVE */
  bool guess;                /* ASSIGN: only where to start looking */
};

/* ---- components ---- */

typedef enum brink_component_kind {
  BRINK_CTC,
  BRINK_DTC,
  BRINK_LBC,
  BRINK_COMPOSITE,
  BRINK_SYSTEM,
} brink_component_kind;

typedef enum brink_section_kind {
  BRINK_SECTION_INTERFACE,
  BRINK_SECTION_DECLARATIONS,
  BRINK_SECTION_INITIAL,
  BRINK_SECTION_DYNAMICS,
  BRINK_SECTION_CONSTRAINTS,
  BRINK_SECTION_OUTPUT,
  BRINK_SECTION_UPDATE,
  BRINK_SECTION_RULES,
  BRINK_SECTION_COMPONENTS,
  BRINK_SECTION_CONNECTIONS,
  BRINK_SECTION_AGENTS,
  BRINK_SECTION_SIMULATION,
  BRINK_SECTION_ASSIGNMENTS,
  BRINK_SECTION_EVENT,
  BRINK_SECTION_COUNT
} brink_section_kind;

/* A section as written; `values` for assignments and simulation, `body` for the others. */
typedef struct brink_ast_section {
  bool present;
  bool damaged; /* a syntax error inside: checks that need it are skipped */
  brink_place place;
  brink_ast_block body;
  brink_ast_value *values;
  size_t nvalues;
} brink_ast_section;

typedef struct brink_ast_event brink_ast_event;

/* event(flag) … end event; */
struct brink_ast_event {
  brink_place place;
  const char *flag_name;
  brink_place flag_place;
  brink_symbol *flag; /* checked */
  bool has_negative, has_positive, has_on;
  brink_ast_block negative, positive;
  brink_ast_block on; /* assignments and calls, equations, LEAVE statements, mixed */
  bool damaged;
  brink_ast_event *next;
};

typedef struct brink_ast_population {
  const char *name;
  brink_place place;
  brink_symbol *symbol; /* checked: an INSTANCE with a size */
} brink_ast_population;

/* pair(a, b) in car, truck … end pair; */
typedef struct brink_ast_pair brink_ast_pair;
struct brink_ast_pair {
  brink_place place;
  brink_symbol *partner[2];       /* PARTNER; class_ and population are checked */
  const char *population_name[2]; /* [1] NULL: both from one */
  brink_place population_place[2];
  brink_symbol *symbols; /* declarations inside: flags, variables, parameters */
  brink_ast_section dynamics, assignments;
  brink_ast_event *events;
  brink_ast_block reach; /* REACH statements */
  bool damaged;
  brink_ast_pair *next;
};

struct brink_component {
  brink_component_kind kind;
  const char *name;
  brink_place place;     /* of the name */
  brink_symbol *symbols; /* interface, declarations and instances, in textual order */
  brink_ast_section section[BRINK_SECTION_COUNT];
  brink_ast_event *events;
  bool has_sample, has_priority;
  brink_place sample_place, priority_place;
  brink_ast_expr *period, *offset; /* sample(period, offset); offset may be NULL */
  brink_ast_expr *priority;
  brink_ast_population *populations;
  size_t npopulations;
  brink_ast_pair *pairs;
  brink_component *next;

  /* Names under knob(…) and view(…), as written. */
  struct brink_ast_mention {
    const char *name;
    brink_place place;
    bool is_knob;
  } * mentions;
  size_t nmentions;

  size_t nsymbols;      /* checked */
  bool holes;           /* something between its sections was skipped after a syntax error */
  bool names_uncertain; /* checked: a syntax error may have swallowed declarations */
  bool damaged; /* a syntax error somewhere in it, or an error of the checker: not instantiated */
};

/* function f(a, b) = expr; */
struct brink_user_function {
  const char *name;
  brink_place place;
  brink_symbol **argument;
  size_t narguments;
  brink_ast_expr *body;
  brink_user_function *next;

  /* checked; in its body, types are those of one of its calls */
  bool damaged;
  int visit;    /* of the search for recursion: 0 not yet, 1 under way, 2 done */
  size_t depth; /* of its body with all functions inserted */
  double nodes; /* likewise: how many operations */
};

/* ---- the unit: one file and what it imports ---- */

typedef struct brink_file {
  const char *path; /* as the user wrote it, or relative to the importing file */
  const char *text; /* NUL at the end */
  size_t length;
} brink_file;

/* What format.c needs of a token, besides the token. */
typedef struct brink_layout_mark {
  uint32_t offset; /* of the token in the main file; marks are in this order */
  uint16_t depth;  /* LINE: levels of indentation */
  uint16_t kind;   /* a brink_layout */
} brink_layout_mark;

typedef enum brink_layout {
  BRINK_LAYOUT_LINE,  /* the token begins a line */
  BRINK_LAYOUT_LOWER, /* a keyword that is not in lower case */
  BRINK_LAYOUT_SPACE, /* a keyword, with a space before a parenthesis that follows */
} brink_layout;

/* How the parser reads files, and the checker those whose import may be missing: returns text in memory from malloc,
 * NUL-terminated, or NULL with a reason. Tests and fuzzers supply their own. */
typedef struct brink_reader {
  char *(*read)(const char *path, size_t *length, const char **reason, void *user);
  void *user;
} brink_reader;

struct brink_unit {
  brink_arena arena;
  brink_reader reader; /* `user` must live as long as the unit */
  brink_file *files;
  size_t nfiles, files_capacity;
  brink_component *components, **components_end; /* imported ones first, in textual order */
  brink_user_function *functions, **functions_end;
  brink_component *last;   /* the last component of the main file */
  brink_component *system; /* the main file's system, or NULL */
  brink_report_item *items;
  size_t nitems, items_capacity;
  size_t nerrors, nwarnings; /* of the text; also those that were dropped */
  size_t nsettings;          /* errors of the caller's settings */
  size_t reported;           /* items so far: gives each its number */
  bool out_of_memory;
  bool too_many;             /* more than BRINK_REPORT_LIMIT items: the rest were dropped */
  brink_layout_mark *layout; /* of the main file */
  size_t nlayout, layout_capacity;
};

/* Limits of a model: nesting of blocks and brackets (recursion in the parser),
 * height of expressions (recursion in everything that walks them), nodes (memory). */
#define BRINK_NESTING_LIMIT 200
#define BRINK_EXPR_HEIGHT 1000
#define BRINK_NODE_LIMIT ((size_t)20000000)
#define BRINK_NAME_LIMIT 255 /* characters of a name */

/* A formatted text in the unit's arena; "" when memory is out. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
const char *
brink_unit_format(brink_unit *unit, const char *format, ...);

/* Memory of the unit; NULL only when there is none (out_of_memory is then set). 16-byte aligned. */
void *brink_unit_take(brink_unit *unit, size_t count, size_t size);

/* One more item of an array that grows in the unit's arena, as brink_arena_push; NULL only when there is no memory
 * (out_of_memory is then set). */
#define brink_unit_push(unit, array, count, capacity)                                              \
  brink_unit_note((unit), brink_arena_push(&(unit)->arena, array, count, capacity))
void *brink_unit_note(brink_unit *unit, void *memory); /* `memory`; NULL: sets out_of_memory */

/* The nearest of some names to `name`, for "did you mean"; NULL if none is near. Call repeatedly:
 * start with best = NULL. */
const char *brink_nearest(const char *name, const char *candidate, const char *best);

/* check_constraint.c: what checker and flattener say about constraints. */

/* "are 3 constraints"; "2 unknowns (Tc, q)"; "1 and 2", of the equations in the branches of an if */
const char *brink_constraint_equations_text(brink_unit *unit, size_t equations);
const char *brink_constraint_unknowns_text(brink_unit *unit, size_t unknowns, const char *names);
const char *brink_constraint_branches_text(brink_unit *unit, const size_t *counts, size_t n);
/* One more name in a list of so many: "Tc, v[1..3], x'". */
const char *brink_constraint_unknown_text(brink_unit *unit, const char *names, size_t named,
                                          const brink_symbol *symbol, size_t length);

/* ---- the front end ---- */

/* Reads files from disk; at most BRINK_FILE_LIMIT bytes each. */
extern const brink_reader brink_file_reader;
#define BRINK_FILE_LIMIT ((size_t)64 << 20)

/* parse.c: parses `path` and its imports. Returns NULL only when out of memory; otherwise see
 * unit->nerrors. A file that cannot be read sets *unreadable and reports nothing but *reason. */
brink_unit *brink_unit_parse(const char *path, const brink_reader *reader,
                             const brink_allocator *allocator, bool *unreadable,
                             const char **reason);
void brink_unit_destroy(brink_unit *unit);

/* check.c: resolves names, computes types, and reports everything that can be known about each
 * component by itself. */
void brink_unit_check(brink_unit *unit);

/* format.c: the main file in canonical layout, comments kept. Only for files without syntax errors. */
bool brink_unit_format_source(const brink_unit *unit, brink_text *text);

const char *brink_type_name(brink_type type);
const char *brink_component_kind_name(brink_component_kind kind);
const char *brink_section_name(brink_section_kind kind);
const char *brink_function_name(brink_function function);

#endif
