/* One model, several threads: every run is the same to the bit, whoever runs beside it. */
#include <brink/brink.h>
#include <brink/jet.h>
#include <pthread.h>
#include <stdint.h>

#include "check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- a model that uses all shared parts: guards of every kind, formulas, clocks, names ---- */

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  dx[0] = x[1];
  dx[1] = -env->p[0] * sin(x[0]) + 0.02 * env->mode[0];
  dx[2] = -x[2] + 0.1 * cos(t);
  return 0;
}
static int value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = exp(x[0]) - 1.3;
  return 0;
}
static int gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                    double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = exp(x[0]), *dt = 0.0;
  return 0;
}
static int jet(size_t guard, int order, const double *t, const double *const *x,
               const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  brink_jet_exp(order, x[0], g);
  g[0] -= 1.3;
  return 0;
}
static int toggle(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1 - now->mode[0];
  return 0;
}
static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = -0.9 * now->x[1];
  return 0;
}
static int refill(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->x[2] = 1.0;
  now->x[1] *= 1.1;
  return 0;
}

static brink_model *make_model(void) {
  static const double x0[] = {0.1, 1.0, 1.0}, p0[] = {1.0}, one[] = {1.0}, minus[] = {-1.0};
  static const size_t first[] = {0}, third[] = {2};
  static const int formula[] = {3, 4, BRINK_AND, BRINK_NOT};
  brink_guard_def guards[7];
  static const char *const names[] = {"smooth", "gradient", "value", "low", "left", "not", "wall"};
  for (size_t k = 0; k < 7; k++) {
    guards[k] = brink_default_guard(names[k]);
    guards[k].depends = k == 3 ? third : first, guards[k].ndepends = 1;
  }
  for (size_t k = 0; k < 3; k++) guards[k].value = value;
  guards[0].gradient = guards[1].gradient = gradient;
  guards[0].jet = jet, guards[0].action = toggle;
  guards[3].coefficients = minus, guards[3].offset = 0.5, guards[3].side = BRINK_LEAF;
  guards[4].coefficients = minus, guards[4].side = BRINK_LEAF;
  guards[5].formula = formula, guards[5].formula_length = COUNT(formula);
  guards[6].coefficients = one, guards[6].offset = -0.6;
  guards[6].side = BRINK_UNILATERAL, guards[6].action = bounce;
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "refill", .period = 0.7, .tick = refill};
  brink_model_def def = brink_default_model();
  def.nx = 3, def.x0 = x0, def.np = 1, def.p0 = p0, def.nmodes = 1, def.rhs = rhs;
  def.nguards = 7, def.guards = guards, def.nclocks = 1, def.clocks = &clock;
  brink_model *model = NULL;
  brink_diag diag;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  return model;
}

/* ---- a run as a number ---- */

/* FNV-1a over everything the sink receives. */
typedef struct hash {
  uint64_t value;
} hash;

static void mix(hash *h, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t k = 0; k < size; k++) h->value = (h->value ^ bytes[k]) * 1099511628211u;
}
static int on_step(const brink_step_record *record, void *user) {
  mix(user, &record->t1, sizeof record->t1);
  mix(user, record->x, record->nx * sizeof *record->x);
  mix(user, &record->order, sizeof record->order);
  return 0;
}
static int on_event(const brink_event_record *record, void *user) {
  mix(user, &record->event.guard, sizeof record->event.guard);
  mix(user, &record->event.t, sizeof record->event.t);
  mix(user, record->event.name, strlen(record->event.name));
  mix(user, record->x_after, 3 * sizeof *record->x_after);
  mix(user, record->mode_after, sizeof *record->mode_after);
  return 0;
}
static int on_miss(const brink_near_miss *record, void *user) {
  mix(user, &record->t, sizeof record->t);
  return 0;
}

typedef struct job {
  const brink_model *model;
  const brink_sim *from; /* a clone of this one runs; NULL: a new one */
  brink_options options;
  brink_status status; /* out */
  uint64_t hash;
  int64_t events;
} job;

static void run_job(job *j) {
  hash h = {1469598103934665603u};
  brink_sink sink = {.step = on_step, .event = on_event, .near_miss = on_miss, .user = &h};
  brink_sim *sim = NULL;
  brink_diag diag;
  j->status = j->from != NULL ? brink_sim_clone(j->from, j->model, NULL, &diag, &sim)
                              : brink_sim_create(j->model, &j->options, NULL, &diag, &sim);
  if (j->status != BRINK_OK) return;
  brink_sim_set_sink(sim, &sink);
  j->status = brink_sim_run(sim, 30.0, &diag);
  j->hash = h.value;
  j->events = brink_sim_stats(sim)->events;
  brink_sim_destroy(sim);
}

enum { METHODS = 9, DETECTORS = 5, JOBS = METHODS * DETECTORS };

