/* flat.h: flattening, inside.
 *
 *   flatten.c      the order of things; names of files and lines
 *   flat_tree.c    instances become groups, declarations get slots
 *   flat_value.c   values known before the run: parameters, sizes, indices, initial values
 *   flat_connect.c inputs find their sources
 *   flat_expr.c    expressions become graphs; flat_call.c: functions in them
 *   flat_shape.c   rows and columns of expressions, elements that an index names
 *   flat_matrix.c  products, inverses, reductions; flat_matrix_value.c: those known before the run
 *   flat_ref.c     which slots a name stands for; flat_index.c: elements whose number changes during the run
 *   flat_draw.c    random draws, in expressions and in values
 *   flat_table.c   tables from files: pieces that are chosen by located events
 *   flat_external.c external functions; external.c: their libraries
 *   flat_queue.c   queues
 *   flat_flag.c    relations become flags, boolean expressions formulas of them
 *   flat_parameter.c parameters, settings of the caller, initial values
 *   flat_equation.c dynamics and outputs become equations, flags, range surfaces
 *   flat_constraint.c constraints become residuals and conditions
 *   flat_event.c   event sections become actions of flags
 *   flat_action.c  updates and rules become actions
 *   flat_statement.c their statements become kernels; flat_loop.c: loops; flat_local.c: local names
 *   flat_pair.c    agents: pairs of a population
 *   flat_template.c agents: a few of them stand for all
 *   flat_drive.c   inputs that a table drives
 *
 * Everything is done once for a group, whatever the number of its instances: only slots and values
 * are computed for each. */
#ifndef BRINK_LANG_FLAT_H
#define BRINK_LANG_FLAT_H

#include "lang/flatten.h"

typedef struct flat_group flat_group;

/* One symbol in all instances of its group. Element e = instance*length + k. */
typedef struct flat_variable {
  brink_symbol *symbol;
  flat_group *group;
  bool sized;       /* length is known */
  uint32_t length;  /* 1 for scalars */
  uint32_t columns; /* of a matrix; else 0 */
  size_t count;     /* group->count * length */
  brink_space space;
  uint32_t base;                /* slot of element 0 */
  uint32_t variable;            /* in system->variables, or BRINK_NO_INDEX */
  uint32_t flag;                /* FLAG, timer: in system->flags */
  uint32_t *guards;             /* timer: guard of each element */
  bool continuous;              /* varies between events */
  struct flat_reading *readers; /* who varies if this does (flat_variability) */
  struct flat_variable *then;
  bool initialised;
  bool takes_default; /* an input that has a value of its own */
  bool settled;       /* something was made with its value */

  bool driven;   /* an input whose values come from a table or from functions, … */
  bool followed; /* … some of them from functions, … */
  uint32_t value_base, rate_base,
      since_slot; /* … in these slots of P, if it is a ramp between rows */

  /* Inputs, and outputs of composites: where each element comes from. */
  bool alias;
  uint64_t *source; /* variable number << 32 | element; FLAT_UNCONNECTED */
  uint32_t *slots;  /* NULL: base + element */

  /* Parameters and defaults: being computed, done. */
  int evaluation;
  double *values; /* count of them, once evaluated */
  bool assumed;   /* computed from an input that has no value: true of nothing */

  bool sampled;      /* an output or a variable of a dtc: held, and given its value at samples */
  uint32_t now_base; /* … by equations into V, from this slot on */
  size_t number;     /* in flat->variables */
  char *defined;     /* elements that have an equation (of instance 0) */
} flat_variable;

#define FLAT_UNCONNECTED UINT64_MAX

typedef struct flat_reading {
  flat_variable *by;
  struct flat_reading *next;
} flat_reading;

struct flat_group {
  brink_component *component; /* NULL: a pair block */
  brink_ast_pair *pair;
  brink_symbol *symbol; /* in the parent; NULL: the top */
  flat_group *parent;
  size_t dimension; /* of the array in the parent; 0: not an array */
  size_t count;
  uint32_t id;            /* in system->groups */
  size_t stream;          /* number of its first instance among all: stream of random draws */
  uint32_t *draws;        /* of each instance, so far */
  size_t sites;           /* draws of the equations of a dtc, at each sample */
  uint32_t draw_variable; /* P slot of the counters, if actions draw; BRINK_NO_INDEX */
  uint32_t draw_streams;  /* P slot of the numbers of the streams */
  const brink_ast_value *
      *values;              /* of its assignments, by symbol, then in order; NULL: not sorted yet */
  flat_variable *variables; /* by symbol->order */
  size_t nvariables;
  flat_group **children; /* by symbol->order; NULL: not an instance */
  bool in_population;
  bool uncertain; /* a connection in it is wrong: what its parts lack may be due to that */
  struct flat_pending *equations;        /* of dynamics and output, taken apart */
  struct flat_index_check *index_checks; /* of a dtc's equations (flat_index.c) */
  uint32_t *partner[2];                  /* pair block: instance of each partner */
  flat_group *partner_group[2];
  flat_group *next;
};

/* flat_named.c: by the hash of a path without indices. */
typedef struct flat_named {
  uint64_t hash;
  size_t number;
} flat_named;

