/* published.c: the multi-rate algorithm of Esposito, Kumar & Pappas (2001).
 *
 * The problem  Agents x^i' = f^i(x^i), independent of each other, each with a clock t^i and a step h^i of its
 *              own, and guards g(x^i, x^j) < 0 of pairs. g = 0 means something only when both clocks show
 *              the same time.
 * The method   Of a pair, agent 1 leads and agent 2 lags: tau = t^2 - t^1 <= 0 (eq. 14). Each has its Adams
 *              predictor, a polynomial in its own step (eqs. 10, 11). Two constraints are driven to zero by
 *              the same gain gamma, tau_{k+1} = gamma tau_k and g_{k+1} = gamma g_k. The first ties the steps:
 *                  (16)  h^2 = h^1 + (gamma - 1) tau_k
 *              and the second chooses them: h^1 is the smallest positive root of
 *                  (17)  g(x^1 + p^1(h^1), x^2 + p^2(h^2)) = gamma g_k,     h^2 by (16),
 *              a polynomial in h^1: of degree m, the order, for g linear, (1 - gamma) g_k + g_x1.p^1 + g_x2.p^2
 *              = 0; of degree 2m for distances, |x^1 + p^1 - x^2 - p^2|^2 = (R - gamma g_k)^2. No root: no
 *              limit. With more agents each takes the smallest step that its pairs suggest (eq. 20).
 * Corrected    In print (17) lacks tau_k in both places where h^2 should be, and the target reads (gamma - 1)
 *              g_k. Roots r >= 0 must be r > 0. An event is g >= -eps_g and |tau| <= eps_tau: the paper says
 *              so in words, its listing only asks "terminate?".
 * Who moves    The listing moves both agents at every iteration, by what (17) or their error control allows,
 *              whichever is less (BRINK_MOVES_ALL): their clocks drift apart without bound, and collisions
 *              pass unseen. A paragraph behind it advances "the agent which lags the most". So, unless told
 *              otherwise (BRINK_MOVES_LAGGARD), the laggard moves alone, no further than h^2; and both move
 *              when the root is near, each still no further than its error control allows. Where these two
 *              limits leave the steps of (16) and (17) as they are, tau and g shrink by exactly gamma. To
 *              let both move only then (BRINK_MOVES_EXACTLY) is our own variant: it misses less, not
 *              nothing. Of agents at the same time the first is the laggard.
 * Deviations   Steps are corrected (PECE) and their error is controlled, by src/ode/adams.c: the paper's eq. 2
 *              only predicts. So g_{k+1} = gamma g_k up to the corrector's shift, which vanishes with
 *              a power of h. There is no h_min: a step below the resolution of time is not made longer than
 *              that resolution, as a minimum breaks both approaches. Roots are searched where they can matter:
 *              up to the longest step that the pair may take.
 * How it fails By design: g_k mixes two times. The leader is where it is, and what the laggard will meet on
 *              its way there is not looked at.
 *                - At h^1 = 0 the laggard's catching up alone can have passed the target: then the
 *                  smallest root is the exit, and both agents jump over the collision.
 *                - g > 0 at different times is no collision, and g < 0 no proof that there was none.
 *                - A mode switch of the laggard makes all that the leader has done since worthless.
 *                - With three agents a pair's event changes what a third one, already ahead, should have met.
 *              tests/agents/test_published_misses.c has a case for each. The rule of engine.c has none of them. */
#include "experiments/two-agents/published_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- defaults and checks ---- */

brink_published_agent brink_default_published_agent(const brink_model *model) {
  return (brink_published_agent){.model = model,
                                 .t0 = model == NULL ? 0.0 : model->def.t0,
                                 .h_max = INFINITY,
                                 .alarm = INFINITY};
}

brink_published_def brink_default_published(void) {
  return (brink_published_def){.gamma = 0.5,
                               .eps_g = 1e-9,
                               .eps_tau = 1e-9,
                               .rtol = 1e-8,
                               .atol = 1e-8,
                               .max_iterations = 1000000};
}

