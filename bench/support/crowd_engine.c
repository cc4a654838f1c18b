/* crowd_engine.c: every car an agent with a clock of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "agents/agents.h"
#include "support/crowd.h"

typedef struct engine {
  const crowd_scene *scene;
  const crowd_ask *ask;
  crowd_answer *answer;
  crowd_models models;
  brink_agents *agents;
} engine;

/* Wall hits are events of agents, the others are those of pairs. */
static int log_event(const brink_agent_event *event, void *user) {
  engine *self = user;
  double t = event->record->event.t;
  bool fine =
      event->pair == BRINK_NONE
          ? crowd_log(self->answer, self->ask, t, event->agent, 0, (int)event->record->event.guard)
          : crowd_log(self->answer, self->ask, t, event->partner[0], event->partner[1], -1);
  return fine ? 0 : -1;
}

static bool create(engine *self, brink_diag *diag) {
  static const uint32_t x[2][3] = {{0, 1, 2}, {3, 4, 5}}, p[2][2] = {{0, 1}, {2, 3}};
  static const uint32_t disc_x[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  static const size_t guards[] = {0};
  const crowd_scene *scene = self->scene;
  if (!crowd_models_make(&self->models, scene, diag)) return false;
  bool discs = self->models.x != NULL;
  brink_population_def cars = {.name = "car",
                               .model = self->models.car,
                               .count = scene->count,
                               .x0 = discs ? self->models.x : scene->x,
                               .p0 = discs ? NULL : scene->p};
  brink_pair_def pair = {.name = "touch",
                         .model = self->models.pair,
                         .x = {discs ? disc_x[0] : x[0], discs ? disc_x[1] : x[1]},
                         .p = {p[0], p[1]},
                         .guards = guards,
                         .nguards = 1,
                         .ndimensions = 2,
                         .position = {{0, 1}, {0, 1}},
                         .size = {UINT32_MAX, UINT32_MAX},
                         .size_value = {CROWD_RADIUS, CROWD_RADIUS}};
  brink_agents_def def = {.populations = &cars,
                          .npopulations = 1,
                          .pairs = &pair,
                          .npairs = 1,
                          .options = brink_default_options(),
                          .all_pairs = self->ask->all_pairs,
                          .threads = (size_t)self->ask->threads};
  def.options.rtol = def.options.atol = self->ask->tolerance;
  crowd_method(self->ask->method, &def.options.method);
  return brink_agents_create(&def, NULL, diag, &self->agents) == BRINK_OK;
}

static bool look(engine *self, crowd_watch *watch, double *x, brink_diag *diag) {
  double t = crowd_watch_next(watch), state[4];
  if (brink_agents_run(self->agents, t, 0, diag) != BRINK_TIME_REACHED) return false;
  for (size_t i = 0; i < self->scene->count; i++) {
    const double *p;
    const int *mode;
    brink_agents_at(self->agents, 0, i, t, state, &p, &mode);
    x[2 * i] = state[0];
    x[2 * i + 1] = state[1];
  }
  crowd_watch_look(watch, x, 2);
  return true;
}

static void run(engine *self, crowd_watch *watch, double *x, brink_diag *diag) {
  crowd_answer *answer = self->answer;
  double start = crowd_clock(self->ask->threads);
  answer->ok = true;
  while (answer->ok && watch != NULL && crowd_watch_next(watch) < self->ask->t_end)
    answer->ok = look(self, watch, x, diag);
  answer->ok =
      answer->ok && brink_agents_run(self->agents, self->ask->t_end, 0, diag) == BRINK_TIME_REACHED;
  answer->seconds = crowd_clock(self->ask->threads) - start;
}

static void note_statistics(engine *self) {
  const brink_agents_stats *stats = brink_agents_statistics(self->agents);
  crowd_answer *answer = self->answer;
  answer->steps = (double)stats->sum.steps;
  answer->hits = (double)stats->sum.events;
  answer->windows = (double)stats->windows;
  answer->searches = (double)stats->searches;
  answer->checks = (double)stats->checks;
  answer->bytes = (double)stats->bytes;
}

crowd_answer crowd_run_engine(const crowd_scene *scene, const crowd_ask *ask) {
  crowd_answer answer = {.ok = false};
  engine self = {.scene = scene, .ask = ask, .answer = &answer};
  brink_diag diag = {.message = ""};
  crowd_watch *watch = crowd_watch_open(scene, ask);
  double *x = calloc(2 * scene->count, sizeof *x), start = crowd_clock(ask->threads);
  if (x != NULL && create(&self, &diag)) {
    brink_agents_sink sink = {.event = log_event, .user = &self};
    if (ask->log_until > 0) brink_agents_set_sink(self.agents, &sink);
    answer.setup = crowd_clock(ask->threads) - start;
    run(&self, watch, x, &diag);
    note_statistics(&self);
  }
  if (!answer.ok) fprintf(stderr, "cars as agents: %s\n", diag.message);
  crowd_watch_close(watch, &answer);
  brink_agents_destroy(self.agents);
  crowd_models_free(&self.models);
  free(x);
  return answer;
}