typedef struct flat {
  brink_unit *unit;
  brink_system *system;
  brink_arena *arena;  /* of the system */
  brink_arena scratch; /* given back when done */
  const brink_flatten_options *options;
  flat_group *groups, **groups_end;
  flat_group *top;
  flat_variable **variables; /* all, by number */
  size_t nvariables, variables_capacity;
  size_t instances; /* so far */
  size_t x_capacity, start_capacity, p_capacity, mode_capacity;
  uint64_t *ends[2]; /* of a connection */
  size_t nends[2], ends_capacity[2];
  brink_place *places; /* of the equations */
  size_t places_capacity;
  char *v_varies; /* of each slot of V: does it change between events? */
  size_t v_known; /* slots of V that this is known of; later ones are indices, which do not */
  uint32_t *string_table; /* hashed numbers of strings, from 1 */
  size_t string_room;
  uint32_t *slots; /* scratch of flat_ref */
  size_t slots_capacity;
  size_t assumptions; /* how often an assumed value was read */
  size_t evaluating;  /* parameters within parameters */
  size_t budget;      /* of translation steps: bounds what functions in functions may grow to */
  bool foreseen;      /* the loops that are run now have been counted (flat_foresee.c) */
  const char *const *sets; /* of the caller: those of inputs that a table drives, then all others */
  size_t nsets;
  flat_named *named_sets,
      *named_variables; /* sorted; of `indexed_sets`, and of the first `nnamed` variables */
  const char *const *indexed_sets;
  size_t nindexed_sets, nnamed;
  uint64_t seed;                   /* of random draws */
  const brink_ast_expr *seed_expr; /* being evaluated: nothing may be drawn */
  const brink_ast_expr *present;   /* being translated: what a flag that is made now is of */
  struct flat_stored {
    const brink_gridded *table;
    uint32_t bounds[2], origins[2], coefficients; /* slots of K */
  } * tables;                                     /* that are in K */
  size_t ntables, tables_capacity;
  bool templates;        /* only the first agents get equations, see flat_template.c */
  size_t nvalued;        /* variables of all agents: the others are of the first agents */
  flat_variable *reader; /* being looked at by flat_variability */
  bool failed;           /* the present piece: out of memory, or reported */
  bool errors;           /* some piece failed */
  bool structure; /* the checker found errors: only instances, values and connections are checked */
} flat;

/* flat_set.c: what a setting of the caller gives: one value, or a list of them. */
typedef struct flat_given {
  double one, *value; /* value: `one`, or in the arena */
  size_t count;
  size_t rows, columns; /* of a matrix; else 0 */
  bool list;
} flat_given;

/* Numbers of f->sets that may name a variable, of f->variables that a setting may name, in order: all that do, and hardly any
 * other. */
typedef struct flat_names {
  uint64_t hash;
  const flat_named *next, *end;
} flat_names;

flat_names flat_sets_of(flat *f, const flat_variable *variable);
flat_names flat_variables_of(flat *f, const char *set);
bool flat_next_named(flat_names *names, size_t *number);

/* The value of a setting for this variable; `text` is what follows the equals sign of `set`. False: reported. */
bool flat_read_set(flat *f, const flat_variable *variable, const char *set, const char *text,
                   flat_given *given);
/* Has a list as many elements as are meant: one element of a vector; all of it; or all components of the array that it
 * is declared in? False: reported. */
bool flat_list_fits(flat *f, const flat_variable *variable, const char *set, bool one, bool all,
                    const flat_given *given);
/* The value for one element: of a vector, or one for each component of an array. */
double flat_given_value(const flat_variable *variable, const flat_given *given, size_t element);

/* The largest integer. Values are doubles, which tell whole numbers up to 2^53 from their neighbours: beyond, n + 1 may be
 * n. */
#define FLAT_WHOLE 9007199254740991.0

/* A model may have this many instances, elements of a vector, states: more is refused. */
#define FLAT_LIMIT ((size_t)1 << 23)
#define FLAT_BUDGET ((size_t)200000000)
#define FLAT_LOOP_STEPS 100 /* of it, for an iteration of an action's loop that is written out */
#define FLAT_EACH_STEPS 10  /* of it, for an iteration or element that is written out */
#define FLAT_TERM_STEPS 12  /* of it, for a product of two elements of matrices: up to 16 bytes */
#define FLAT_MOVE_STEPS 4 /* of it, for an element that is taken from another place: 4 to 8 bytes */

/* ---- values known before the run ---- */

typedef struct flat_binding flat_binding;

/* rank 0: one value, 1: a vector, one row of `columns` elements, 2: a matrix. */
typedef struct flat_shape {
  int rank;
  size_t rows, columns;
} flat_shape;

/* Where an expression is evaluated. */
typedef struct flat_point {
  flat_group *group;
  size_t instance;
  size_t element;              /* of vectors; BRINK_NONE: the expression is a scalar */
  const flat_binding *binding; /* loop variables and function arguments, innermost first */
  bool initial;                /* states and modes may be read */
  flat_variable *only;         /* an outer initial is run for this parameter alone */
  char *filled;                /* its elements that have a value */
} flat_point;