#define REFUSE(...) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, __VA_ARGS__)

static brink_status check_agent(const brink_published_agent *agent, size_t i, brink_diag *diag) {
  if (agent->model == NULL) REFUSE("agent %zu has no model", i);
  if (agent->model->def.nguards > 0 || agent->model->def.nclocks > 0)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "agent %zu has guards or clocks of its own: the published algorithm "
                          "knows guards of pairs only",
                          i);
  if (!isfinite(agent->t0)) REFUSE("agent %zu starts at %g", i, agent->t0);
  if (!(agent->h_max > 0.0)) REFUSE("h_max of agent %zu is %g", i, agent->h_max);
  if (!(agent->step >= 0.0) || isinf(agent->step))
    REFUSE("the first step of agent %zu is %g: give a positive number, or 0", i, agent->step);
  if (!(agent->alarm > agent->t0)) REFUSE("the alarm of agent %zu is not after its start", i);
  return BRINK_OK;
}

static brink_status check_guard(const brink_published_def *def, size_t k, brink_diag *diag) {
  const brink_published_guard *guard = &def->guards[k];
  if (guard->agent[0] >= def->nagents || guard->agent[1] >= def->nagents ||
      guard->agent[0] == guard->agent[1])
    REFUSE("guard %zu is not of two agents", k);
  if (guard->ndimensions < 0 || guard->ndimensions > 3)
    REFUSE("guard %zu has %d dimensions: give 1, 2 or 3, or 0 and callbacks", k,
           guard->ndimensions);
  if (guard->ndimensions == 0 && (guard->value == NULL || guard->gradient == NULL))
    REFUSE("guard %zu is neither a distance nor a value with its gradient", k);
  for (int side = 0; side < 2; side++)
    for (int d = 0; d < guard->ndimensions; d++)
      if (guard->position[side][d] >= def->agents[guard->agent[side]].model->def.nx)
        REFUSE("guard %zu: agent %zu has no state %zu", k, guard->agent[side],
               guard->position[side][d]);
  if (guard->ndimensions > 0 && !(guard->radius > 0.0))
    REFUSE("the radius of guard %zu is %g: give a positive number", k, guard->radius);
  return BRINK_OK;
}

static brink_status check(const brink_published_def *def, brink_diag *diag) {
  if (def->nagents < 2 || def->agents == NULL) REFUSE("give two agents, or more");
  if (def->nguards < 1 || def->guards == NULL) REFUSE("give a guard of a pair");
  if (!(def->gamma >= 0.0 && def->gamma < 1.0))
    REFUSE("gamma is %g: a gain is at least 0 and below 1", def->gamma);
  if (!(def->eps_g > 0.0) || !(def->eps_tau > 0.0))
    REFUSE("eps_g is %g, eps_tau %g: give positive numbers", def->eps_g, def->eps_tau);
  if (!(def->rtol >= 0.0 && def->atol >= 0.0 && def->rtol + def->atol > 0.0) ||
      isinf(def->rtol + def->atol))
    REFUSE("rtol is %g, atol %g: give positive numbers", def->rtol, def->atol);
  if (def->moves < BRINK_MOVES_LAGGARD || def->moves > BRINK_MOVES_ALL)
    REFUSE("moves %d is not one of brink_published_moves", (int)def->moves);
  if (def->order < 0 || def->order > 12) REFUSE("Adams methods have orders 1 to 12");
  if (def->max_iterations < 1) REFUSE("max_iterations is below 1");
  brink_status status = BRINK_OK;
  for (size_t i = 0; i < def->nagents && status == BRINK_OK; i++)
    status = check_agent(&def->agents[i], i, diag);
  for (size_t k = 0; k < def->nguards && status == BRINK_OK; k++)
    status = check_guard(def, k, diag);
  return status;
}
#undef REFUSE

/* ---- creation ---- */

