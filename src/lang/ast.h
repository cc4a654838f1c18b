/* ast.h: a parsed model: sources, diagnostics, syntax trees.
 *
 * The parser (parse.c) makes these trees; the checker (check.c) resolves the names in them and
 * writes what it found into the fields marked "checked"; the flattener (flatten.c) reads both.
 * Everything lives in the arena of one brink_unit. */
#ifndef BRINK_LANG_AST_H
#define BRINK_LANG_AST_H

#include "expr/external.h"
#include "lang/report.h"
#include "num/table.h"

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
  BRINK_AST_IF,      /* arg[0] condition, arg[1] then, arg[2] else */
  BRINK_AST_CALL,    /* text is the function's name; args */
  BRINK_AST_VECTOR,  /* [a, b, c]; its elements may be vectors: the rows of a matrix */
  BRINK_AST_EACH,    /* e for i in lo..hi: arg[0] e, arg[1] lo, arg[2] hi; loop is i. A vector */
  BRINK_AST_SLICE,   /* an index that is several: lo..hi are arg[0] and arg[1]; ":" has none */
  BRINK_AST_INDICES, /* the index of an element of a matrix: arg[0] row, arg[1] column */
  BRINK_AST_DAMAGED  /* stands where a syntax error was; never reported again */
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
  X("min", MIN, 1, 0)                                                                              \
  X("max", MAX, 1, 0)                                                                              \
  X("floor", FLOOR, 1, 1)                                                                          \
  X("ceil", CEIL, 1, 1)                                                                            \
  X("mod", MOD, 2, 2)                                                                              \
  X("hypot", HYPOT, 2, 2)                                                                          \
  X("dot", DOT, 2, 2)                                                                              \
  X("norm", NORM, 1, 1)                                                                            \
  X("sum", SUM, 1, 1)                                                                              \
  X("argmin", ARGMIN, 1, 1)                                                                        \
  X("argmax", ARGMAX, 1, 1)                                                                        \
  X("transpose", TRANSPOSE, 1, 1)                                                                  \
  X("identity", IDENTITY, 1, 1)                                                                    \
  X("inverse", INVERSE, 1, 1)                                                                      \
  X("solve", SOLVE, 2, 2)                                                                          \
  X("size", SIZE, 1, 2)                                                                            \
  X("div", DIV, 2, 2)                                                                              \
  X("pre", PRE, 1, 1)                                                                              \
  X("sgn", SGN, 1, 1)                                                                              \
  X("noevent", NOEVENT, 1, 1)                                                                      \
  X("uniform", UNIFORM, 2, 2)                                                                      \
  X("normal", NORMAL, 2, 2)                                                                        \
  X("exponential", EXPONENTIAL, 1, 1)                                                              \
  X("poisson", POISSON, 1, 1)                                                                      \
  X("choice", CHOICE, 1, 0)                                                                        \
  X("length", LENGTH, 1, 1)                                                                        \
  X("first", FIRST, 1, 1)                                                                          \
  X("table", TABLE, 3, 3)                                                                          \
  X("delay", DELAY, 2, 4)

typedef enum brink_function {
#define BRINK_FUNCTION_ENUM(text, id, least, most) BRINK_FN_##id,
  BRINK_FUNCTION_LIST(BRINK_FUNCTION_ENUM)
#undef BRINK_FUNCTION_ENUM
      BRINK_FN_USER,   /* a `function` of the model */
  BRINK_FN_FILE_TABLE, /* a `table` of the model */
  BRINK_FN_EXTERNAL,   /* a function or a constant of a library */
} brink_function;