struct flat_binding {
  const brink_symbol *symbol;
  double value;   /* a loop variable's */
  double *values; /* a let's, one for each element */
  size_t length;
  flat_shape shape;
  const brink_ast_expr *expr; /* an argument: evaluated where it was written … */
  const flat_point *point;    /* … */
  const flat_binding *outer;
};

/* Counts down the budget; false when it is used up, which is reported once. */
bool flat_spend(flat *f, brink_place place, size_t steps);

/* flat_foresee.c: are the loops of a block going to use up the budget? At `pace` steps for an iteration, in so many
 * instances from that of the point on. Then false, and reported, before the first iteration. True where that is not known. */
bool flat_foresee(flat *f, const flat_point *point, const brink_ast_block *block, size_t instances,
                  size_t pace);
/* The same for the elements of `e for i in lo..hi`. */
bool flat_foresee_each(flat *f, const flat_point *point, const brink_ast_expr *each, size_t pace);
bool flat_value(flat *f, const flat_point *point, const brink_ast_expr *expr, double *value);
/* A whole number in [least, most]; reports otherwise. */
bool flat_whole(flat *f, const flat_point *point, const brink_ast_expr *expr, const char *what,
                int64_t least, int64_t most, int64_t *value);
/* The bounds of a loop. */
bool flat_bounds(flat *f, const flat_point *point, const brink_ast_statement *s, int64_t *lo,
                 int64_t *hi);
/* Bounds of two instances of an array must be the same: false if they are not, which is reported. */
bool flat_bounds_agree(flat *f, const brink_ast_statement *s, bool same);
/* The operator that a function is; BRINK_OP_CONST: none by itself. */
brink_op flat_plain_op(brink_function function);
/* The length of an expression as a vector; 1 for scalars, 0: mismatch (reported). */
size_t flat_length(flat *f, flat_group *group, const brink_ast_expr *expr);
size_t flat_bound_length(flat *f, flat_group *group, const brink_ast_expr *expr,
                         const flat_binding *binding);

/* ---- shapes ---- */

/* What an index names: so many rows and columns, from these on (from 0), of rows of this width. */
typedef struct flat_selection {
  size_t first[2], count[2], width;
} flat_selection;

/* index NULL: everything. False: reported. */
bool flat_select(flat *f, const flat_point *point, const brink_ast_expr *index, const char *name,
                 flat_shape of, flat_selection *selection);
size_t flat_selected(const flat_selection *selection, size_t element);
flat_shape flat_variable_shape(flat *f, flat_variable *variable); /* no columns: reported */
bool flat_bound_shape(flat *f, flat_group *group, const brink_ast_expr *expr,
                      const flat_binding *binding, flat_shape *shape);
const char *flat_element_name(flat *f, const flat_variable *variable,
                              size_t element);                            /* "P[2,3]" */
void flat_lengths_differ(flat *f, brink_place place, size_t a, size_t b); /* reports */
const char *flat_shape_text(flat *f, flat_shape shape); /* "3x2"; of a vector "3" */
const flat_binding *flat_find_binding(const flat_binding *binding, const brink_symbol *symbol);

#define FLAT_SOLVE_LIMIT 8 /* rows of a matrix that is inverted */

/* flat_matrix_value.c: *product: is it one of matrices? */
bool flat_product_value(flat *f, const flat_point *point, const brink_ast_expr *expr, bool *product,
                        double *value);
bool flat_each_value(flat *f, const flat_point *point, const brink_ast_expr *expr, double *value);
bool flat_each_bounds(flat *f, const flat_point *point, const brink_ast_expr *expr, int64_t *lo,
                      int64_t *hi);
bool flat_matrix_value(flat *f, const flat_point *point, const brink_ast_expr *expr, double *value);
size_t flat_size_value(const brink_ast_expr *expr, flat_shape of);

/* The values of a parameter (or the default of an input) for all instances. */
bool flat_evaluate(flat *f, flat_variable *variable);
uint32_t flat_string(flat *f, const char *text);
void flat_initial(flat *f, flat_group *group);
void flat_apply_sets(flat *f);
/* let and := of local names, before the run. False: failed. */
bool flat_bind_let(flat *f, const flat_point *point, const brink_ast_statement *s,
                   flat_binding *binding);
bool flat_assign_value(flat *f, const flat_point *point, const brink_ast_statement *s);

/* flat_range.c: the declared range of a variable in one instance. */
bool flat_range_bounds(flat *f, const flat_variable *variable, size_t instance, double *lo,
                       double *hi);
bool flat_in_range(flat *f, const flat_variable *variable, size_t instance, double value);
/* "(0.1, 100)", "{1, 2, 4}"; "the range is (0.1, 100)"; a value as the model would write it. */
const char *flat_range_text(flat *f, const flat_variable *variable, size_t instance);
const char *flat_range_hint(flat *f, const flat_variable *variable, size_t instance);
const char *flat_value_text(flat *f, const flat_variable *variable, double value, char *buffer);

/* ---- the tree ---- */

