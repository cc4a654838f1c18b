/* domain_pace.c: how far a round goes, how wide halos are, where strips end. See domain.h. Nothing of this changes results:
 * only how much is computed twice, or in vain, and who waits for whom. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/domain_parts.h"

#define TURNS 1.5  /* of an agent in a round: the aim */
#define HALO 12.0  /* times the distance that an agent travels in a window: the first halo */
#define ENOUGH 1.6 /* times the depth of errors: a halo */
#define FORGET 0.9 /* of the depth seen before, a round */
#define SHRINK 0.9 /* of a halo that is too wide, a round */
#define CAUTION 20 /* rounds after a refused one before rounds get longer */
#define FADE 0.5   /* weight of the last round in averages of costs */
#define MOVE 0.7   /* of the way to equal work, a round */

static int compare(const void *a, const void *b) {
  double one = *(const double *)a, other = *(const double *)b;
  return one < other ? -1 : one > other ? 1 : 0;
}

/* Middles of the boxes of agents of this rank (or of all agents), sorted; how many. */
static size_t sort_places(brink_domain *domain, bool all) {
  size_t count = 0;
  for (uint32_t i = 0; i < domain->own->n; i++) {
    double low, high;
    if ((all || domain->owner[i] == domain->rank) &&
        brink_domain_place(domain, domain->own, i, &low, &high))
      domain->places[count++] = 0.5 * low + 0.5 * high;
  }
  qsort(domain->places, count, sizeof *domain->places, compare);
  return count;
}

void brink_domain_pace_begin(brink_domain *domain) {
  brink_domain_pace *pace = &domain->pace;
  const brink_agents *own = domain->own;
  size_t count = sort_places(domain, true), counted = 0;
  domain->ends[0] = -(double)INFINITY;
  domain->ends[domain->ranks] = (double)INFINITY;
  for (size_t r = 1; r < domain->ranks; r++)
    domain->ends[r] = count > 0 ? domain->places[r * count / domain->ranks] : 0.0;
  double travel = 0.0, length = 0.0, next = (double)INFINITY;
  for (size_t b = 0; b < own->def.npairs; b++)
    travel = fmax(travel, own->worker.pair_guards[b].window_travel);
  for (uint32_t i = 0; i < own->n; i++) {
    const brink_window *window = &own->members[i].window;
    next = fmin(next, window->end);
    if (!isfinite(window->end)) continue;
    length += window->end - window->start;
    counted++;
  }
  pace->now = own->now;
  pace->next = next;
  pace->low = count > 0 ? domain->places[0] : 0.0;
  pace->high = count > 0 ? domain->places[count - 1] : 0.0;
  pace->length = domain->def.length > 0.0 ? domain->def.length
                 : counted > 0            ? length / (double)counted
                                          : 1.0;
  pace->halo = domain->def.halo > 0.0 ? domain->def.halo : HALO * travel;
  pace->depth = pace->halo / ENOUGH;
  pace->since = CAUTION;
}

double brink_domain_pace_until(const brink_domain *domain, double pause) {
  const brink_domain_pace *pace = &domain->pace;
  return fmin(fmax(pace->next, pace->now) + pace->length, pause);
}

void brink_domain_pace_pieces(brink_domain *domain, brink_domain_report *report) {
  size_t count = sort_places(domain, false);
  for (size_t k = 0; k <= BRINK_DOMAIN_PIECES && count > 0; k++)
    report->piece[k] = domain->places[k * (count - 1) / BRINK_DOMAIN_PIECES];
  report->own = count;
}

/* ---- halo and length ---- */

static void lengthen(brink_domain_pace *pace, double turns, double agents) {
  double ratio = turns > 0.0 ? TURNS * agents / turns : 2.0;
  double most = pace->since > CAUTION ? 1.5 : 1.0;
  pace->length *= fmin(fmax(ratio, 0.5), most);
}

static void refuse(brink_domain_pace *pace) {
  pace->length *= 0.5;
  pace->halo *= 2.0;
  if (!(pace->halo < pace->high - pace->low)) pace->halo = (double)INFINITY;
  pace->since = 0;
}

static void fit_halo(brink_domain_pace *pace, double depth, double widest) {
  if (isinf(pace->halo)) pace->halo = 0.5 * (pace->high - pace->low);
  if (isfinite(depth)) pace->depth = fmax(depth, FORGET * pace->depth);
  double wanted = ENOUGH * pace->depth + widest;
  pace->halo = fmax(wanted, SHRINK * pace->halo);
}

/* ---- strips ---- */

/* The ends of strips at which the work would be equal: agents of a piece cost what those of its rank cost. */
static void balance(brink_domain *domain) {
  const brink_domain_pace *pace = &domain->pace;
  double all = 0.0, sum = 0.0;
  size_t next = 1;
  for (size_t r = 0; r < domain->ranks; r++) all += pace->cost[r] * (double)pace->reports[r].own;
  if (!(all > 0.0)) return;
  for (size_t r = 0; r < domain->ranks; r++) {
    const brink_domain_report *report = &pace->reports[r];
    double work = pace->cost[r] * (double)report->own / BRINK_DOMAIN_PIECES;
    for (size_t k = 0; k < BRINK_DOMAIN_PIECES && report->own > 0; k++, sum += work) {
      for (; next < domain->ranks && sum + work >= all * (double)next / (double)domain->ranks;
           next++) {
        double part = work > 0.0 ? (all * (double)next / (double)domain->ranks - sum) / work : 0.0;
        double at = report->piece[k] +
                    fmin(fmax(part, 0.0), 1.0) * (report->piece[k + 1] - report->piece[k]);
        if (isfinite(at)) domain->ends[next] += MOVE * (at - domain->ends[next]);
      }
    }
  }
  for (size_t r = 2; r < domain->ranks; r++)
    domain->ends[r] = fmax(domain->ends[r], domain->ends[r - 1]);
}

void brink_domain_pace_learn(brink_domain *domain, bool accepted) {
  brink_domain_pace *pace = &domain->pace;
  double turns = 0.0, agents = 0.0, depth = 0.0, widest = 0.0;
  pace->next = (double)INFINITY;
  for (size_t r = 0; r < domain->ranks; r++) {
    const brink_domain_report *report = &pace->reports[r];
    turns += (double)report->turns;
    agents += (double)report->own;
    depth = fmax(depth, report->depth);
    widest = fmax(widest, report->widest);
    pace->next = fmin(pace->next, accepted ? report->next : report->first);
    pace->low = r == 0 ? report->low : fmin(pace->low, report->low);
    pace->high = r == 0 ? report->high : fmax(pace->high, report->high);
    double cost = report->own > 0 ? report->computing / (double)report->own : 0.0;
    pace->cost[r] = pace->cost[r] > 0.0 ? pace->cost[r] + FADE * (cost - pace->cost[r]) : cost;
  }
  pace->since++;
  if (!accepted) {
    refuse(pace);
    return;
  }
  lengthen(pace, turns, agents);
  fit_halo(pace, depth, widest);
  balance(domain);
}
