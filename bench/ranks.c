/* ranks.c: how fast one population could be on several ranks, by the protocol of docs/decisions/0023-ranks.md.
 *
 *   ranks                       tables
 *   ranks KIND NUMBER RANKS HALO STEP ROUNDS    one line; KIND: cars, uneven, or the part that discs cover
 *   ranks picture FILE          who waits for whom: 4 ranks, uneven cars, at first without balancing; an SVG file
 *
 * Ranks are computed one after another, each timed by the processor time it needs, so that neither the number of cores nor
 * other work on the machine matters. A round lasts as long as its slowest rank. Messages take no time here but that of
 * taking over agents. After every round each agent is compared, in the rank that owns it, with one engine that computes
 * all: one bit that differs counts as wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/agents_strips.h"
#include "support/crowd.h"

#define SETTLED 1.0  /* the time at which ranks begin */
#define SPAN 1e3     /* the end of the run, which is not reached */
#define PATIENCE 0.5 /* of the old weight of an agent in the new one, for balancing */

typedef struct setting {
  const char *kind;
  size_t count, ranks;
  double halo, step;
  int rounds;
  bool balanced;
} setting;

/* What a rank did in a round: it begins when all that it takes agents from have ended the one before. */
typedef struct bar {
  double begin, end;
  size_t awaited; /* whom it has waited for */
} bar;

typedef struct result {
  bool ok;
  size_t wrong; /* agents whose bits differ, summed over rounds */
  double one, ranks, busy, exchange;
  double depth; /* how far an error came from the edge of a halo, at most */
  double redundant, turns, taken;
  bar *bars; /* for each round, each rank; or NULL */
} result;

typedef struct world {
  const setting *set;
  crowd_scene scene;
  crowd_models models;
  crowd_parts parts;
  brink_agents_def def;
  brink_agents *whole, *alone;
  strips strips;
  uint8_t *old;
  int64_t turns;
  double ready[STRIPS_MOST], weight[STRIPS_MOST], cost[STRIPS_MOST];
} world;

/* ---- the whole ---- */

static bool run_whole(world *w, double until, brink_diag *diag) {
  brink_agents *whole = w->whole;
  while (whole->members[brink_queue_first(&whole->queue)].window.end < until) {
    if (brink_agents_run(whole, SPAN, 1, diag) != BRINK_ERR_WORK) return false;
    w->turns++;
  }
  return true;
}

/* Cars of the left quarter turn a hundred times as fast: their steps are shorter. */
static void make_uneven(crowd_scene *scene) {
  for (size_t i = 0; i < scene->count; i++) {
    if (scene->x[3 * i] < 0.25 * scene->size) scene->p[2 * i + 1] *= 100.0;
  }
}

static bool make_scene(const setting *set, crowd_scene *scene) {
  double cover = atof(set->kind);
  if (cover > 0.0) return crowd_make_discs(scene, set->count, cover, 1);
  if (!crowd_make_cars(scene, set->count, 1)) return false;
  if (strcmp(set->kind, "uneven") == 0) make_uneven(scene);
  return true;
}

static bool open_world(world *w, const setting *set, brink_diag *diag) {
  crowd_ask ask = {.tolerance = 1e-6, .method = "taylor"};
  *w = (world){.set = set, .old = malloc(set->count)};
  for (size_t k = 0; k < STRIPS_MOST; k++) w->weight[k] = 1.0;
  if (w->old == NULL || !make_scene(set, &w->scene) ||
      !crowd_models_make(&w->models, &w->scene, diag))
    return false;
  w->def = crowd_define(&w->models, &ask, &w->parts);
  if (brink_agents_create(&w->def, NULL, diag, &w->whole) != BRINK_OK ||
      brink_agents_begin(w->whole, SPAN, diag) != BRINK_OK || !run_whole(w, SETTLED, diag) ||
      brink_agents_clone(w->whole, &w->def, NULL, diag, &w->alone) != BRINK_OK)
    return false;
  w->turns = 0;
  return strips_open(&w->strips, w->whole, &w->def, set->ranks, set->halo);
}

static void close_world(world *w) {
  strips_close(&w->strips);
  brink_agents_destroy(w->whole);
  brink_agents_destroy(w->alone);
  crowd_models_free(&w->models);
  crowd_free(&w->scene);
  free(w->old);
}

/* ---- rounds ---- */

/* Agents that differ from the whole: none that is owned may; those of halos tell how far errors come. */
static void compare(world *w, result *r) {
  const strips *s = &w->strips;
  for (size_t k = 0; k < s->nranks; k++) {
    const strips_rank *rank = &s->ranks[k];
    for (uint32_t i = 0; i < s->n; i++) {
      if (!rank->active[i] || strips_same(rank->agents, w->whole, i)) continue;
      r->wrong += s->owner[i] == k ? 1 : 0;
      double inside = fmin(s->x[i] - (rank->low - s->halo), rank->high + s->halo - s->x[i]);
      r->depth = fmax(r->depth, inside);
    }
  }
}