flat_group *flat_build_tree(flat *f, brink_component *top);
flat_group *flat_add_group(flat *f, flat_group *parent, brink_symbol *symbol, size_t dimension);
uint32_t flat_size(flat *f, flat_variable *variable); /* its length; 0: failed */
/* Slots for everything that lives in memory, from variable `first` on. */
void flat_allocate(flat *f, size_t first);
bool flat_add_variable(flat *f, flat_variable *variable, brink_variable_kind kind);
/* A connected input, under its own name. */
void flat_add_alias(flat *f, flat_variable *variable);
uint32_t flat_hidden(flat *f, flat_group *group, const char *name, brink_space space, size_t count,
                     double value);

/* flat_drive.c: marks the inputs that a table or a function drives, before memory is given out; makes their equations,
 * system->driven and system->followed, after it. */
void flat_mark_driven(flat *f);
void flat_drive(flat *f);
/* Does it change between the rows of its table, or by functions? */
bool flat_is_ramp(const flat *f, const flat_variable *variable);
/* What function k gives at the start, "u=2.5"; NULL: out of memory. Where it has no value, something is assumed: no run
 * can start there. */
const char *flat_function_start(flat *f, size_t k);

bool flat_room(flat *f, brink_space space, size_t count, uint32_t *base);
void flat_connect(flat *f);
void flat_variability(flat *f);
void flat_check_held(flat *f);
/* The variable and element in memory that an element stands for; NULL: reported. */
flat_variable *flat_trace(flat *f, flat_variable *variable, size_t element, size_t *found);
bool flat_expr_continuous(flat *f, flat_group *group, const brink_ast_expr *expr);

/* The variable that the last part of a path names, seen from `group`; *child is its group. */
flat_variable *flat_find(flat *f, flat_group *group, const brink_ast_expr *name);

/* ---- expressions as graphs ---- */

typedef enum flat_purpose {
  FLAT_EQUATION, /* locked: relations of continuous quantities become flags */
  FLAT_INSTANT,  /* actions, updates: evaluated as they stand */
} flat_purpose;

/* Loops around an event, gone through together: the value of one variable in each iteration. */
typedef struct flat_values {
  const brink_symbol *symbol;
  const double *values;
  const struct flat_values *next;
} flat_values;

typedef struct flat_loop {
  const brink_symbol *symbol; /* NULL: the elements of vectors */
  int64_t lo;
  size_t count;
  const flat_values *values; /* instead of symbol and lo; NULL: none */
} flat_loop;

#define FLAT_LOOPS 8
#define FLAT_BINDINGS (FLAT_LOOPS + BRINK_EVENT_LOOPS)

typedef struct flat_name flat_name; /* a let or an argument, translated when it is first used */

/* What all contexts of one kernel share. */
typedef struct flat_shared {
  size_t sites; /* random draws so far */
  char *varies; /* of each node: does it change between events? */
  size_t nvaries, varies_capacity;
  struct flat_made {
    brink_node node;
    uint32_t flag;
    brink_node active; /* where its sign is read, all uses together; BRINK_NO_NODE: everywhere */
  } * made;            /* flags made of nodes */
  size_t nmade, made_capacity;
  bool may_stick; /* the kernel of a loop is open that could be written out … */
  bool stuck;     /* … and has to be */
  struct flat_index {
    brink_node node;
    size_t most;
    brink_node active, when;
  } * indices; /* that are checked to be within 1 … most */
  size_t nindices, indices_capacity;
  struct flat_delay {
    brink_node u, lag;
    brink_ast_expr *const *arg;
    size_t nargs;
    uint32_t delay; /* of the system */
  } * delays;       /* so far */
  size_t ndelays, delays_capacity;
  struct flat_piece {
    brink_node input;
    uint32_t bounds; /* slot of K: which axis */
    brink_node piece;
    brink_node active;
  } * pieces; /* of tables, that inputs are in */
  size_t npieces, pieces_capacity;
} flat_shared;

typedef struct flat_context {
  flat *f;
  flat_shared *shared;
  flat_group *group;
  brink_kernel *kernel;
  brink_graph *graph; /* = &kernel->graph */
  flat_purpose purpose;
  flat_loop loop[FLAT_LOOPS];
  size_t nloops;
  size_t repeat;     /* iterations of one instance: product of the loops */
  size_t element;    /* fixed element of vectors; BRINK_NONE: that of the loops */
  bool element_loop; /* the last loop runs over elements */
  const uint32_t
      *elements; /* NULL, or the element in each iteration, where it is neither of these */
  const flat_binding *fixed; /* loop variables of unrolled loops */
  flat_name *names;
  brink_node active; /* under this condition is the expression used; BRINK_NO_NODE: always */
  const brink_node *
      when; /* of an action: the condition under which its present statement runs; NULL: no action */
  bool plain;    /* inside noevent(…) */
  bool pre;      /* inside pre(…) */
  int functions; /* calls within calls */
} flat_context;

void flat_begin(flat_context *c, flat_shared *shared, flat *f, flat_group *group,
                brink_kernel *kernel, flat_purpose purpose);
