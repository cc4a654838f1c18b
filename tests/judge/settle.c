/* settle.c: which conditions hold right after the present, and which signs flags have there.
 *
 * Away from its surface a condition is what its values say. On it, the flow decides: the state is moved a little along
 * the field that the present decisions give, and what is found there must be what was assumed. Where no assumption
 * agrees with itself and two contradict each other in turn, the fields on both sides of a surface lead to it: the state
 * is held there. */
#include <math.h>
#include <string.h>

#include "judge/world.h"

#define CLEAR 1e-12 /* a value that is larger than this after a little while is no rounding */
enum { ROUNDS = 40 };

typedef struct question {
  bool flag;
  uint64_t key;
  long now, want;
  bool answered;
} question;

typedef struct questions {
  question item[2 * JUDGE_LIMIT];
  size_t count;
} questions;

static int sign_of(double a) {
  return (a > 0.0) - (a < 0.0);
}

static void ask(judge *j, questions *q, bool flag, uint64_t key, long now) {
  if (q->count == 2 * JUDGE_LIMIT) judge_refuse(j, "too many conditions at once");
  q->item[q->count++] = (question){.flag = flag, .key = key, .now = now, .want = now};
}

/* What is away from its surface is set; what is on it becomes a question. True: something was set. */
static bool set_clear(judge *j, double t, const double *x, questions *q) {
  bool set = false;
  q->count = 0;
  judge_look(j, t, x);
  for (size_t k = 0; k < j->table.capacity; k++) {
    judge_site *site = &j->table.site[k];
    if (site->key == 0 || site->stamp != j->stamp) continue;
    if (judge_is_held(j, false, site->key)) continue;
    if (site->margin < JUDGE_BAND) {
      ask(j, q, false, site->key, site->decision);
    } else if (site->decision != site->open) {
      site->decision = site->open;
      set = true;
    }
  }
  for (size_t f = 0; f < j->nflags; f++) {
    const judge_flag *flag = &j->flag[f];
    if (judge_is_held(j, true, f)) continue;
    int sign = flag->boolean ? (flag->value != 0.0 ? 1 : -1) : sign_of(flag->value);
    if (!flag->boolean && fabs(flag->value) < JUDGE_BAND) {
      ask(j, q, true, f, j->sgn[f]);
    } else if (j->sgn[f] != sign) {
      j->sgn[f] = sign;
      set = true;
    }
  }
  return set;
}

static void answer_from(judge *j, question *item) {
  if (item->flag) {
    double value = j->flag[item->key].value;
    if (!(fabs(value) > CLEAR)) return;
    item->want = sign_of(value);
  } else {
    const judge_site *site = judge_site_find(&j->table, item->key);
    if (site == NULL || site->stamp != j->stamp || !(site->margin > CLEAR)) return;
    item->want = site->open;
  }
  item->answered = true;
}

/* What stays on its surface: a flag has no sign there, a relation is as it stands. */
static void answer_resting(judge *j, question *item) {
  if (item->flag) {
    item->want = 0;
  } else {
    const judge_site *site = judge_site_find(&j->table, item->key);
    if (site != NULL && site->stamp == j->stamp) item->want = site->open;
  }
}

