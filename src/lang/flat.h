/* flat.h: flattening, inside.
 *
 *   flatten.c      the order of things; names of files and lines
 *   flat_tree.c    instances become groups, declarations get slots
 *   flat_value.c   values known before the run: parameters, sizes, indices, initial values
 *   flat_connect.c inputs find their sources
 *   flat_expr.c    expressions become graphs; flat_call.c: functions in them
 *   flat_ref.c     which slots a name stands for
 *   flat_flag.c    relations become flags, boolean expressions formulas of them
 *   flat_parameter.c parameters, settings of the caller, initial values
 *   flat_equation.c dynamics and outputs become equations, flags, range surfaces
 *   flat_constraint.c constraints become residuals and conditions
 *   flat_action.c  events, updates and rules become actions
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
  bool sized;      /* length is known */
  uint32_t length; /* 1 for scalars */
  size_t count;    /* group->count * length */
  brink_space space;
  uint32_t base;     /* slot of element 0 */
  uint32_t variable; /* in system->variables, or BRINK_NO_INDEX */
  uint32_t flag;     /* FLAG: in system->flags */
  bool continuous;   /* varies between events */
  bool initialised;
  bool takes_default; /* an input that has a value of its own */
  bool settled;       /* something was made with its value */

  bool driven; /* an input whose values come from a table, … */
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

struct flat_group {
  brink_component *component; /* NULL: a pair block */
  brink_ast_pair *pair;
  brink_symbol *symbol; /* in the parent; NULL: the top */
  flat_group *parent;
  size_t dimension; /* of the array in the parent; 0: not an array */
  size_t count;
  uint32_t id;              /* in system->groups */
  size_t stream;            /* number of its first instance among all: stream of random draws */
  uint32_t *draws;          /* of each instance, so far */
  uint32_t draw_variable;   /* P slot of the counters, if actions draw; BRINK_NO_INDEX */
  uint32_t draw_streams;    /* P slot of the numbers of the streams */
  flat_variable *variables; /* by symbol->order */
  size_t nvariables;
  flat_group **children; /* by symbol->order; NULL: not an instance */
  bool in_population;
  bool uncertain; /* a connection in it is wrong: what its parts lack may be due to that */
  struct flat_pending *equations; /* of dynamics and output, taken apart */
  uint32_t *partner[2];           /* pair block: instance of each partner */
  flat_group *partner_group[2];
  flat_group *next;
};

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
  char *v_varies;         /* of each slot of V: does it change between events? */
  uint32_t *string_table; /* hashed numbers of strings, from 1 */
  size_t string_room;
  uint32_t *slots; /* scratch of flat_ref */
  size_t slots_capacity;
  size_t assumptions; /* how often an assumed value was read */
  size_t evaluating;  /* parameters within parameters */
  size_t budget;      /* of translation steps: bounds what functions in functions may grow to */
  uint64_t seed;      /* of random draws */
  const brink_ast_expr *seed_expr; /* being evaluated: nothing may be drawn */
  bool templates;                  /* only the first agents get equations, see flat_template.c */
  size_t nvalued;                  /* variables of all agents: the others are of the first agents */
  bool failed;                     /* the present piece: out of memory, or reported */
  bool errors;                     /* some piece failed */
  bool structure; /* the checker found errors: only instances, values and connections are checked */
} flat;

/* A model may have this many instances, elements of a vector, states: more is refused. */
#define FLAT_LIMIT ((size_t)1 << 23)
#define FLAT_BUDGET ((size_t)200000000)

/* ---- values known before the run ---- */

typedef struct flat_binding flat_binding;

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
  double value;         /* a loop variable's */
  const double *values; /* a let's, one for each element */
  size_t length;
  const brink_ast_expr *expr; /* an argument: evaluated where it was written … */
  const flat_point *point;    /* … */
  const flat_binding *outer;
};

/* Counts down the budget; false when it is used up, which is reported once. */
bool flat_spend(flat *f, brink_place place, size_t steps);
bool flat_value(flat *f, const flat_point *point, const brink_ast_expr *expr, double *value);
/* A whole number in [least, most]; reports otherwise. */
bool flat_whole(flat *f, const flat_point *point, const brink_ast_expr *expr, const char *what,
                int64_t least, int64_t most, int64_t *value);
/* The bounds of a loop. */
bool flat_bounds(flat *f, const flat_point *point, const brink_ast_statement *s, int64_t *lo,
                 int64_t *hi);
/* The operator that a function is; BRINK_OP_CONST: none by itself. */
brink_op flat_plain_op(brink_function function);
/* The length of an expression as a vector; 1 for scalars, 0: mismatch (reported). */
size_t flat_length(flat *f, flat_group *group, const brink_ast_expr *expr);
size_t flat_bound_length(flat *f, flat_group *group, const brink_ast_expr *expr,
                         const flat_binding *binding);