/* The number of iterations is settled: all loops are pushed. */
void flat_begin_graph(flat_context *c);
brink_node flat_expr(flat_context *c, const brink_ast_expr *expr);
brink_node flat_ref(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                    brink_space as);
/* The element, from 0, that an expression is asked for in an iteration; BRINK_NONE: it is a scalar. */
size_t flat_element_at(const flat_context *c, size_t iteration);
/* A number below n for each iteration, from K. */
brink_node flat_numbers(flat_context *c, const uint32_t *numbers, size_t n);
/* One element, from 0, of the variable that a name names, in all iterations. */
bool flat_element_ref(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                      brink_space as, size_t element, brink_ref *ref);

/* flat_index.c */

/* May the expression have no value where it is not asked for: outside an array, a table, a domain? */
bool flat_may_fail(const brink_ast_expr *expr);

/* Is the value of an index known before the run: made of numbers, parameters and loop variables? */
bool flat_index_known(const flat_context *c, const brink_ast_expr *expr);
/* Is there an element in it that is chosen by an index that is not? */
bool flat_chooses(const flat_context *c, const brink_ast_expr *expr);
/* The number, from 1, of the element of something of this shape that an index names in each iteration, where it is
 * known in none or in one of its dimensions only. */
brink_node flat_linear_index(flat_context *c, const brink_ast_part *part, flat_shape of);
/* An index of `of` that is not: a number that is held between events, checked to be within 1 … most. */
brink_node flat_index_node(flat_context *c, const brink_ast_expr *index, const char *of,
                           size_t most);
/* Is this the element, from 0, that the index means? The first and the last are also the nearest of those outside. */
brink_node flat_is_chosen(brink_graph *g, brink_node index, size_t k, size_t length);
/* The element of a variable that this number names. */
brink_node flat_element(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                        brink_space space, brink_node index);
/* The same of the array of components that part `at` of a path names, by an index that is not known before the run. */
brink_node flat_chosen_part(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                            size_t at, brink_space space);
/* In the action of a dtc's samples: the indices that its equations have used are checked. */
void flat_store_indices(flat_context *c);

typedef struct flat_index_check {
  uint32_t now,
      held; /* hidden variables: what the equations give, in V; where its range is checked, in P */
  size_t repeat;
  struct flat_index_check *next;
} flat_index_check;

/* The ref that a target names. */
bool flat_target(flat_context *c, const brink_ast_expr *name, bool prime, brink_ref *ref,
                 flat_variable **variable);
bool flat_has_vector_literal(const brink_ast_expr *expr);
void flat_push_name(flat_context *c, flat_name *name, const brink_symbol *symbol,
                    const brink_ast_expr *expr, const flat_context *scope);

struct flat_name {
  const brink_symbol *symbol;
  const brink_ast_expr *expr;
  const flat_context *scope;
  flat_name *scope_names; /* of the scope, when the name was made */
  flat_shape shape;       /* once it is known; no columns: not yet */
  brink_node *memo;       /* by element; the last one: that of the loops */
  size_t nmemo;
  flat_name *outer;

  /* A name that is assigned: flat_local.c. */
  bool is_cell;
  size_t length;
  brink_node *cell;          /* the value of each element now; BRINK_NO_NODE: none yet */
  bool in_memory;            /* a vector in a loop that stays one: its elements are in LOCAL, … */
  uint32_t slot;             /* … from here on, … */
  struct flat_store *stores; /* … but for what the present iteration has stored */
};

/* Elements of a vector that an iteration of a kernel stores, one for each repetition, and their value. */
typedef struct flat_store {
  const uint32_t *elements;
  brink_node node;
  struct flat_store *next;
} flat_store;

/* What cells hold at the end of a branch. */
typedef struct flat_snapshot {
  flat_name *name;
  brink_node *nodes;
  size_t length;
  struct flat_snapshot *next;
} flat_snapshot;

#define FLAT_CELL_LIMIT 100000

/* flat_function.c */

brink_node flat_function(flat_context *c, const brink_ast_expr *call);
bool flat_function_value(flat *f, const flat_point *point, const brink_ast_expr *call,
                         double *value);
/* The expression that statement k makes a local name of, or, behind the statements, that a result is given first; NULL:
 * none. */
const brink_ast_expr *flat_begins_with(const brink_user_function *function, size_t k,
                                       const brink_symbol **symbol);
/* What a call gives, in the scope of the function. */
const brink_ast_expr *flat_result(const brink_ast_expr *call);
/* Is there an expression in it that passes the test? */
typedef bool flat_test(const brink_ast_expr *expr, void *user);
bool flat_any_in_function(const brink_user_function *function, flat_test *test, void *user);
/* flat_ref.c: the bounds of a loop inside a function: the same in all iterations. */
bool flat_known_bounds(flat_context *c, const brink_ast_statement *s, int64_t *lo, int64_t *hi);

/* flat_local.c */

flat_name *flat_find_name(const flat_context *c, const brink_symbol *symbol);
bool flat_mentions_cell(const flat_context *c, const brink_ast_expr *expr);
void flat_push_let(flat_context *c, const brink_symbol *symbol, const brink_ast_expr *expr);
/* The value of a name that is a cell; its assignment (`when`: only where a cell is in memory, else branches are merged). */
brink_node flat_cell_node(flat_context *c, flat_name *name, const brink_ast_expr *expr);
void flat_assign_cell(flat_context *c, const brink_ast_expr *target, const brink_ast_expr *expr,
                      brink_node when);