/* Moves along the flow until every question has an answer. */
static void probe(judge *j, double t, const double *x, questions *q) {
  static const double ladder[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
  double there[JUDGE_LIMIT];
  size_t open = q->count;
  bool finite = true;
  for (size_t l = 0; open > 0 && l < sizeof ladder / sizeof *ladder; l++) {
    finite = judge_rk4(j, t, x, ladder[l], there);
    if (!finite) break;
    judge_look(j, t + ladder[l], there);
    for (size_t k = 0; k < q->count; k++) {
      if (q->item[k].answered) continue;
      answer_from(j, &q->item[k]);
      if (q->item[k].answered) open--;
    }
  }
  judge_look(j, t, x);
  for (size_t k = 0; finite && k < q->count; k++)
    if (!q->item[k].answered) answer_resting(j, &q->item[k]);
}

static uint64_t fingerprint(const questions *q, bool wanted) {
  uint64_t sum = 0;
  for (size_t k = 0; k < q->count; k++) {
    uint64_t z = q->item[k].key * 0x9e3779b97f4a7c15u +
                 (uint64_t)(wanted ? q->item[k].want : q->item[k].now) * 0xbf58476d1ce4e5b9u +
                 q->item[k].flag;
    sum += (z ^ (z >> 29)) * 0x94d049bb133111ebu;
  }
  return sum;
}

static void adopt(judge *j, const questions *q) {
  for (size_t k = 0; k < q->count; k++) {
    if (q->item[k].flag)
      j->sgn[q->item[k].key] = (int)q->item[k].want;
    else
      judge_site_add(j, &j->table, q->item[k].key)->decision = q->item[k].want;
  }
}

/* ---- held on a surface ---- */

static double residual_of(judge *j, const judge_held_item *item) {
  if (item->flag) return j->flag[item->key].value;
  const judge_site *site = judge_site_find(&j->table, item->key);
  return site != NULL && site->stamp == j->stamp ? site->residual : (double)NAN;
}

/* Is item k zero where the first one is? Their residuals then stay in proportion wherever the state is moved to. */
static bool shares_surface(judge *j, double t, const double *x, size_t k) {
  double there[JUDGE_LIMIT], ratio[2];
  for (int trial = 0; trial < 2; trial++) {
    for (size_t i = 0; i < j->nx; i++)
      there[i] = x[i] + 1e-4 * sin(1.0 + 3.7 * (double)i + 2.3 * trial);
    judge_look(j, t, there);
    ratio[trial] = residual_of(j, &j->item[k]) / residual_of(j, &j->item[0]);
  }
  judge_look(j, t, x);
  return isfinite(ratio[0]) && fabs(ratio[1] - ratio[0]) < 1e-3 * fabs(ratio[0]);
}

static bool is_above(judge *j, const question *item) {
  if (item->flag) return item->now > 0;
  const judge_site *site = judge_site_find(&j->table, item->key);
  return site != NULL && item->now == site->above;
}

/* All that changes from `now` to `wanted` is held, question `guide` first, which says what is above. */
static void try_to_hold(judge *j, const questions *q, size_t guide) {
  int side = is_above(j, &q->item[guide]) ? 1 : 0;
  j->nitems = 1;
  for (size_t k = 0; k < q->count; k++) {
    const question *item = &q->item[k];
    if (item->now == item->want) continue;
    if (j->nitems == JUDGE_HELD_ITEMS) judge_refuse(j, "too many conditions on one surface");
    judge_held_item *held = k == guide ? &j->item[0] : &j->item[j->nitems++];
    *held = (judge_held_item){.flag = item->flag, .key = item->key};
    held->side[side] = item->now;
    held->side[1 - side] = item->want;
  }
}

/* Two assumptions contradict each other in turn: finds the surface between them. What only follows from it (a flag that
 * rests on one side) is no part of it, and is settled later, on the surface. */
static void hold(judge *j, double t, const double *x, const questions *q) {
  if (j->nitems > 0) judge_refuse(j, "several surfaces hold the state");
  size_t guide = 0;
  for (; guide < q->count; guide++) {
    if (q->item[guide].now == q->item[guide].want) continue;
    try_to_hold(j, q, guide);
    if (judge_is_attracting(j, t, x)) break;
  }
  if (guide == q->count) judge_refuse(j, "several surfaces hold the state");
  size_t kept = 0;
  for (size_t k = 0; k < j->nitems; k++)
    if (k == 0 || shares_surface(j, t, x, k)) j->item[kept++] = j->item[k];
  j->nitems = kept;
  for (size_t k = 0; k < j->nitems; k++) {
    if (!j->item[k].flag) continue;
    const brink_ast_event *event = j->flag[j->item[k].key].event;
    if (event != NULL && event->has_on) judge_refuse(j, "on-event");
  }
  j->run->slid = true;
}

void judge_settle(judge *j) {
  questions q;
  uint64_t seen[ROUNDS];
  double t = j->t, x[JUDGE_LIMIT];
  memcpy(x, j->x, j->nx * sizeof *x);
  judge_table swap = j->hint;
  j->hint = j->table;
  j->table = swap;
  judge_table_clear(&j->table);
  j->nitems = 0;
  for (int round = 0, first = 0; round < ROUNDS; round++) {
    for (int k = 0; set_clear(j, t, x, &q); k++)
      if (k == ROUNDS) judge_refuse(j, "conditions away from surfaces do not settle");
    probe(j, t, x, &q);
    seen[round] = fingerprint(&q, false);
    uint64_t wanted = fingerprint(&q, true);
    if (wanted == seen[round]) break;
    if (round > first && wanted == seen[round - 1]) {
      hold(j, t, x, &q);
      first = round + 1;
      continue;
    }
    for (int k = first; k < round; k++)
      if (seen[k] == wanted) judge_refuse(j, "several surfaces contradict each other");
    adopt(j, &q);
    if (round == ROUNDS - 1) judge_refuse(j, "conditions do not settle");
  }
  for (size_t k = 0; k < j->nitems; k++)
    if (j->item[k].flag) j->sgn[j->item[k].key] = 0;
  judge_at(j, t, x);
}
