/* optimisers.c: CMINPACK and NLopt, loaded when they are needed: who fits nothing needs neither of them. See
 * optimisers.h. */
#include "fit/optimisers.h"

#include <math.h>
#include <string.h>

/* Where NLopt has to compare values, those that cannot be used are this. */
#define UNUSABLE 1e100

#ifdef BRINK_WITH_FIT
#include <cminpack.h>
#include <dlfcn.h>
#include <errno.h>
#include <nlopt.h>

#define NLOPT_FUNCTIONS(X)                                                                         \
  X(nlopt_create)                                                                                  \
  X(nlopt_destroy)                                                                                 \
  X(nlopt_optimize)                                                                                \
  X(nlopt_force_stop)                                                                              \
  X(nlopt_srand)                                                                                   \
  X(nlopt_set_min_objective)                                                                       \
  X(nlopt_set_lower_bounds1)                                                                       \
  X(nlopt_set_upper_bounds1)                                                                       \
  X(nlopt_set_initial_step1)                                                                       \
  X(nlopt_set_xtol_abs1)                                                                           \
  X(nlopt_set_maxeval)                                                                             \
  X(nlopt_add_inequality_mconstraint)

struct brink_optimisers {
  void *cminpack, *nlopt; /* the libraries */
  __typeof__(lmder) *lmder;
#define MEMBER(name) __typeof__(name) *name;
  NLOPT_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* ---- loading ---- */

/* It may be there, and not be loaded for another reason: no memory, no files that may be opened. */
static brink_status missing(const char *library, const char *package, brink_diag *diag) {
  bool memory = errno == ENOMEM;
  const char *why = dlerror();
  if (memory) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory to load %s", library);
  return brink_diag_set(
      diag, BRINK_ERR_UNSUPPORTED,
      "brink fit needs %s, which cannot be loaded%s%s. Is it installed (Debian package %s)?",
      library, why != NULL ? ": " : "", why != NULL ? why : "", package);
}

static bool find(void *library, const char *name, void *function, size_t size) {
  void *found = library != NULL ? dlsym(library, name) : NULL;
  if (found == NULL) return false;
  memcpy(function, &found, size);
  return true;
}

static brink_status load(brink_optimisers *o, brink_diag *diag) {
  errno = 0;
  o->cminpack = dlopen(BRINK_CMINPACK_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (!find(o->cminpack, "lmder", &o->lmder, sizeof o->lmder))
    return missing("CMINPACK", "libcminpack1", diag);
  o->nlopt = dlopen(BRINK_NLOPT_SONAME, RTLD_NOW | RTLD_LOCAL);
  bool fine = true;
#define FIND(name) fine = fine && find(o->nlopt, #name, &o->name, sizeof o->name);
  NLOPT_FUNCTIONS(FIND)
#undef FIND
  return fine ? BRINK_OK : missing("NLopt", "libnlopt0", diag);
}

brink_status brink_optimisers_open(brink_diag *diag, brink_optimisers **optimisers) {
  brink_optimisers *made = brink_allocate(NULL, 1, sizeof *made);
  *optimisers = NULL;
  if (made == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_status status = load(made, diag);
  if (status == BRINK_OK)
    *optimisers = made;
  else
    brink_optimisers_close(made);
  return status;
}

void brink_optimisers_close(brink_optimisers *optimisers) {
  if (optimisers == NULL) return;
  if (optimisers->cminpack != NULL) dlclose(optimisers->cminpack);
  if (optimisers->nlopt != NULL) dlclose(optimisers->nlopt);
  brink_release(NULL, optimisers, 1, sizeof *optimisers);
}

/* ---- least squares ---- */

static int call_residuals(void *user, int m, int n, const double *x, double *r, double *jacobian,
                          int leading, int task) {
  const brink_least_squares *problem = user;
  (void)leading; /* m */
  int stop =
      problem->residuals((size_t)m, (size_t)n, x, r, task == 2 ? jacobian : NULL, problem->user);
  return stop != 0 ? -1 : 0;
}

brink_status brink_least_squares_solve(const brink_optimisers *o,
                                       const brink_least_squares *problem, brink_diag *diag) {
  size_t m = problem->m, n = problem->n;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  double *r = brink_arena_take(&arena, m, sizeof *r);
  double *jacobian = brink_arena_take(&arena, m * n, sizeof *jacobian);
  double *scale = brink_arena_take(&arena, n, sizeof *scale);
  int *pivots = brink_arena_take(&arena, n, sizeof *pivots);
  double *room = brink_arena_take(&arena, 4 * n + m, sizeof *room);
  int evaluations, derivatives, info = 0;
  bool failed = arena.failed;
  if (!failed) {
    brink_least_squares called = *problem;
    int most = problem->most < 1000000 ? (int)problem->most : 1000000;
    /* mode 1: variables are scaled by the columns of the Jacobian; factor: the first steps, as More recommends. */
    info = o->lmder(call_residuals, &called, (int)m, (int)n, problem->x, r, jacobian, (int)m,
                    problem->tolerance, problem->tolerance, 0.0, most, scale, 1, 100.0, 0,
                    &evaluations, &derivatives, pivots, room, room + n, room + 2 * n, room + 3 * n,
                    room + 4 * n);
  }
  brink_arena_free(&arena);
  if (failed) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  return info < 0 || info == 5 ? BRINK_CANCELLED : BRINK_OK;
}

/* ---- searches ---- */

typedef struct search_call {
  const brink_optimisers *o;
  brink_search *problem;
  nlopt_opt opt;
  double *constraints,
      *at; /* of the last point, and the point: NLopt asks for the values one after another */
  double value;
  bool known;
  double *slopes, *slopes_at; /* likewise: of the value, then of the constraints */
  bool slopes_known;
  brink_arena arena;
} search_call;

static void evaluate(search_call *call, const double *x) {
  brink_search *problem = call->problem;
  size_t bytes = problem->n * sizeof *x;
  if (call->known && memcmp(call->at, x, bytes) == 0) return;
  memcpy(call->at, x, bytes);
  call->known = true;
  bool stop = false;
  call->value = problem->objective(problem->n, x, call->constraints, &stop, problem->user);
  bool usable = isfinite(call->value);
  for (size_t k = 0; k < problem->nconstraints; k++)
    usable = usable && isfinite(call->constraints[k]);
  if (!usable) {
    call->value = UNUSABLE;
    for (size_t k = 0; k < problem->nconstraints; k++) call->constraints[k] = UNUSABLE;
  }
  if (stop) call->o->nlopt_force_stop(call->opt);
}

static void differentiate(search_call *call, const double *x) {
  brink_search *problem = call->problem;
  size_t n = problem->n;
  if (problem->slopes == NULL) return;
  if (call->slopes_known && memcmp(call->slopes_at, x, n * sizeof *x) == 0) return;
  memcpy(call->slopes_at, x, n * sizeof *x);
  call->slopes_known = true;
  if (problem->slopes(n, x, call->slopes, call->slopes + n, problem->user)) return;
  memset(call->slopes, 0, n * (1 + problem->nconstraints) * sizeof *call->slopes);
  call->o->nlopt_force_stop(call->opt);
}

static double call_objective(unsigned n, const double *x, double *gradient, void *user) {
  search_call *call = user;
  evaluate(call, x);
  if (gradient != NULL) differentiate(call, x);
  if (gradient != NULL) memcpy(gradient, call->slopes, n * sizeof *gradient);
  return call->value;
}

static void call_constraints(unsigned m, double *result, unsigned n, const double *x,
                             double *gradient, void *user) {
  search_call *call = user;
  evaluate(call, x);
  memcpy(result, call->constraints, m * sizeof *result);
  if (gradient == NULL) return;
  differentiate(call, x);
  memcpy(gradient, call->slopes + n, (size_t)m * n * sizeof *gradient);
}

static bool prepare(search_call *call) {
  const brink_optimisers *o = call->o;
  const brink_search *p = call->problem;
  bool fine = o->nlopt_set_min_objective(call->opt, call_objective, call) >= 0;
  if (p->nconstraints > 0)
    fine = fine && o->nlopt_add_inequality_mconstraint(call->opt, (unsigned)p->nconstraints,
                                                       call_constraints, call, NULL) >= 0;
  int most = p->most < 1000000 ? (int)p->most : 1000000;
  return fine && o->nlopt_set_lower_bounds1(call->opt, 0.0) >= 0 &&
         o->nlopt_set_upper_bounds1(call->opt, 1.0) >= 0 &&
         o->nlopt_set_initial_step1(call->opt, p->step) >= 0 &&
         o->nlopt_set_xtol_abs1(call->opt, p->tolerance) >= 0 &&
         o->nlopt_set_maxeval(call->opt, most) >= 0;
}

brink_status brink_search_solve(const brink_optimisers *o, brink_search *problem,
                                brink_diag *diag) {
  search_call call = {.o = o, .problem = problem};
  brink_arena_init(&call.arena, NULL);
  call.constraints = brink_arena_take(&call.arena, problem->nconstraints + 1, sizeof(double));
  call.at = brink_arena_take(&call.arena, problem->n, sizeof(double));
  call.slopes_at = brink_arena_take(&call.arena, problem->n, sizeof(double));
  call.slopes =
      brink_arena_take(&call.arena, problem->n * (1 + problem->nconstraints), sizeof(double));
  o->nlopt_srand(1); /* COBYLA draws numbers: the same ones each time */
  call.opt = o->nlopt_create(problem->slopes != NULL     ? NLOPT_LD_SLSQP
                             : problem->nconstraints > 0 ? NLOPT_LN_COBYLA
                                                         : NLOPT_LN_SBPLX,
                             (unsigned)problem->n);
  bool failed = call.arena.failed || call.opt == NULL || !prepare(&call);
  nlopt_result result = NLOPT_FAILURE;
  if (!failed) result = o->nlopt_optimize(call.opt, problem->x, &problem->value);
  o->nlopt_destroy(call.opt);
  brink_arena_free(&call.arena);
  if (failed || result == NLOPT_OUT_OF_MEMORY)
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  return result == NLOPT_FORCED_STOP || result == NLOPT_MAXEVAL_REACHED ? BRINK_CANCELLED
                                                                        : BRINK_OK;
}

#else

brink_status brink_optimisers_open(brink_diag *diag, brink_optimisers **optimisers) {
  *optimisers = NULL;
  return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                        "this Brink was built without CMINPACK and NLopt, which fitting needs "
                        "(Debian packages libcminpack-dev and libnlopt-dev)");
}

/* Without the libraries there is no brink_optimisers that these could be called with. */
void brink_optimisers_close(brink_optimisers *optimisers) {
  (void)optimisers;
}

brink_status brink_least_squares_solve(const brink_optimisers *optimisers,
                                       const brink_least_squares *problem, brink_diag *diag) {
  (void)optimisers, (void)problem;
  return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "there is no CMINPACK");
}

brink_status brink_search_solve(const brink_optimisers *optimisers, brink_search *problem,
                                brink_diag *diag) {
  (void)optimisers, (void)problem;
  return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "there is no NLopt");
}

#endif
