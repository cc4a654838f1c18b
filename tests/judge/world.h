/* world.h: a model as the judge sees it: cells, which have names and values, and how they are defined. */
#ifndef BRINK_TESTS_JUDGE_WORLD_H
#define BRINK_TESTS_JUDGE_WORLD_H

#include <setjmp.h>
#include <stdint.h>

#include "base/base.h"
#include "judge/judge.h"

typedef struct judge judge;
typedef struct judge_scope judge_scope;
typedef struct judge_cell judge_cell;

/* A name that a for, a let, a function's argument gives a meaning to. */
typedef struct judge_binding judge_binding;
struct judge_binding {
  const char *name;
  const double *value; /* `count` of them */
  size_t count;
  bool varies; /* an argument that moves with time */
  const judge_binding *next;
};

/* Where an expression is read: an instance, and what is bound there. `id` tells frames apart. */
typedef struct judge_frame {
  judge_scope *scope;
  const judge_binding *bound;
  uint64_t id;
} judge_frame;

/* `cell = expr`, or the branches of a statement `if`. */
typedef struct judge_definition judge_definition;
struct judge_definition {
  const judge_frame *frame;
  const brink_ast_expr *expr;        /* of a plain equation … */
  size_t element;                    /* … and the element of it, from 0 */
  const brink_ast_statement *choice; /* of an if … */
  judge_definition **branch;         /* … one for each block; NULL: it says nothing */
};

typedef enum judge_kind {
  JUDGE_STATE, /* moves by its rate */
  JUDGE_HELD,  /* changes at instants: modes, integers, what dtcs and lbcs keep, outputs of dtcs */
  JUDGE_FORMULA, /* parameters, variables, outputs, inputs */
  JUDGE_FLAG,
} judge_kind;

struct judge_cell {
  char name[JUDGE_NAME];
  judge_kind kind;
  bool shown; /* a state or a mode: compared at the end */
  bool text;
  bool sampled;            /* of a dtc: evaluated as it stands */
  size_t slot;             /* in x, held or flags */
  judge_cell *source;      /* an input that is connected */
  judge_definition *value; /* FORMULA, FLAG; HELD outputs of a dtc */
  judge_definition *rate;  /* STATE */
  double lo, hi;           /* STATE: range */
  const brink_ast_range *range;
  judge_scope *scope;
  /* of the present evaluation */
  uint64_t stamp, rate_stamp;
  bool busy, varies;
  double memo, rate_memo;
};

/* What a name means in a scope. */
typedef struct judge_entity judge_entity;
struct judge_entity {
  const char *name;
  const brink_symbol *symbol;
  size_t count; /* 0: not an array */
  judge_cell **cells;
  judge_scope **scopes;
  judge_entity *next;
};

struct judge_scope {
  const brink_component *class_; /* NULL: of a pair */
  const char *path;              /* "plant", "" at the top */
  judge_scope *outer;
  judge_entity *entities, **end;
  judge_frame *frame;
  judge_scope *next; /* of all */
};

typedef struct judge_flag {
  judge_cell *cell;
  const brink_ast_event *event; /* NULL: none */
  const judge_frame *frame;
  brink_side side;
  bool boolean; /* its value is a truth */
  int priority;
  double value; /* at the last evaluation */
} judge_flag;

typedef struct judge_rule {
  const brink_ast_statement *when;
  const judge_frame *frame;
  size_t device; /* that it belongs to */
  bool was;      /* the truth of its condition */
  bool sampled;
} judge_rule;

/* A dtc, or an lbc. */
typedef struct judge_device {
  judge_scope *scope;
  bool logic;
  bool samples;
  long long period, offset; /* in units of 1e-9 s */
  long long next;
  int priority;
  bool ran; /* at the present instant */
} judge_device;

/* A place where something switches: a relation, abs, sign, min, max, floor, a corner of a table. */
typedef struct judge_site {
  uint64_t key;  /* 0: free entry */
  long decision; /* that holds */
  long open;     /* that the values at the last evaluation ask for */
  long above;    /* that belongs to residual > 0, of two */
  double
      margin; /* how far away the nearest switch was at the last evaluation, relative to its terms */
  double residual; /* whose sign decides, if something has two sides; else NaN */
  uint64_t stamp;  /* of the last evaluation that came here */
} judge_site;

typedef struct judge_table {
  judge_site *site;
  size_t capacity, count;
} judge_table;

/* One of two sides of a surface that holds the state: a site or a flag with its decision on each side. */
typedef struct judge_held_item {
  bool flag;
  uint64_t key; /* or the flag's index */
  long side[2]; /* below, above */
} judge_held_item;

enum { JUDGE_HELD_ITEMS = 64, JUDGE_LIMIT = 400 };