typedef struct brink_symbol brink_symbol;
typedef struct brink_component brink_component;
typedef struct brink_user_function brink_user_function;
typedef struct brink_bundle brink_bundle;
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
  brink_symbol *loop; /* EACH */

  /* checked */
  uint8_t rank;  /* 0: one value, 1: a vector, 2: a matrix */
  bool vector;   /* more than one element: a declared vector without index, … */
  bool constant; /* made of literals alone: `number` is its value (booleans: 0 or 1) */
  brink_type type;
  brink_predefined predefined; /* NAME with one part */
  brink_function function;     /* CALL */
  brink_user_function *user;   /* CALL of a model's own function */
  uint32_t result,
      wanted; /* … which of its results, of so many that are received; 0: it is one value */
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
  BRINK_SYMBOL_BUNDLE,   /* a port: its signals are symbols of their own */
  BRINK_SYMBOL_QUEUE,    /* its size is how many it holds */
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
  brink_ast_expr *size; /* vectors and arrays of components; NULL: one. Of a matrix, rows*columns */
  brink_ast_expr *rows, *columns; /* of a matrix; NULL: none */
  brink_ast_range range;
  const char *unit;   /* NULL: none given */
  brink_side side;    /* FLAG */
  bool held;          /* STATE: held(x, real): it changes at events only */
  bool timer;         /* STATE: timer(t1): the time of an event */
  bool silent;        /* FLAG, timer: its events are not listed */
  bool knob, view;    /* named in the interface as such */
  brink_symbol *next; /* in declaration order within its component (or pair block) */
  const char
      *inherited_from; /* the component that declares it; NULL: the one in whose list it is */

  const char *class_name; /* INSTANCE: the component's name … */
  brink_place class_place;
  brink_ast_value *values; /* … and its arguments */
  size_t nvalues;
  brink_symbol *counter; /* … in `for i in 1..n loop tank[i] : Tank(…)`: i, for the arguments */
  brink_component *class_; /* checked: INSTANCE, PARTNER */
  const char *bundle_name; /* INPUT, OUTPUT: a type that is none of the language's; NULL: it is … */
  const char *type_hint;   /* … with what to say if it is no bundle either */
  brink_bundle *bundle;    /* BUNDLE */
  brink_symbol_kind port_kind; /* BUNDLE: INPUT or OUTPUT, as declared */
  brink_symbol *population;    /* checked: PARTNER: the instance array it comes from */
  size_t order;                /* checked: position among its component's symbols, from 0 */
  bool boolean_flag;           /* checked: FLAG: defined by a formula */
  brink_symbol *same_as; /* flattening: LOOP: the variable of the same loop in another branch */
  brink_type read_type;  /* checked: of an expression that names it: a ctc's real state is SIGNAL */
  bool vector;           /* checked: has elements: declared with a size, or a LET of a vector */
  uint8_t rank;          /* checked: as that of expressions */
  bool assigned;         /* checked: LET: some statement gives it a new value */
  bool is_result;   /* checked: LET: a result of a function: its first value gives it its type */
  bool defined;     /* checked: some equation, constraint or connection defines it */
  bool by_equation; /* checked, output of a composite: it has an equation, and no connection */
  bool unknown;     /* checked: VARIABLE that no equation defines: the constraints determine it */
  bool has_initial; /* checked: set by `initial`, its own or that of a component around it */
  brink_ast_expr
      *definition; /* checked: LET: what it names; FLAG: its equation, if it has just one */
};

/* How many slices an index has: of what rank is that which it names? */
static inline int brink_index_rank(const brink_ast_expr *index) {
  if (index == NULL) return 0;
  if (index->op != BRINK_AST_INDICES) return index->op == BRINK_AST_SLICE;
  return (index->arg[0]->op == BRINK_AST_SLICE) + (index->arg[1]->op == BRINK_AST_SLICE);
}

/* Does a part of a path name one element? */
static inline bool brink_names_element(const brink_ast_part *part) {
  return part->index != NULL && brink_index_rank(part->index) == 0;
}

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
  BRINK_STATEMENT_IF,     /* conditions[k] then blocks[k]; the last block without condition: else */
  BRINK_STATEMENT_FOR,    /* for loop in lo..hi loop body */
  BRINK_STATEMENT_WHEN,   /* when condition do body */
  BRINK_STATEMENT_LET,    /* let symbol = expr; */
  BRINK_STATEMENT_RETURN, /* return expr; the last statement of a function */
  BRINK_STATEMENT_STOP,   /* stop("message") */
  BRINK_STATEMENT_FAIL,
  BRINK_STATEMENT_NOTE,    /* note("label", e, …): text, args */
  BRINK_STATEMENT_CONNECT, /* connect(target's source = expr, target) */
  BRINK_STATEMENT_LEAVE,   /* leave positive-going when condition */
  BRINK_STATEMENT_REACH,   /* reach(a.x, a.y, a.r): args */
  BRINK_STATEMENT_PUT,     /* put(q, e): arg[0] the queue, expr */
  BRINK_STATEMENT_TAKE,    /* take(q, x): arg[0] the queue, target */
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
  brink_ast_expr **arg;    /* NOTE, REACH, PUT, TAKE */
  size_t nargs;
  brink_direction direction; /* LEAVE */
  bool guess;                /* ASSIGN: only where to start looking */
  brink_ast_statement *also; /* parsing: the next of the statements that one of the text becomes */
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