/* Elements base + elements[r] of LOCAL; NULL: base alone. */
brink_ref flat_local_ref(flat_context *c, uint32_t base, const uint32_t *elements);
flat_snapshot *flat_take_snapshot(flat_context *c);
void flat_restore_snapshot(const flat_snapshot *snapshot);
/* Cells become what `yes` has where the condition holds, and stay otherwise. */
void flat_merge_branch(flat_context *c, brink_node condition, const flat_snapshot *yes);
/* flat_ref.c: is an index known before the run, and the same in all instances? */
bool flat_index_fixed(const flat_context *c, const brink_ast_expr *index);
/* The element, from 1, that such an index names in something of this shape, in repetition r of the loops. */
bool flat_loop_index(flat_context *c, const brink_ast_expr *index, const char *what, flat_shape of,
                     size_t r, int64_t *value);

/* Is it made of numbers and variables of loops alone? Then it is the same in all instances. */
bool flat_only_loops(const brink_ast_expr *expr);
/* The same slot in all iterations of an instance, one after another from `base` on. */
brink_ref flat_instance_ref(flat_context *c, brink_space space, uint32_t base);
/* Where the values of an iteration are evaluated. `bindings`: room for FLAT_BINDINGS of them. */
flat_point flat_point_at(const flat_context *c, size_t iteration, flat_binding *bindings);
/* Are the bounds of values for each i the same in all iterations, for sure? */
bool flat_same_bounds(const flat_context *c, const brink_ast_expr *expr);
bool flat_shape_of(const flat_context *c, const brink_ast_expr *expr, flat_shape *shape);

/* flat_matrix.c: is it a product of matrices, or of one and a vector? Their shapes. */
bool flat_is_product(const flat_context *c, const brink_ast_expr *expr, flat_shape shapes[2]);
brink_node flat_product(flat_context *c, const brink_ast_expr *expr, const flat_shape shapes[2]);
brink_node flat_each(flat_context *c, const brink_ast_expr *expr);
brink_node flat_matrix_call(flat_context *c, const brink_ast_expr *expr);
/* flat_call.c: does a come before b, as the lesser (MIN) or the greater (MAX)? */
brink_node flat_comes_first(flat_context *c, brink_place place, brink_function function,
                            brink_node a, brink_node b);

bool flat_varies(flat_context *c, brink_node node);
/* Must this be turned into a flag? */
bool flat_locks(flat_context *c, brink_node node);
brink_node flat_name_node(flat_context *c, const brink_ast_expr *expr);
brink_node flat_call(flat_context *c, const brink_ast_expr *expr);
/* How long an expression is as a vector, names of functions and lets included. */
size_t flat_vector_length(flat_context *c, const brink_ast_expr *expr);

/* flat_draw.c: does it draw? A draw with these arguments; choice(…); the counter of an action's draws moves on; and the
 * same before the run. */
bool flat_draws(const brink_ast_expr *expr);
brink_node flat_random(flat_context *c, brink_function function, brink_node a, brink_node b);
brink_node flat_choice(flat_context *c, const brink_ast_expr *expr);
void flat_count_draws(flat_context *c);
double flat_random_value(flat *f, const flat_point *point, brink_function function, double a,
                         double b);
bool flat_choice_value(flat *f, const flat_point *point, const brink_ast_expr *expr, double *value);
/* flat_delay.c */
brink_node flat_delay(flat_context *c, const brink_ast_expr *expr);
/* flat_table.c: a table from a file, as a graph, and before the run. */
brink_node flat_table(flat_context *c, const brink_ast_expr *expr);
bool flat_table_value(flat *f, const flat_point *point, const brink_ast_expr *expr, double *value);

/* external.c: finds the library, once; false: reported. flat_external.c: calls, as a graph, and before the run. */
bool flat_load_external(flat *f, const brink_user_function *function);
brink_node flat_external(flat_context *c, const brink_ast_expr *expr);
bool flat_external_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                         double *value);
/* Constraints that call external functions are reported. */
void flat_check_external(flat *f, const brink_system *system);

/* flat_queue.c: its memory; length(q), first(q); put and take. */
void flat_allocate_queue(flat *f, flat_variable *queue);
brink_node flat_queue_call(flat_context *c, const brink_ast_expr *expr);

/* flat_flag.c: a flag made of a value in c's graph, one for each iteration, with guard numbers of its
 * own. Its number, or BRINK_NO_INDEX. */
uint32_t flat_new_flag(flat_context *c, brink_flag_kind kind, const char *name, brink_place place,
                       brink_node value);
const char *flat_place_name(flat *f, brink_place place); /* "@12:7" */
brink_node flat_sign(flat_context *c, uint32_t flag);
/* The locked sign of a value: a flag of its own. */
brink_node flat_locked(flat_context *c, brink_place place, brink_node value);
brink_node flat_locked_floor(flat_context *c, brink_place place, brink_node value);
/* A held number n that one flag moves up and another down, each by its action: as it is, one more or one less between
 * the crossing and the action. */