struct judge {
  brink_arena arena;
  const brink_unit *unit;
  judge_scope *top, *scopes, **scopes_end;
  judge_cell *state[JUDGE_LIMIT], *held_cell[JUDGE_LIMIT];
  judge_cell *shown[2 * JUDGE_LIMIT];
  judge_flag flag[JUDGE_LIMIT];
  judge_rule rule[JUDGE_LIMIT];
  judge_device device[JUDGE_LIMIT];
  size_t nx, nheld, nshown, nflags, nrules, ndevices;
  const char *strings[JUDGE_LIMIT];
  size_t nstrings;

  /* the present */
  double t, x[JUDGE_LIMIT], held[JUDGE_LIMIT];
  double pre_x[JUDGE_LIMIT], pre_held[JUDGE_LIMIT], pre_t;
  int sign[JUDGE_LIMIT];         /* of flags, remembered: a change is an event */
  int sgn[JUDGE_LIMIT];          /* as equations read it */
  double pre_value[JUDGE_LIMIT]; /* of flags, before the instant */
  bool rule_truth[JUDGE_LIMIT];
  judge_table table, hint;
  uint64_t stamp, frames;
  bool plain;  /* conditions as they stand, nothing is remembered */
  bool varies; /* something that was read moves with time */
  bool pre;    /* inside pre(...) */
  long rests;  /* steps in a row that led nowhere */

  /* on a surface */
  judge_held_item item[JUDGE_HELD_ITEMS];
  size_t nitems;                   /* 0: on none */
  const brink_ast_event *on_event; /* of the flag that holds it; NULL: Filippov */
  const judge_frame *on_frame;
  bool override_active;

  /* the run */
  double step, until, moved;
  judge_run *run;
  bool over;
  int reached[JUDGE_LIMIT]; /* flags that the last step led to: direction */
  bool armed[JUDGE_LIMIT];  /* unilateral flags that have been away from their surface */
  double far[JUDGE_LIMIT];  /* when they were last clearly away */
  double slack[JUDGE_LIMIT];
  jmp_buf give_up;
};

/* world.c */

void judge_build(judge *j, const brink_unit *unit);
__attribute__((format(printf, 2, 3))) const char *judge_format(judge *j, const char *format, ...);
size_t judge_string(judge *j, const char *text);
judge_frame *judge_frame_new(judge *j, judge_scope *scope, const judge_binding *bound);
const judge_frame *judge_bind(judge *j, const judge_frame *frame, const char *name,
                              const double *value, size_t count);
/* The cell that a path names; NULL: it names something else. *count: elements that the path leaves open (0: none);
 * the cells follow each other in *cells. */
judge_cell *judge_find(judge *j, const judge_frame *frame, const brink_ast_expr *path,
                       size_t element);
size_t judge_size(judge *j, const judge_frame *frame, const brink_ast_expr *expr);

/* Gives up: the model is set apart. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3), noreturn))
#endif
void judge_refuse(judge *j, const char *format, ...);

/* evaluate.c */

double judge_value(judge *j, const judge_frame *frame, const brink_ast_expr *expr, size_t element);
double judge_cell_value(judge *j, judge_cell *cell);
double judge_cell_rate(judge *j, judge_cell *cell);
bool judge_truth(judge *j, const judge_frame *frame, const brink_ast_expr *expr);
/* From now on at (t, x): everything is evaluated anew. */
void judge_at(judge *j, double t, const double *x);
judge_site *judge_site_find(judge_table *table, uint64_t key);
judge_site *judge_site_add(judge *j, judge_table *table, uint64_t key);
void judge_table_clear(judge_table *table);

/* integrate.c */

/* All rates at (t, x), as the present decisions say; on a surface, those that stay on it. */
void judge_rates(judge *j, double t, const double *x, double *rate);
/* Rates, flags and conditions of rules at (t, x): fills sites, flag values and rule truths. */
void judge_look(judge *j, double t, const double *x);
/* Has a state left its range, by more than a tolerance of 1e-9 allows? */
bool judge_out_of_range(const judge *j);
/* Do the fields on both sides lead to the surface of the first held item? */
bool judge_is_attracting(judge *j, double t, const double *x);
bool judge_is_held(const judge *j, bool flag, uint64_t key);
bool judge_rk4(judge *j, double t, const double *x, double h, double *out); /* false: not finite */
/* Moves on until t_end or until something switches. */
void judge_advance(judge *j, double t_end);

/* settle.c: conditions and signs that hold right after the present */
void judge_settle(judge *j);

/* instant.c */
void judge_start(judge *j);
void judge_instant(judge *j);
long long judge_next_sample(const judge *j); /* in units of 1e-9 s; LLONG_MAX: none */

#define JUDGE_NANO 1e9
#define JUDGE_BAND 1e-9 /* nearer to a surface than this, relative to its terms: on it */

#endif