static bool make_member(brink_published *pub, brink_published_member *m,
                        const brink_published_agent *agent) {
  const brink_model_def *model = &agent->model->def;
  m->def = *agent;
  m->options = brink_default_options();
  m->options.method = BRINK_ADAMS;
  m->options.rtol = pub->def.rtol;
  m->options.order = pub->def.order;
  m->atol = brink_arena_take(&pub->arena, model->nx, sizeof *m->atol);
  if (m->atol == NULL || !brink_eval_init(&m->eval, agent->model, &pub->arena, false) ||
      !brink_stepper_create(&m->stepper, &m->options, m->atol, &m->eval, &pub->arena))
    return false;
  for (size_t i = 0; i < model->nx; i++) m->atol[i] = pub->def.atol;
  if (model->np > 0) memcpy(m->eval.p, model->p0, model->np * sizeof(double));
  if (model->nmodes > 0) memcpy(m->eval.mode, model->mode0, model->nmodes * sizeof(int));
  if (model->nx > 0)
    memcpy(m->stepper.x, agent->x0 == NULL ? model->x0 : agent->x0, model->nx * sizeof(double));
  m->stepper.t = agent->t0;
  m->def.x0 = NULL; /* the caller's; not needed any more */
  return true;
}

static bool take_arrays(brink_published *pub) {
  brink_arena *arena = &pub->arena;
  const brink_published_def *def = &pub->def;
  size_t nx = 1;
  for (size_t i = 0; i < def->nagents; i++)
    if (def->agents[i].model->def.nx > nx) nx = def->agents[i].model->def.nx;
  pub->members = brink_arena_take(arena, def->nagents, sizeof *pub->members);
  pub->suggestions = brink_arena_take(arena, def->nguards, sizeof *pub->suggestions);
  pub->gradient[0] = brink_arena_take(arena, nx, sizeof(double));
  pub->gradient[1] = brink_arena_take(arena, nx, sizeof(double));
  pub->every_state = brink_arena_take(arena, nx, sizeof *pub->every_state);
  pub->t = brink_arena_take(arena, def->nagents, sizeof(double));
  pub->h = brink_arena_take(arena, def->nagents, sizeof(double));
  pub->tau = brink_arena_take(arena, def->nguards, sizeof(double));
  pub->g = brink_arena_take(arena, def->nguards, sizeof(double));
  if (pub->members == NULL || pub->suggestions == NULL || pub->gradient[0] == NULL ||
      pub->gradient[1] == NULL || pub->every_state == NULL || pub->t == NULL || pub->h == NULL ||
      pub->tau == NULL || pub->g == NULL)
    return false;
  for (size_t i = 0; i < nx; i++) pub->every_state[i] = i;
  return true;
}

static bool fill(brink_published *pub, const brink_published_def *def) {
  pub->def = *def;
  if (!take_arrays(pub)) return false;
  for (size_t i = 0; i < def->nagents; i++)
    if (!make_member(pub, &pub->members[i], &def->agents[i])) return false;
  pub->def.agents = NULL; /* the caller's; members have copies */
  pub->def.guards = brink_arena_copy(&pub->arena, def->guards, def->nguards, sizeof *def->guards);
  return pub->def.guards != NULL;
}

brink_status brink_published_create(const brink_published_def *def,
                                    const brink_allocator *allocator, brink_diag *diag,
                                    brink_published **published) {
  brink_diag_clear(diag);
  if (def == NULL || published == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "def and published must not be NULL");
  *published = NULL;
  brink_status status = check(def, diag);
  if (status != BRINK_OK) return status;
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_published *pub = brink_arena_take(&arena, 1, sizeof *pub);
  if (pub == NULL) goto no_memory;
  pub->arena = arena;
  if (!fill(pub, def)) {
    arena = pub->arena;
    goto no_memory;
  }
  *published = pub;
  return BRINK_OK;

no_memory:
  brink_arena_free(&arena);
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "no memory for the agents");
}

