/* crew.c: a worker with several runs under way, side by side in lanes (run/lanes.h). See workers.h.
 *
 * Each seat has a runner. All of them take turns: what their next steps need is computed together, then each takes its step. A
 * run that is over leaves, and the next one takes its seat. A run that is not like the others is made alone, before the
 * others go on. No run knows of another: rows are what they would be alone. */
#include <math.h>
#include <string.h>

#include "run/lanes.h"
#include "sweep/sweep_parts.h"

typedef struct seat {
  brink_runner *runner;
  uint64_t number;
  bool taken;
} seat;

struct brink_crew {
  brink_arena arena;
  brink_run_lanes *lanes; /* NULL: no run has been seated yet */
  seat *seats;
  size_t nseats, busy;
  brink_text row;
};

/* Seats for each lane: some runs are at events, or at their end, while others are looked at. */
enum { SEATS_A_LANE = 4, MOST_SEATS = 24 };

brink_crew *brink_crew_open(const brink_sweep *sweep, brink_diag *diag) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_crew *crew = brink_arena_take(&arena, 1, sizeof *crew);
  if (crew == NULL) {
    brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
    return NULL;
  }
  size_t most = SEATS_A_LANE * (size_t)sweep->lanes;
  crew->nseats = sweep->lanes <= 1 ? 1 : most < MOST_SEATS ? most : MOST_SEATS;
  crew->seats = brink_arena_take(&arena, crew->nseats, sizeof *crew->seats);
  crew->arena = arena;
  bool ready = crew->seats != NULL;
  for (size_t k = 0; k < crew->nseats && ready; k++) {
    brink_runner *first = crew->seats[0].runner;
    crew->seats[k].runner = k == 0 ? brink_runner_open(sweep, diag)
                                   : brink_runner_open_beside(first, crew->nseats, diag);
    ready = crew->seats[k].runner != NULL;
  }
  if (ready) return crew;
  brink_crew_close(crew);
  return NULL;
}

void brink_crew_close(brink_crew *crew) {
  if (crew == NULL) return;
  brink_run_lanes_destroy(crew->lanes);
  for (size_t k = crew->seats != NULL ? crew->nseats : 0; k-- > 0;)
    brink_runner_close(crew->seats[k].runner); /* the first one has the model: last */
  brink_text_free(&crew->row);
  brink_arena arena = crew->arena;
  brink_arena_free(&arena);
}

void brink_crew_watch(brink_crew *crew, bool stop) {
  for (size_t k = 0; k < crew->nseats; k++) brink_runner_watch(crew->seats[k].runner, stop);
}

bool brink_crew_run(brink_crew *crew, uint64_t place, brink_text *row) {
  return brink_runner_run(crew->seats[0].runner, place, row);
}

/* ---- several at once ---- */

static bool hand_in(brink_crew *crew, seat *s, const brink_door *door) {
  crew->row.length = 0;
  brink_runner_row(s->runner, &crew->row);
  return door->put(door->user, s->number, &crew->row);
}

/* The run is over. False: it, or everything, was cancelled. */
static bool leave(brink_crew *crew, seat *s, brink_status status, const brink_diag *diag,
                  const brink_door *door) {
  if (s->taken) {
    brink_run_lanes_leave(crew->lanes, (size_t)(s - crew->seats));
    s->taken = false;
    crew->busy--;
  }
  return brink_runner_end(s->runner, status, diag) && hand_in(crew, s, door);
}

static bool run_alone(brink_crew *crew, seat *s, brink_run *run, double until,
                      const brink_door *door) {
  brink_diag diag;
  brink_status status;
  do {
    status = brink_run_to(run, until, &diag);
  } while (status == BRINK_ERR_WORK);
  return leave(crew, s, status, &diag, door);
}

static bool can_sit(brink_crew *crew, seat *s, brink_run *run, double until) {
  const char *why;
  if (!isfinite(until)) return false;
  if (crew->lanes == NULL) crew->lanes = brink_run_lanes_create(run, crew->nseats, &why);
  return crew->lanes != NULL && brink_run_lanes_sit(crew->lanes, (size_t)(s - crew->seats), run);
}

/* The next run takes a free seat, or is made alone. */
static bool begin(brink_crew *crew, seat *s, const brink_door *door) {
  brink_diag diag;
  brink_run *run = brink_runner_prepare(s->runner, s->number);
  if (run == NULL) return hand_in(crew, s, door);
  double until = brink_runner_options(s->runner)->until;
  brink_runner_begin(s->runner);
  if (!can_sit(crew, s, run, until)) return run_alone(crew, s, run, until, door);
  s->taken = true;
  crew->busy++;
  brink_status status = brink_run_turns_begin(run, until, &diag);
  return status == BRINK_OK || leave(crew, s, status, &diag, door);
}

/* One turn of all. */
static bool take_turns(brink_crew *crew, const brink_door *door) {
  brink_diag diag;
  brink_run_lanes_look(crew->lanes);
  for (size_t k = 0; k < crew->nseats; k++) {
    seat *s = &crew->seats[k];
    if (!s->taken) continue;
    double until = brink_runner_options(s->runner)->until;
    brink_status status = brink_run_turn(brink_runner_present(s->runner), until, &diag);
    if (status != BRINK_STEPPED && !leave(crew, s, status, &diag, door)) return false;
  }
  return true;
}

static bool fill(brink_crew *crew, const brink_door *door) {
  for (size_t k = 0; k < crew->nseats; k++) {
    seat *s = &crew->seats[k];
    while (!s->taken) { /* what is made alone leaves it free */
      if (!door->next(door->user, crew->busy, &s->number)) return true;
      if (!begin(crew, s, door)) return false;
    }
  }
  return true;
}

/* Runs that are under way when everything ends have no rows. */
static void give_up(brink_crew *crew) {
  for (size_t k = 0; k < crew->nseats; k++) {
    seat *s = &crew->seats[k];
    if (!s->taken) continue;
    brink_run_lanes_leave(crew->lanes, k);
    brink_runner_give_up(s->runner);
    s->taken = false;
  }
  crew->busy = 0;
}

bool brink_crew_work(brink_crew *crew, const brink_door *door) {
  bool going = fill(crew, door);
  while (going && crew->busy > 0) going = take_turns(crew, door) && fill(crew, door);
  give_up(crew);
  return going;
}