typedef struct flat_mover {
  uint32_t flag;
  brink_action *action;
} flat_mover;
brink_node flat_moved_number(flat_context *c, brink_node n, flat_mover up, flat_mover down);
/* The value of a flag that is a mere condition: far from zero on either side. */
brink_node flat_far(flat_context *c, brink_node condition);
/* A boolean expression as a formula of leaves. */
bool flat_formula(flat_context *c, const brink_ast_expr *expr, uint32_t flag);
uint32_t flat_add_flag(flat *f, flat_group *group, brink_flag_kind kind, const char *name,
                       brink_place place, size_t count);
bool flat_number_guards(flat *f, uint32_t flag);
brink_kernel *flat_extract(flat_context *c, brink_place place, brink_node node);
brink_action *flat_new_action(flat *f, size_t count);
/* One more kernel of an action, empty. */
brink_kernel *flat_action_kernel(flat *f, brink_action *action, const char *name, brink_place place,
                                 size_t count);
bool flat_first_output(flat *f, brink_action *action);

/* ---- statements of actions ---- */

/* Loops that stay loops. `whole`: one kernel takes all of the body, loops in it written out; else each block has one. */
typedef struct flat_path {
  const brink_ast_statement *loops[FLAT_LOOPS];
  size_t nloops;
  bool whole;
} flat_path;

/* An if whose branches are being translated. */
typedef struct flat_branching {
  brink_node when, otherwise; /* around it; where none of the conditions so far holds */
  brink_node *condition;
  size_t count;
  flat_snapshot *before, **after;
  struct flat_branching *outer;
} flat_branching;

/* Where a value of a kernel that was closed is found: in LOCAL, or it is a number. */
typedef struct flat_moved {
  brink_node node; /* as it was in that kernel */
  bool known;
  uint32_t slot;
  double value;
} flat_moved;

/* An output that an assignment made. */
typedef struct flat_written {
  uint32_t kernel, output;
  const brink_ast_expr *target;
  bool looped;
} flat_written;

typedef struct flat_builder {
  flat_context c; /* of the kernel that is open */
  flat_shared shared;
  brink_action *action;
  const char *name;
  brink_place place;
  brink_node when;       /* under which the present statement runs; BRINK_NO_NODE: always */
  bool sequential;       /* kernels without loops are */
  size_t own_loops;      /* of the event; those of statements follow */
  const flat_path *path; /* the loops whose kernel is open; NULL: none */
  size_t depth;          /* how many of them are around the present statement */
  flat_branching *branching;
  size_t nlocals; /* slots of LOCAL so far */
  flat_moved *moved;
  size_t nmoved, next_moved, moved_capacity;
  flat_written *written;
  size_t nwritten, written_capacity;
} flat_builder;

/* One more effect, of the kernel that is open; NULL: no memory. */
brink_effect *flat_add_effect(flat_builder *b, int kind, const char *text);
/* put(q, e); take(q, x); */
void flat_queue_statement(flat_builder *b, const brink_ast_statement *s);

/* `loop` (NULL: none): one iteration of the action for each of its, in each instance. */
bool flat_action_begin(flat_builder *b, flat *f, flat_group *group, const char *name,
                       brink_place place, const flat_loop *loop, const flat_binding *fixed);
void flat_statements(flat_builder *b, const brink_ast_block *block);
/* `counts`: random draws move the instance's counter on. */
brink_action *flat_action_end(flat_builder *b, bool counts);
/* A kernel with loops, and one without them afterwards. */
bool flat_open_loops(flat_builder *b, const flat_path *path, flat_context *outer);
void flat_close_loops(flat_builder *b, const flat_context *outer);
/* A copy of a cell in LOCAL, made by the kernel that is open: its first slot. */
uint32_t flat_keep_in_memory(flat_builder *b, const flat_name *name);
void flat_rebind_names(flat_builder *b);

/* flat_loop.c: false: the loop has to be written out. */
bool flat_loop_stays(flat_builder *b, const brink_ast_statement *s, size_t iterations);
/* Shorter loops that draw are written out: their draws are numbered iteration by iteration. */
#define FLAT_DRAWN_LOOP 1000

/* ---- equations, actions ---- */

void flat_equations(flat *f, flat_group *group);
/* The bounds of a loop, which are the same in all instances; false: they are not, or cannot be evaluated. */
bool flat_shared_bounds(flat_context *c, const brink_ast_statement *s, int64_t *lo, int64_t *hi);
/* Pushes the loops around an equation; bounds must be the same in all instances. False: no iterations, or failed. */
bool flat_push_loops(flat_context *c, const brink_ast_statement *const *loops, size_t nloops);

/* flat_constraint.c: after the equations of all groups. */
bool flat_has_constraints(const flat_group *group);
void flat_constraints(flat *f, flat_group *group);
bool flat_check_written_out(flat *f, const brink_system *system);

/* flat_structure.c: the structures of constraints; an error where one cannot be solved. */
void flat_structures(flat *f, brink_system *system);