void brink_published_destroy(brink_published *published) {
  if (published == NULL) return;
  brink_arena arena = published->arena;
  brink_arena_free(&arena);
}

/* ---- asking and changing ---- */

const brink_published_outcome *brink_published_last(const brink_published *published) {
  return &published->last;
}

double brink_published_time(const brink_published *published, size_t agent) {
  return published->members[agent].stepper.t;
}

const double *brink_published_state(const brink_published *published, size_t agent) {
  return published->members[agent].stepper.x;
}

double brink_published_value(const brink_published *published, size_t guard) {
  const brink_published_guard *g = &published->def.guards[guard];
  const double *x1 = published->members[g->agent[0]].stepper.x;
  const double *x2 = published->members[g->agent[1]].stepper.x;
  if (g->ndimensions == 0) return g->value(x1, x2, g->user);
  double square = 0.0;
  for (int d = 0; d < g->ndimensions; d++) {
    double difference = x1[g->position[0][d]] - x2[g->position[1][d]];
    square += difference * difference;
  }
  return g->radius - sqrt(square);
}

void brink_published_change(brink_published *published, size_t agent, const double *x,
                            double alarm) {
  brink_published_member *m = &published->members[agent];
  if (x != NULL) memmove(m->stepper.x, x, m->stepper.nx * sizeof *x);
  m->def.alarm = alarm;
  m->started = false;
}

brink_stats brink_published_statistics(const brink_published *published) {
  brink_stats sum = {0};
  for (size_t i = 0; i < published->def.nagents; i++) {
    const brink_stats *stats = &published->members[i].eval.stats;
    sum.steps += stats->steps;
    sum.rejected += stats->rejected;
    sum.rhs += stats->rhs;
  }
  return sum;
}

/* ---- one iteration ---- */

static brink_status fail(const brink_published *pub, size_t agent, brink_status status,
                         const char *what, brink_diag *diag) {
  const brink_stepper *st = &pub->members[agent].stepper;
  brink_diag_set(diag, status, "agent %zu: %s (t = %.17g)", agent, what, st->t);
  if (diag != NULL) {
    diag->t = st->t;
    diag->h = st->h;
  }
  return status;
}

static brink_status start_members(brink_published *pub, brink_diag *diag) {
  for (size_t i = 0; i < pub->def.nagents; i++) {
    brink_published_member *m = &pub->members[i];
    if (m->started) continue;
    m->options.step = m->def.step;
    brink_try outcome = m->stepper.ops->start(&m->stepper);
    if (outcome == BRINK_TRY_FATAL)
      return fail(pub, i, BRINK_ERR_CALLBACK, "the right-hand side reported a fatal error", diag);
    if (outcome != BRINK_TRY_OK)
      return fail(pub, i, BRINK_ERR_DOMAIN, "the right-hand side is not defined here", diag);
    m->started = true;
  }
  return BRINK_OK;
}

/* Attempts the steps in pub->h. BRINK_OK, or BRINK_STEPPED if one of them was refused and other steps have to
 * be chosen. */
static brink_status attempt(brink_published *pub, brink_diag *diag) {
  for (size_t i = 0; i < pub->def.nagents; i++) {
    brink_published_member *m = &pub->members[i];
    double h = pub->h[i];
    if (!(m->stepper.t + h > m->stepper.t)) continue;
    brink_try outcome = m->stepper.ops->attempt(&m->stepper, h);
    if (outcome == BRINK_TRY_OK) continue;
    m->eval.stats.rejected++;
    if (outcome == BRINK_TRY_FATAL)
      return fail(pub, i, BRINK_ERR_CALLBACK, "the right-hand side reported a fatal error", diag);
    if (h <= brink_published_resolution(m))
      return fail(pub, i, BRINK_ERR_STEP, "the step size fell below what time can resolve", diag);
    if (outcome != BRINK_TRY_ERROR) m->stepper.h_next = 0.5 * h;
    return BRINK_STEPPED;
  }
  return BRINK_OK;
}