#define BRINK_EVENT_LOOPS 4

/* event(flag) … end event; */
struct brink_ast_event {
  brink_place place;
  const char *flag_name;
  brink_place flag_place;
  brink_ast_expr *element; /* event(full[i]): the NAME full[i]; NULL: it has no index */
  brink_ast_statement
      *loops[BRINK_EVENT_LOOPS]; /* around it, outermost first: FOR without a block */
  size_t nloops;
  brink_symbol *flag; /* checked */
  bool has_negative, has_positive, has_on;
  brink_ast_block negative, positive;
  bool has_plain;        /* of a timer: … */
  brink_ast_block plain; /* … its actions, which stand in the event itself */
  brink_ast_block on;    /* assignments and calls, equations, LEAVE statements, mixed */
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

/* What is wrong with the component that another extends. */
typedef enum brink_base_fault {
  BRINK_BASE_FINE,
  BRINK_BASE_UNKNOWN,
  BRINK_BASE_KIND,   /* of another kind */
  BRINK_BASE_ITSELF, /* a circle */
  BRINK_BASE_TOO_DEEP,
  BRINK_BASE_FAULT, /* farther up: reported there */
} brink_base_fault;

/* Where the text of a component begins. */
typedef struct brink_text_start {
  const char *start;
  uint32_t line, column;
} brink_text_start;

/* bundle Flange is output(torque, signal); input(speed, signal); end Flange; */
struct brink_bundle {
  const char *name;
  brink_place place;
  brink_text_start head;
  brink_symbol *members; /* INPUT, OUTPUT, as seen from the side that has it as an output */
  bool damaged;
  brink_bundle *next;
};

struct brink_component {
  brink_component_kind kind;
  const char *name;
  brink_place place;     /* of the name */
  brink_text_start head; /* of its first word */
  bool partial;          /* only to be extended: it need not be complete, and does not run */
  const char *
      base_name; /* the component that it extends; NULL: none. All that it has is among its own, inherited
                            things first */
  brink_place base_place;
  brink_component *base; /* NULL: none, or unknown */
  brink_base_fault base_fault;
  brink_symbol *symbols; /* interface, declarations and instances, in textual order */
  brink_symbol *ports;   /* BUNDLE; their signals are among the symbols */
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

/* table f(u, v) = file("map.csv", column : "y", interpolation : "cubic", extrapolation : "hold"); */
typedef struct brink_ast_table {
  const char *file, *column; /* column: NULL: none given */
  brink_place file_place, column_place;
  brink_gridded grid; /* kind, beyond, inputs as written; checked: knots, values, pieces */
} brink_ast_table;

/* function f(a, b) is external "library" symbol "f" derivative "df"; constant c is external "library"; */
typedef struct brink_ast_external {
  const char *library, *symbol, *derivative; /* derivative: NULL: none */
  brink_place library_place, symbol_place, derivative_place;
  bool is_constant;
  /* flattening */
  bool loaded;
  double value; /* of a constant */
  brink_external function;
} brink_ast_external;

/* function f(a, b) = expr;  function f(a, b) [returns (r, s)] is … end f; */
struct brink_user_function {
  const char *name;
  brink_place place;
  brink_symbol **argument;
  size_t narguments;
  brink_ast_expr *body; /* or what it returns; NULL: a table, external, or its results have names */
  brink_ast_table *table;
  brink_ast_external *external;
  brink_ast_block statements;
  brink_ast_expr **results; /* returns (r, phi): NAMEs of LETs */
  size_t nresults;
  bool incomplete; /* a syntax error in its statements */
  brink_user_function *next;