void flat_events(flat *f, flat_group *group, brink_ast_event *events);
/* Flags of timers, before the events. */
void flat_timers(flat *f, flat_group *group);
/* Equations of on-event, in place while the flag's sign is 0. */
void flat_merge_on_event(flat *f, flat_group *group, brink_ast_event *events);
void flat_ranges(flat *f, flat_group *group);
/* Does an input's source have a range? Then it was compared at the connection. */
bool flat_sources_have_ranges(const flat *f, const flat_variable *variable);
void flat_discrete(flat *f, flat_group *group); /* dtc, lbc */
void flat_sort_rules(flat *f);
/* Groups for the pair blocks of a system; called while the tree is built. */
void flat_add_pairs(flat *f, flat_group *group);
/* The pair that stands for all pairs of a block; NULL: there is none, or it failed. */
flat_group *flat_add_first_pair(flat *f, brink_ast_pair *pair);
bool flat_open_group(flat *f, flat_group *group, brink_symbol *symbols);
void flat_check_populations(flat *f);

/* flat_template.c */

/* Are templates made instead of the equations of all? Asked when all populations are in the tree. */
bool flat_wants_templates(const flat *f);
/* From here on, populations consist of their first agents, one or two, and pair blocks of one pair. */
void flat_represent(flat *f);
/* The templates, from the equations of the first agents. */
/* Variables whose values the system was made with. */
void flat_mark_settled(flat *f);
void flat_make_templates(flat *f);
/* Schedules the equations. `numbers` (NULL: as they are): of each, its number among those of f. */
void flat_finish(flat *f, brink_system *system, const uint32_t *numbers);
void flat_read_seed(flat *f);
void flat_read_start(flat *f);
/* flat_backward.c: is the end of the run before its start? Does the model allow that? Reports. */
bool flat_runs_backward(const flat *f);
void flat_check_backward(flat *f);
/* Guards of declared flags are numbered instance by instance, in order of declaration. */
void flat_number_flags(flat *f, flat_group *group);

/* Statements with their loops and conditions taken apart: one for each target. */
typedef struct flat_pending {
  const brink_ast_statement *statement;
  const brink_ast_expr *target;
  brink_ast_expr *expr; /* conditions merged into it */
  const brink_ast_statement *loops[FLAT_LOOPS];
  size_t nloops;
  struct flat_pending *next;
} flat_pending;

typedef struct flat_list {
  flat_pending *first, **end;
} flat_list;

bool flat_same_expr(const brink_ast_expr *a, const brink_ast_expr *b);
/* The variable of a loop; those of merged branches are one. */
const brink_symbol *flat_loop_symbol(const brink_symbol *symbol);
void flat_collect(flat *f, const brink_ast_block *block, flat_list *list);
/* The same, inside of the loops that `around` has. */
void flat_collect_in(flat *f, const brink_ast_block *block, flat_list *list,
                     const flat_pending *around);
brink_ast_expr *flat_if(flat *f, const brink_ast_expr *condition, const brink_ast_expr *yes,
                        const brink_ast_expr *no);

/* ---- small things ---- */

/* One error does not hide the next: clears `failed`, to go on with the next piece. */
void flat_next(flat *f);
/* The end of a phase: has anything failed? */
bool flat_stop(flat *f);

/* A text in the memory of the system, which goes with it: not for hints. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
const char *
flat_format(flat *f, const char *format, ...);
const char *flat_where(flat *f, brink_place place);  /* "tank.hsml:23" */
void *flat_take(flat *f, size_t count, size_t size); /* of the system; sets failed */
void flat_out_of_memory(flat *f);
/* One more item of an array that grows in the system's arena, as brink_arena_push; NULL: no memory, and `failed` is
 * set. */
#define flat_push(f, array, count, capacity)                                                       \
  flat_note((f), brink_arena_push((f)->arena, array, count, capacity))
void *flat_note(flat *f, void *memory); /* `memory`; NULL: flat_out_of_memory */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void flat_error(flat *f, brink_message code, brink_place place, const char *hint, const char *format, ...);
/* Is this setting, one of f->sets, what a row of a table gives? */
bool flat_is_of_table(const flat *f, const char *set);
/* The caller's setting is wrong: only the first one is reported. Returns false. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
bool flat_setting_error(flat *f, brink_message code, brink_origin origin, const char *setting,
                        const char *hint, const char *format, ...);
/* "did you mean x?"; NULL for NULL. */
const char *flat_did_you_mean(flat *f, const char *nearest);
/* The variable, the part that a symbol is in a group; NULL: it is none of its. */
flat_variable *flat_variable_of(flat_group *group, const brink_symbol *symbol);
flat_group *flat_child(const flat_group *group, const brink_symbol *symbol);
const char *flat_name_of(flat *f, const flat_variable *variable); /* full path, for messages */
brink_kernel *flat_kernel(flat *f, const char *name, brink_place place, size_t count);
bool flat_add_equation(flat *f, brink_kernel *kernel, brink_place place);
bool flat_add_output(flat *f, brink_kernel *kernel, brink_ref target, brink_node node,
                     brink_node when, uint32_t variable);
brink_ref flat_make_ref(flat *f, brink_space space, uint32_t *slots, size_t count);

#endif