static brink_status commit(brink_published *pub, double t_end, brink_diag *diag) {
  for (size_t i = 0; i < pub->def.nagents; i++) {
    brink_published_member *m = &pub->members[i];
    brink_stepper *st = &m->stepper;
    if (!(st->t + pub->h[i] > st->t)) {
      pub->h[i] = 0.0;
      continue;
    }
    brink_try outcome = st->ops->commit(st);
    if (outcome == BRINK_TRY_FATAL)
      return fail(pub, i, BRINK_ERR_CALLBACK, "the right-hand side reported a fatal error", diag);
    if (outcome != BRINK_TRY_OK)
      return fail(pub, i, BRINK_ERR_DOMAIN, "the right-hand side is not defined here", diag);
    m->eval.stats.steps++;
    double end = fmin(t_end, m->def.alarm);
    if (fabs(st->t - end) <= brink_published_resolution(m))
      st->t = end; /* not a rounding error before it */
  }
  return BRINK_OK;
}

static void report(brink_published *pub, size_t approach) {
  for (size_t i = 0; i < pub->def.nagents; i++) pub->t[i] = pub->members[i].stepper.t;
  for (size_t k = 0; k < pub->def.nguards; k++) {
    const brink_published_guard *guard = &pub->def.guards[k];
    pub->tau[k] = -fabs(pub->t[guard->agent[0]] - pub->t[guard->agent[1]]);
    pub->g[k] = brink_published_value(pub, k);
  }
  pub->k++;
  if (pub->def.record == NULL) return;
  brink_published_record record = {
      .k = pub->k, .t = pub->t, .h = pub->h, .tau = pub->tau, .g = pub->g, .approach = approach};
  pub->def.record(&record, pub->def.user);
}

static brink_status iterate(brink_published *pub, double t_end, brink_diag *diag) {
  brink_status status = start_members(pub, diag);
  if (status != BRINK_OK) return status;
  size_t approach;
  do {
    approach = brink_published_select(pub, t_end);
    status = attempt(pub, diag);
  } while (status == BRINK_STEPPED);
  if (status == BRINK_OK) status = commit(pub, t_end, diag);
  if (status == BRINK_OK) report(pub, approach);
  return status;
}

/* Has a pair met, or is an agent at its alarm? */
static brink_status look(brink_published *pub) {
  const brink_published_def *def = &pub->def;
  pub->last = (brink_published_outcome){.guard = BRINK_NONE, .agent = BRINK_NONE, .t = NAN};
  for (size_t k = 0; k < def->nguards; k++) {
    if (!(pub->g[k] >= -def->eps_g && pub->tau[k] >= -def->eps_tau)) continue;
    pub->last.guard = k;
    pub->last.t = fmax(pub->t[def->guards[k].agent[0]], pub->t[def->guards[k].agent[1]]);
    return BRINK_EVENT;
  }
  for (size_t i = 0; i < def->nagents; i++) {
    brink_published_member *m = &pub->members[i];
    if (m->stepper.t < m->def.alarm) continue;
    pub->last.agent = i;
    pub->last.t = m->def.alarm;
    m->def.alarm = INFINITY;
    return BRINK_STEPPED;
  }
  return BRINK_OK;
}

brink_status brink_published_run(brink_published *published, double t_end, brink_diag *diag) {
  brink_diag_clear(diag);
  if (published == NULL || !isfinite(t_end))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "give agents and a finite time");
  for (int64_t done = 0; done < published->def.max_iterations; done++) {
    if (published->members[brink_published_laggard(published)].stepper.t >= t_end)
      return BRINK_TIME_REACHED;
    brink_status status = iterate(published, t_end, diag);
    if (status == BRINK_OK) status = look(published);
    if (status != BRINK_OK) return status;
  }
  return brink_diag_set(diag, BRINK_ERR_WORK, "%lld iterations without an end",
                        (long long)published->def.max_iterations);
}