/* The time at which a rank may begin: when those that it shares a border with, and itself, are ready. */
static bar begin_of(const world *w, size_t rank, const double *ready) {
  bar made = {.begin = ready[rank], .awaited = rank};
  for (size_t k = 0; k < w->set->ranks; k++) {
    bool near = k + 1 == rank || rank + 1 == k;
    if (!near || ready[k] <= made.begin) continue;
    made.begin = ready[k];
    made.awaited = k;
  }
  return made;
}

static void set_clocks(world *w, size_t round, result *r) {
  double ready[STRIPS_MOST];
  memcpy(ready, w->ready, sizeof ready);
  for (size_t k = 0; k < w->set->ranks; k++) {
    bar made = begin_of(w, k, ready);
    made.end = w->ready[k] = made.begin + w->cost[k];
    if (r->bars != NULL) r->bars[round * w->set->ranks + k] = made;
  }
}

static void exchange(world *w, result *r) {
  strips *s = &w->strips;
  strips_locate(s);
  for (size_t k = 0; k < s->nranks; k++) {
    double cost = w->cost[k] / (double)s->ranks[k].owned;
    w->weight[k] = PATIENCE * w->weight[k] + (1.0 - PATIENCE) * cost;
  }
  if (w->set->balanced) strips_divide(s, w->weight);
  strips_own(s, w->old);
  for (size_t k = 0; k < s->nranks; k++) strips_find_halo(s, k, w->old);
  for (size_t k = 0; k < s->nranks; k++) {
    double start = crowd_clock(1);
    strips_take_over(s, k, w->old);
    w->cost[k] = crowd_clock(1) - start; /* of the next round */
    r->exchange += w->cost[k];
    r->taken += (double)s->ranks[k].taken;
  }
  for (size_t k = 0; k < s->nranks; k++) strips_leave(s, k);
}

static bool take_round(world *w, size_t round, result *r, brink_diag *diag) {
  double until = SETTLED + (double)(round + 1) * w->set->step;
  for (size_t k = 0; k < w->set->ranks; k++) {
    double start = crowd_clock(1);
    if (strips_compute(&w->strips, k, until, false, diag) != BRINK_TIME_REACHED) return false;
    w->cost[k] += crowd_clock(1) - start;
    r->busy += w->cost[k];
    r->redundant += (double)w->strips.ranks[k].windows;
  }
  if (!run_whole(w, until, diag)) return false;
  if (round == 0) /* weights of one agent, from now on in seconds */
    for (size_t k = 0; k < w->set->ranks; k++)
      w->weight[k] = w->cost[k] / (double)w->strips.ranks[k].owned;
  set_clocks(w, round, r);
  strips_locate(&w->strips);
  compare(w, r);
  exchange(w, r);
  return true;
}

/* The same turns by one engine. */
static void time_one(world *w, result *r, brink_diag *diag) {
  double start = crowd_clock(1);
  r->ok = r->ok && brink_agents_run(w->alone, SPAN, w->turns, diag) == BRINK_ERR_WORK;
  r->one = crowd_clock(1) - start;
}

static result measure(const setting *set, bar *bars) {
  brink_diag diag = {.message = ""};
  result r = {.bars = bars};
  world w = {.set = set};
  r.ok = set->ranks > 1 && set->ranks <= STRIPS_MOST && open_world(&w, set, &diag);
  int64_t before = r.ok ? w.whole->stats.windows : 0;
  for (int k = 0; r.ok && k < set->rounds; k++) r.ok = take_round(&w, (size_t)k, &r, &diag);
  if (r.ok) {
    time_one(&w, &r, &diag);
    for (size_t k = 0; k < set->ranks; k++) r.ranks = fmax(r.ranks, w.ready[k]);
    r.turns = (double)(w.whole->stats.windows - before);
    r.redundant /= r.turns;
  }
  if (!r.ok) fprintf(stderr, "%s: %s\n", set->kind, diag.message);
  close_world(&w);
  return r;
}

/* ---- tables ---- */

static void print_head(void) {
  printf(
      "Ranks with halos, taylor, tolerance 1e-6; uneven: a quarter of the cars turns 100 times as "
      "fast. Halo: its width;\ndepth: how far errors came from its edge. Turns: of an agent in a "
      "round. Wrong: agents that differ by a bit.\nTwice: turns of all ranks, halos too, over "
      "those of one engine. Waits: share of the time of all ranks.\n\n"
      "%-7s %7s %5s | %5s %5s %5s %6s | %5s %5s | %7s %7s %7s | %5s %5s\n",
      "kind", "agents", "ranks", "halo", "depth", "step", "turns", "wrong", "twice", "one s",
      "ranks s", "taken s", "speed", "waits");
}