  /* checked; in its body, types are those of one of its calls */
  bool damaged;
  brink_user_function *caller; /* whose body was being checked when this one's check began */
  int visit;                   /* of the search for recursion: 0 not yet, 1 under way, 2 done */
  size_t depth;                /* of its body with all functions inserted */
  double nodes;                /* likewise: how many operations */
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

typedef enum brink_file_found {
  BRINK_FILE_FOUND,
  BRINK_FILE_NOTHING,
  BRINK_FILE_NO_TEXT, /* something that cannot be read: the reason says what */
} brink_file_found;

/* How the parser reads files, and the checker those whose import may be missing: returns text in memory from malloc,
 * NUL-terminated, or NULL with a reason. Tests and fuzzers supply their own. */
typedef struct brink_reader {
  char *(*read)(const char *path, size_t *length, const char **reason, void *user);
  void *user;
  /* Is there a file of this path that can be imported? Without this function, what cannot be read is not there. */
  brink_file_found (*look)(const char *path, const char **reason, void *user);
  /* Are these two paths of one file? Without it, paths are compared. */
  bool (*same)(const char *a, const char *b, void *user);
  /* Is the file in this directory or below it? Without it, every file may be read. */
  bool (*inside)(const char *path, const char *directory, void *user);
  const char *const *directories; /* the search path of imports; lives as long as the unit */
  size_t ndirectories;
} brink_reader;

struct brink_unit {
  brink_arena arena;
  brink_reader reader; /* `user` must live as long as the unit */
  brink_file *files;
  size_t nfiles, files_capacity;
  brink_component *components, **components_end; /* imported ones first, in textual order */
  brink_user_function *functions, **functions_end;
  brink_bundle *bundles, **bundles_end;
  brink_component *last;   /* the last component of the main file */
  brink_component *system; /* the main file's system, or NULL */
  brink_report_item *items;
  size_t nitems, items_capacity;
  size_t nerrors, nwarnings;       /* of the text; also those that were dropped */
  size_t nsettings;                /* errors of the caller's settings */
  size_t reported;                 /* items so far: gives each its number */
  struct brink_library *libraries; /* that have been loaded (external.c) */
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

/* parse_bundle.c: may a connection start at this port, at the end of a path of so many parts? Else it may end there. */
bool brink_port_is_source(const brink_symbol *port, size_t nparts);

/* A formatted text in the unit's arena; "" when memory is out. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
const char *
brink_unit_format(brink_unit *unit, const char *format, ...);

/* Memory of the unit; NULL only when there is none (out_of_memory is then set). 16-byte aligned. */
void *brink_unit_take(brink_unit *unit, size_t count, size_t size);

/* parse.c: a copy of a text as one more of the unit's files; its number, or BRINK_NONE: no memory. The path is kept. */
size_t brink_unit_add_file(brink_unit *unit, const char *path, const char *text, size_t length);

/* external.c: closes the libraries of external functions. */
void brink_unit_close_libraries(brink_unit *unit);
/* The files of those that were not found by the system's loader. */
size_t brink_unit_library_count(const brink_unit *unit);
const char *brink_unit_library(const brink_unit *unit, size_t k);

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

/* parse_import.c: may the model name this file, which is there? It must be in the folder of the main file or in a directory of the
 * search path, or below. */
bool brink_unit_may_read(const brink_unit *unit, const char *path);
#define BRINK_OUTSIDE "it is outside the model's folder and the directories for imports"
#define BRINK_OUTSIDE_HINT "--import-path DIR allows the files in DIR"

/* Reads files from disk; at most BRINK_FILE_LIMIT bytes each. */
extern const brink_reader brink_file_reader;
#define BRINK_FILE_LIMIT ((size_t)64 << 20)

/* parse.c: parses `path` and its imports. Returns NULL only when out of memory; otherwise see
 * unit->nerrors. A file that cannot be read sets *unreadable and reports nothing but *reason. */
brink_unit *brink_unit_parse(const char *path, const brink_reader *reader,
                             const brink_allocator *allocator, bool *unreadable,
                             const char **reason);
/* One expression by itself, for constant.c; *expr lives in the unit. NULL: out of memory; else see unit->nerrors. */
brink_unit *brink_unit_parse_expression(const char *text, const brink_allocator *allocator,
                                        brink_ast_expr **expr);
void brink_unit_destroy(brink_unit *unit);

/* check.c: resolves names, computes types, and reports everything that can be known about each
 * component by itself. */
void brink_unit_check(brink_unit *unit);
/* The same for an expression of a unit that has nothing else: constants only. */
void brink_unit_check_expression(brink_unit *unit, brink_ast_expr *expr);

/* format.c: the main file in canonical layout, comments kept. Only for files without syntax errors. */
bool brink_unit_format_source(const brink_unit *unit, brink_text *text);

/* expr_text.c: an expression as a person writes it, added to the text; cut to `most` bytes. */
void brink_expr_text(const brink_ast_expr *expr, size_t most, brink_text *text);

const char *brink_type_name(brink_type type);
const char *brink_component_kind_name(brink_component_kind kind);
const char *brink_section_name(brink_section_kind kind);
const char *brink_function_name(brink_function function);

#endif