/* The values of a parameter (or the default of an input) for all instances. */
bool flat_evaluate(flat *f, flat_variable *variable);
uint32_t flat_string(flat *f, const char *text);
void flat_initial(flat *f, flat_group *group);
void flat_apply_sets(flat *f);

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
uint32_t flat_hidden(flat *f, flat_group *group, const char *name, brink_space space, size_t count,
                     double value);

/* flat_drive.c: marks the inputs that a table drives, before memory is given out; makes their equations
 * and system->driven, after it. */
void flat_mark_driven(flat *f);
void flat_drive(flat *f);
/* Does it change between the rows of its table? */
bool flat_is_ramp(const flat *f, const flat_variable *variable);

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

typedef struct flat_loop {
  const brink_symbol *symbol; /* NULL: the elements of vectors */
  int64_t lo;
  size_t count;
} flat_loop;

#define FLAT_LOOPS 8

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
  size_t repeat;             /* iterations of one instance: product of the loops */
  size_t element;            /* fixed element of vectors; BRINK_NONE: that of the loops */
  bool element_loop;         /* the last loop runs over elements */
  const flat_binding *fixed; /* loop variables of unrolled loops */
  flat_name *names;
  brink_node active; /* under this condition is the expression used; BRINK_NO_NODE: always */
  bool plain;        /* inside noevent(…) */
  bool pre;          /* inside pre(…) */
  int functions;     /* calls within calls */
} flat_context;

void flat_begin(flat_context *c, flat_shared *shared, flat *f, flat_group *group,
                brink_kernel *kernel, flat_purpose purpose);
/* The number of iterations is settled: all loops are pushed. */
void flat_begin_graph(flat_context *c);
brink_node flat_expr(flat_context *c, const brink_ast_expr *expr);
brink_node flat_ref(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                    brink_space as);
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
  brink_node *memo;       /* by element; the last one: that of the loops */
  size_t nmemo;
  flat_name *outer;
};

bool flat_varies(flat_context *c, brink_node node);
/* Must this be turned into a flag? */
bool flat_locks(flat_context *c, brink_node node);
brink_node flat_name_node(flat_context *c, const brink_ast_expr *expr);
brink_node flat_call(flat_context *c, const brink_ast_expr *expr);
/* How long an expression is as a vector, names of functions and lets included. */
size_t flat_vector_length(flat_context *c, const brink_ast_expr *expr);

/* flat_flag.c: a flag made of a value in c's graph, one for each iteration, with guard numbers of its
 * own. Its number, or BRINK_NO_INDEX. */
uint32_t flat_new_flag(flat_context *c, brink_flag_kind kind, const char *name, brink_place place,
                       brink_node value);
const char *flat_place_name(flat *f, brink_place place); /* "@12:7" */
brink_node flat_sign(flat_context *c, uint32_t flag);
/* The locked sign of a value: a flag of its own. */
brink_node flat_locked(flat_context *c, brink_place place, brink_node value);
brink_node flat_locked_floor(flat_context *c, brink_place place, brink_node value);
/* The value of a flag that is a mere condition: far from zero on either side. */
brink_node flat_far(flat_context *c, brink_node condition);
/* A boolean expression as a formula of leaves. */
bool flat_formula(flat_context *c, const brink_ast_expr *expr, uint32_t flag);
uint32_t flat_add_flag(flat *f, flat_group *group, brink_flag_kind kind, const char *name,
                       brink_place place, size_t count);
bool flat_number_guards(flat *f, uint32_t flag);
brink_kernel *flat_extract(flat_context *c, brink_place place, brink_node node);
brink_action *flat_new_action(flat *f, const char *name, brink_place place, size_t count);
bool flat_first_output(flat *f, brink_action *action);

/* ---- equations, actions ---- */

void flat_equations(flat *f, flat_group *group);
/* Pushes the loops around an equation; bounds must be the same in all instances. False: no iterations, or failed. */
bool flat_push_loops(flat_context *c, const brink_ast_statement *const *loops, size_t nloops);

/* flat_constraint.c: after the equations of all groups. */
bool flat_has_constraints(const flat_group *group);
void flat_constraints(flat *f, flat_group *group);
bool flat_check_written_out(flat *f, const brink_system *system);

/* flat_structure.c: the structures of constraints; an error where one cannot be solved. */
void flat_structures(flat *f, brink_system *system);

void flat_events(flat *f, flat_group *group, brink_ast_event *events);
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
brink_ast_expr *flat_if(flat *f, const brink_ast_expr *condition, const brink_ast_expr *yes,
                        const brink_ast_expr *no);

/* ---- small things ---- */

/* One error does not hide the next: clears `failed`, to go on with the next piece. */
void flat_next(flat *f);
/* The end of a phase: has anything failed? */
bool flat_stop(flat *f);

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
