/* problems.c: the table of problems, put together from its parts. */
#include "problems/problems.h"

#include <string.h>

size_t problem_count(void) {
  size_t count = 0;
#define ADD(part) count += problems_##part##_count;
  PROBLEM_PARTS(ADD)
#undef ADD
  return count;
}

const problem *problem_at(size_t index) {
#define LOOK(part)                                                                                 \
  if (index < problems_##part##_count) return &problems_##part[index];                             \
  index -= problems_##part##_count;
  PROBLEM_PARTS(LOOK)
#undef LOOK
  return NULL;
}

const problem *problem_find(const char *id) {
  for (size_t i = 0; i < problem_count(); i++) {
    const problem *p = problem_at(i);
    if (strcmp(p->id, id) == 0) return p;
  }
  return NULL;
}

brink_model_def problem_model(const problem *p, problem_probe *probe) {
  brink_model_def def = *p->def;
  def.name = p->id;
  if (p->p0 != NULL) def.p0 = p->p0;
  if (p->x0 != NULL) def.x0 = p->x0;
  probe->problem = p;
  probe->outside = 0;
  def.user = probe;
  return def;
}

bool problem_inside(double t, const double *x, const brink_env *env) {
  problem_probe *probe = env->user;
  if (probe->problem->inside == NULL || probe->problem->inside(t, x, env)) return true;
  probe->outside++;
  return false;
}

int problem_stop(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now, (void)user;
  return BRINK_STOPPED;
}
