/* display.h: what a report shows, collected while the run goes on, and the page it becomes.
 *
 *   display.c        rows of the chosen columns, steps, events: thinned on the way
 *   approach.c      guards just before and after events
 *   population.c    arrays of components with a position: frames of a film, and where they met
 *   display_page.c   all of it as the data of the page
 *   display_archive.c  what was collected so far, to bytes and back
 *
 * Memory does not grow with the length of the run. */
#ifndef BRINK_RECORD_DISPLAY_H
#define BRINK_RECORD_DISPLAY_H

#include "record/record.h"
#include "record/thin.h"

/* ---- what it is told ---- */

/* Guards at other moments than the present. */
typedef struct brink_guard_view {
  double (*value)(size_t guard, const brink_moment *moment, void *user); /* NaN: none */
  /* How far the run's tolerances reach in this guard. */
  double (*tolerance)(size_t guard, const brink_moment *moment, void *user);
  void *user;
  size_t count; /* of guards */
} brink_guard_view;

typedef struct brink_display_def {
  const brink_sim *sim; /* that has not begun; NULL: rows and meetings are told one by one */
  double started;       /* … and this is when it begins */
  const brink_columns *columns;
  const brink_columns *places; /* where positions of agents are found: states and outputs */
  const size_t *wanted;        /* columns that must be there, however many there are */
  size_t nwanted;
  double until;
  brink_gaps *gaps; /* learn where values are not numbers; NULL: nobody asks */
  brink_guard_view guards;
} brink_display_def;

typedef struct brink_display brink_display;

/* What `def` points at must outlive the report. MEMORY, or OK. */
brink_status brink_display_create(const brink_display_def *def, const brink_allocator *allocator,
                                  brink_display **display);
void brink_display_destroy(brink_display *display); /* NULL is fine */

/* Call these from the sink; `flag` and `index` of what the journal wants, too. */
void brink_display_step(brink_display *display, const brink_step_record *record);
void brink_display_event(brink_display *display, const brink_event_record *record, uint32_t flag,
                         size_t index);
/* Constraints have moved the state. */
/* As brink_trace_before_write and brink_trace_written, of a simulation. */
void brink_display_before_write(brink_display *display);
void brink_display_written(brink_display *display);
void brink_display_moved(brink_display *display, double t, const double *x);
/* Without a sim: everything at a moment, in the order of time; and an event, with the values before it. */
void brink_display_row(brink_display *display, const brink_moment *moment);
void brink_display_pair_event(brink_display *display, const brink_moment *before, uint32_t flag,
                              size_t index, const brink_participants *participants);
/* Listens to the journal (user: the report). */
void brink_display_logged(const brink_logged_event *logged, void *user);
/* When the run is over, however it ended. */
void brink_display_end(brink_display *display);

/* What was collected so far, into one that was made alike (base/archive.h). */
void brink_display_archive(brink_display *display, brink_archive *a);

/* ---- what was collected ---- */

/* Rows of the chosen columns; column k of the table is column chosen[k] of `columns`. */
const brink_thinned *brink_display_rows(const brink_display *display, const size_t **chosen);
/* Some of the rows, as they were: where rows are extremes, values of one of them were not seen together, and
 * cannot be drawn against each other. */
const brink_thinned *brink_display_points(const brink_display *display);

/* Times of events, of many of them some. */
const brink_thinned *brink_display_events(const brink_display *display);

/* ---- the page ---- */

typedef struct brink_display_context {
  const brink_summary *summary;
  const brink_journal *journal;
  const brink_moment *final;
  const char *source_name, *source; /* the model's file and its text */
  const brink_text *conditions;     /* elements of a JSON array; NULL: nobody asked for them */
  const brink_fact *facts;          /* provenance */
  size_t nfacts;
} brink_display_context;

/* Members of the data that other pages have, too: ,"provenance":[…] and ,"source":{…} (the last part of a path). */
void brink_display_facts(brink_text *text, const brink_fact *facts, size_t count);
void brink_display_source(brink_text *text, const char *path, const char *source);

/* The data of the page as one JSON object. False: out of memory. */
bool brink_display_data(const brink_display *display, const brink_display_context *context,
                        brink_text *text);

/* The whole page: `page` is the template, which has `null` as its data. What the writer said; -1 out of memory or
 * a template without a place for data. */
int brink_display_write(const char *page, size_t size, const brink_text *data,
                        const brink_writer *writer);

#endif
