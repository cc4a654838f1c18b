/* display_parts.h: the rooms of a report. Only for the files that display.h names. */
#ifndef BRINK_RECORD_DISPLAY_PARTS_H
#define BRINK_RECORD_DISPLAY_PARTS_H

#include "record/display.h"

/* With more states than this, ends of steps are not kept, and steps are not cut into parts. */
#define BRINK_DISPLAY_LARGE 20000

/* Steps are cut into so many different numbers of parts, in turn. */
#define BRINK_DISPLAY_TURNS 7

/* ---- approach.c ---- */

enum {
  BRINK_APPROACH_STEPS = 16,  /* ends of steps before an event that are kept */
  BRINK_APPROACH_POINTS = 44, /* on each side, each half as far away as the one before */
  BRINK_APPROACH_OPEN = 8,    /* events of one instant */
};

/* One event: the guard at times dt from it. */
typedef struct brink_guard_approach {
  size_t event; /* its number in the list of events */
  size_t guard;
  uint32_t flag; /* which guard that is, for a reader */
  size_t index;
  double t, value, tolerance;
  double along_dt[2 * BRINK_APPROACH_POINTS], along_g[2 * BRINK_APPROACH_POINTS];
  size_t nalong;
  double step_dt[BRINK_APPROACH_STEPS + 1], step_g[BRINK_APPROACH_STEPS + 1];
  size_t nsteps;
} brink_guard_approach;

typedef struct brink_approaches {
  const brink_display_def *def;
  size_t nx;
  double *recent_t, *recent_x; /* a ring: ends of the steps since the last instant with events */
  size_t recent;               /* how many ever */
  bool happened;               /* an event, since the last step */
  double begun;                /* start of the last step */
  double *x;                   /* room */
  brink_guard_approach *open;  /* that wait for the step after them */
  size_t nopen;
  uint32_t *logged; /* of each flag: approaches so far */
  size_t count;
  brink_text text; /* elements of a JSON array */
} brink_approaches;

bool brink_approaches_init(brink_approaches *all, const brink_display_def *def, size_t nx,
                           brink_arena *arena);
void brink_approaches_free(brink_approaches *all);
void brink_approaches_step(brink_approaches *all, const brink_step_record *record);
/* `number`: of the event in the list of events. */
void brink_approaches_event(brink_approaches *all, const brink_event_record *record, uint32_t flag,
                            size_t index, size_t number);
void brink_approaches_end(brink_approaches *all);

/* ---- population.c ---- */

/* Components (or elements of vectors) that have a place. */
typedef struct brink_population {
  const char *name; /* "car" */
  uint32_t group;
  const brink_tracked *x, *y, *heading; /* y, heading: may be NULL */
  const brink_variable *radius;         /* may be NULL */
  size_t stride;                        /* 2: x and y are both in the vector `x`; else 1 */
  size_t total, count, every;           /* agents, those shown, one in so many */
  size_t first;                         /* its first column in the frames */
  brink_text pair_events;               /* elements of a JSON array */
  size_t npair_events;
} brink_population;

typedef struct brink_populations {
  const brink_columns *columns;
  brink_population *item;
  size_t count;
  size_t width; /* numbers in a frame */
  brink_thinned frames;
} brink_populations;

bool brink_populations_init(brink_populations *all, const brink_columns *columns,
                            brink_arena *arena);
void brink_populations_free(brink_populations *all);
/* The columns have visited the moment. */
void brink_populations_frame(brink_populations *all, const brink_moment *moment);
void brink_populations_event(brink_populations *all, const brink_moment *before, uint32_t flag,
                             size_t index, const brink_participants *participants);
void brink_populations_write(const brink_populations *all, brink_text *text);

/* ---- display.c ---- */

struct brink_display {
  brink_display_def def;
  brink_arena arena;
  double started;
  size_t *chosen; /* columns */
  const brink_tracked **tracked;
  size_t *element;
  size_t nchosen;
  bool turned; /* rows are in the time of the model, which ran backwards */
  brink_trace trace;
  brink_thinned rows;   /* the chosen columns */
  brink_thinned points; /* the same, some rows as they are */
  brink_thinned steps;  /* size and order */
  brink_thinned times;  /* of events */
  brink_approaches approaches;
  brink_populations populations;
  size_t turn;                   /* steps are not always cut alike */
  size_t nsteps, nevents, ntold; /* told: complete, and in the list */
  brink_text events;             /* elements of a JSON array, the first ones */
};

#endif