static bool print_line(const setting *set) {
  result r = measure(set, NULL);
  double capacity = r.ranks * (double)set->ranks;
  printf("%-7s %7zu %5zu | %5.1f %5.2f %5.2f %6.3f | %5zu %5.2f | %7.3f %7.3f %7.3f | %5.2f "
         "%4.0f%%%s\n",
         set->kind, set->count, set->ranks, set->halo, r.depth, set->step,
         r.turns / (double)set->count / set->rounds, r.wrong, r.redundant, r.one, r.ranks,
         r.exchange, r.one / r.ranks, 100.0 * (1.0 - r.busy / capacity),
         set->balanced ? "" : "  not balanced");
  fflush(stdout);
  return r.ok && r.wrong == 0;
}

static bool print_tables(void) {
  static const setting settings[] = {
      {"cars", 10000, 2, 6.0, 1.0, 6, true},    {"cars", 10000, 4, 6.0, 1.0, 6, true},
      {"cars", 100000, 2, 4.0, 0.5, 4, true},   {"cars", 100000, 4, 4.0, 0.5, 4, true},
      {"cars", 100000, 8, 4.0, 0.5, 4, true},   {"cars", 100000, 16, 4.0, 0.5, 4, true},
      {"uneven", 20000, 4, 4.0, 0.5, 8, false}, {"uneven", 20000, 4, 4.0, 0.5, 8, true},
      {"0.3", 10000, 4, 2.5, 0.2, 6, true},     {"0.3", 100000, 4, 2.5, 0.2, 3, true},
      {"0.3", 100000, 8, 2.5, 0.2, 3, true},    {"0.6", 10000, 4, 1.5, 0.03, 8, true},
      {"0.6", 100000, 8, 1.5, 0.03, 3, true}};
  bool ok = true;
  print_head();
  for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
    ok = print_line(&settings[k]) && ok;
  return ok;
}

/* ---- the picture ---- */

#define WIDTH 860.0
#define LEFT 60.0
#define ROW 34.0

static const char *const colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44"};

static void draw_bar(FILE *out, double from, double to, double y, double height,
                     const char *colour) {
  if (to <= from) return;
  fprintf(out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"/>\n", from,
          y, to - from, height, colour);
}

/* Thick: it computes. Thin, in the colour of another: it waits for that one. */
static void draw(FILE *out, const bar *bars, size_t rounds, size_t ranks, double top, double scale,
                 const char *title) {
  fprintf(out, "<text x=\"%.0f\" y=\"%.0f\">%s</text>\n", LEFT, top - 8.0, title);
  for (size_t k = 0; k < ranks; k++) {
    double y = top + ROW * (double)k, free = 0.0;
    fprintf(out, "<text x=\"4\" y=\"%.0f\" fill=\"%s\">rank %zu</text>\n", y + 17.0, colours[k], k);
    for (size_t round = 0; round < rounds; round++) {
      const bar *b = &bars[round * ranks + k];
      draw_bar(out, LEFT + scale * free, LEFT + scale * b->begin, y + 9.0, 6.0,
               colours[b->awaited]);
      draw_bar(out, LEFT + scale * b->begin, LEFT + scale * b->end - 0.5, y, 24.0, colours[k]);
      free = b->end;
    }
  }
}

static bool print_picture(const char *name) {
  enum { ROUNDS = 12, RANKS = 4 };
  bar bars[2][ROUNDS * RANKS];
  setting set = {"uneven", 20000, RANKS, 3.0, 0.2, ROUNDS, false};
  result fixed = measure(&set, bars[0]);
  set.balanced = true;
  result balanced = measure(&set, bars[1]);
  FILE *out = fopen(name, "w");
  if (out == NULL || !fixed.ok || !balanced.ok) return false;
  double scale = (WIDTH - LEFT - 10.0) / fixed.ranks;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f 400\" "
          "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" "
          "fill=\"white\"/>\n",
          WIDTH);
  draw(out, bars[0], ROUNDS, RANKS, 34.0, scale, "Strips with equal numbers of agents");
  draw(out, bars[1], ROUNDS, RANKS, 224.0, scale,
       "Strips with equal work, by the times of the rounds before");
  fprintf(out,
          "<text x=\"%.0f\" y=\"386\">Thick: computes a round. Thin: waits for the rank of this "
          "colour.</text>\n</svg>\n",
          LEFT);
  return fclose(out) == 0 && fixed.wrong + balanced.wrong == 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "picture") == 0) return print_picture(argv[2]) ? 0 : 1;
  if (argc != 7) return print_tables() ? 0 : 1;
  setting set = {argv[1],       (size_t)atol(argv[2]), (size_t)atol(argv[3]),
                 atof(argv[4]), atof(argv[5]),         atoi(argv[6]),
                 true};
  print_head();
  return print_line(&set) ? 0 : 1;
}