static void fill_jobs(job *jobs, const brink_model *model) {
  for (int k = 0; k < JOBS; k++) {
    jobs[k] = (job){.model = model, .options = brink_default_options()};
    static const brink_method methods[METHODS] = {BRINK_ADAMS,   BRINK_DOPRI,     BRINK_EULER,
                                                  BRINK_TAYLOR2, BRINK_RK4,       BRINK_AM3,
                                                  BRINK_BDF3,    BRINK_TRAPEZOID, BRINK_BDF};
    jobs[k].options.method = methods[k % METHODS];
    jobs[k].options.events = (brink_events)(k / METHODS);
    jobs[k].options.step = jobs[k].options.method > BRINK_DOPRI ? 0.01 : 0.0;
    jobs[k].options.audit = true;
  }
}

/* Each thread runs all jobs, from another one on, so that different ones meet. */
typedef struct worker {
  pthread_t thread;
  int first;
  job jobs[JOBS];
} worker;

static void *work(void *argument) {
  worker *w = argument;
  for (int k = 0; k < JOBS; k++) run_job(&w->jobs[(k + w->first) % JOBS]);
  return NULL;
}

/* Runs that are under way, from which the jobs go on. */
static void begin_runs(brink_sim **sims, job *jobs) {
  brink_diag diag;
  for (int k = 0; k < JOBS; k++) {
    CHECK_INT(brink_sim_create(jobs[k].model, &jobs[k].options, NULL, &diag, &sims[k]), BRINK_OK);
    CHECK_INT(brink_sim_run(sims[k], 7.3, &diag), BRINK_TIME_REACHED);
  }
}

static void go_on_from(brink_sim *const *sims, job *jobs) {
  for (int k = 0; k < JOBS; k++) jobs[k].from = sims[k];
}

static void check_threads(int count, bool clones) {
  static worker workers[4];
  static job alone[JOBS];
  brink_sim *sims[JOBS] = {NULL};
  brink_model *model = make_model();
  if (model == NULL) return;
  fill_jobs(alone, model);
  if (clones) begin_runs(sims, alone);
  go_on_from(sims, alone);
  for (int k = 0; k < JOBS; k++) {
    run_job(&alone[k]);
    CHECK_MSG(alone[k].status == BRINK_TIME_REACHED && alone[k].events > 10,
              "%s/%s alone: %s, %lld events", brink_method_name(alone[k].options.method),
              brink_events_name(alone[k].options.events), brink_status_text(alone[k].status),
              (long long)alone[k].events);
  }
  for (int w = 0; w < count; w++) {
    fill_jobs(workers[w].jobs, model);
    go_on_from(sims, workers[w].jobs);
    workers[w].first = w * 3;
    CHECK_INT(pthread_create(&workers[w].thread, NULL, work, &workers[w]), 0);
  }
  for (int w = 0; w < count; w++) CHECK_INT(pthread_join(workers[w].thread, NULL), 0);
  for (int w = 0; w < count; w++)
    for (int k = 0; k < JOBS; k++)
      CHECK_MSG(workers[w].jobs[k].hash == alone[k].hash &&
                    workers[w].jobs[k].status == alone[k].status &&
                    workers[w].jobs[k].events == alone[k].events,
                "thread %d of %d, %s/%s differs from the run alone", w, count,
                brink_method_name(alone[k].options.method),
                brink_events_name(alone[k].options.events));
  for (int k = 0; k < JOBS; k++) brink_sim_destroy(sims[k]);
  brink_model_destroy(model);
}

TEST(two_threads_that_share_a_model_give_the_bits_of_one) {
  check_threads(2, false);
}

TEST(four_threads_that_share_a_model_give_the_bits_of_one) {
  check_threads(4, false);
}

TEST(clones_in_four_threads_give_the_bits_of_one) {
  check_threads(4, true);
}

TEST(a_run_repeated_gives_the_same_bits) {
  static job once[JOBS], again[JOBS];
  brink_model *model = make_model();
  fill_jobs(once, model);
  fill_jobs(again, model);
  for (int k = 0; k < JOBS; k++) run_job(&once[k]);
  for (int k = JOBS - 1; k >= 0; k--) run_job(&again[k]);
  for (int k = 0; k < JOBS; k++) CHECK(once[k].hash == again[k].hash);
  /* and the hash can tell runs apart */
  CHECK(once[0].hash != once[1].hash);
  brink_model_destroy(model);
}

int main(void) {
  RUN(a_run_repeated_gives_the_same_bits);
  RUN(two_threads_that_share_a_model_give_the_bits_of_one);
  RUN(four_threads_that_share_a_model_give_the_bits_of_one);
  RUN(clones_in_four_threads_give_the_bits_of_one);
  return check_done();
}
