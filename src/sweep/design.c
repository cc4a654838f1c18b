/* design.c: which values the knobs have in each run. See design.h. */
#include "sweep/design.h"

#include <string.h>

#include "expr/graph.h"

/* Runs are numbered by doubles in files. */
#define MOST_RUNS 1000000000000u

static const char *const names[] = {[BRINK_DESIGN_GRID] = "grid",
                                    [BRINK_DESIGN_RANDOM] = "random",
                                    [BRINK_DESIGN_LHS] = "lhs",
                                    [BRINK_DESIGN_SOBOL] = "sobol",
                                    [BRINK_DESIGN_TABLE] = "table"};

const char *brink_design_name(brink_design_kind kind) {
  return names[kind];
}

/* ---- what is asked for ---- */

static brink_status wrong(brink_diag *diag, const char *why) {
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s", why);
}

/* The word of --design; a word that has a point or a slash in it is a file. */
static brink_status choose_kind(brink_design *design, const brink_design_wish *wish,
                                brink_diag *diag) {
  const char *word = wish->design;
  if (word == NULL) {
    design->kind = wish->samples == 0 && !wish->indices ? BRINK_DESIGN_GRID
                   : wish->indices                      ? BRINK_DESIGN_SOBOL
                                                        : BRINK_DESIGN_RANDOM;
    return BRINK_OK;
  }
  for (size_t k = 0; k < BRINK_DESIGN_TABLE; k++) {
    if (strcmp(word, names[k]) != 0) continue;
    design->kind = (brink_design_kind)k;
    return BRINK_OK;
  }
  design->kind = BRINK_DESIGN_TABLE;
  if (strpbrk(word, "./") != NULL) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                        "--design %s: it is grid, random, lhs, sobol or a file, FILE.csv", word);
}

static brink_status read_knobs(brink_design *design, brink_arena *arena,
                               const brink_design_wish *wish, brink_diag *diag) {
  if (design->kind == BRINK_DESIGN_TABLE) {
    if (wish->nvary > 0)
      return wrong(diag, "--design FILE.csv gives the knobs: leave out --vary, or --design");
    return brink_knob_table_read(arena, wish->design, &design->knobs, &design->nknobs, diag);
  }
  if (wish->nvary == 0)
    return wrong(diag, "what is varied? Give --vary NAME=…, or --design FILE.csv");
  design->nknobs = wish->nvary;
  design->knobs = brink_arena_take(arena, wish->nvary, sizeof *design->knobs);
  if (design->knobs == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  for (size_t k = 0; k < wish->nvary; k++) {
    brink_status status = brink_vary_read(arena, wish->vary[k], &design->knobs[k], diag);
    if (status != BRINK_OK) return status;
  }
  return BRINK_OK;
}

static brink_status check_twice(const brink_design *design, brink_diag *diag) {
  for (size_t k = 0; k < design->nknobs; k++) {
    for (size_t j = 0; j < k; j++) {
      if (strcmp(design->knobs[j].name, design->knobs[k].name) == 0)
        return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' is varied twice",
                              design->knobs[k].name);
    }
  }
  return BRINK_OK;
}

static brink_status too_many(brink_diag *diag) {
  return wrong(diag, "these are more than 1000000000000 runs");
}

static brink_status count_grid(brink_design *design, brink_diag *diag) {
  design->runs = 1;
  for (size_t k = 0; k < design->nknobs; k++) {
    const brink_vary *knob = &design->knobs[k];
    if (knob->count == 0)
      return brink_diag_set(
          diag, BRINK_ERR_ARGUMENT,
          "--vary %s: a grid needs a number of values: give a COUNT, or --samples N", knob->text);
    if (design->runs > MOST_RUNS / knob->count) return too_many(diag);
    design->runs *= knob->count;
  }
  return BRINK_OK;
}

static brink_status count_samples(brink_design *design, const brink_design_wish *wish,
                                  brink_diag *diag) {
  if (wish->samples == 0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s needs --samples N",
                          wish->indices ? "--indices" : names[design->kind]);
  for (size_t k = 0; k < design->nknobs; k++) {
    const brink_vary *knob = &design->knobs[k];
    if (knob->kind != BRINK_VARY_LIST && knob->count > 0)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "--vary %s: with --samples any value in the range is drawn: leave out "
                            "the COUNT",
                            knob->text);
  }
  uint64_t each = design->indices ? (uint64_t)design->nknobs + 2 : 1;
  if (wish->samples > MOST_RUNS / each) return too_many(diag);
  design->samples = wish->samples;
  design->runs = wish->samples * each;
  design->dimensions = design->indices ? 2 * design->nknobs : design->nknobs;
  return BRINK_OK;
}

static brink_status prepare_sobol(brink_design *design, brink_arena *arena, brink_diag *diag) {
  if (design->dimensions > BRINK_SOBOL_DIMENSIONS)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "--design sobol is for %d knobs at most (half as many with --indices): "
                          "choose lhs or random",
                          BRINK_SOBOL_DIMENSIONS);
  if (design->samples > UINT32_MAX)
    return wrong(diag, "--design sobol has 4294967295 samples at most");
  if (brink_sobol_init(&design->sobol, arena, design->dimensions, design->seed)) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

brink_status brink_design_make(brink_design *design, brink_arena *arena,
                               const brink_design_wish *wish, brink_diag *diag) {
  *design = (brink_design){.seed = wish->seed, .indices = wish->indices};
  brink_status status = choose_kind(design, wish, diag);
  if (status == BRINK_OK) status = read_knobs(design, arena, wish, diag);
  if (status == BRINK_OK) status = check_twice(design, diag);
  if (status != BRINK_OK) return status;
  bool listed = design->kind == BRINK_DESIGN_GRID || design->kind == BRINK_DESIGN_TABLE;
  if (listed && wish->samples > 0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "--samples is for --design random, lhs and sobol, not for a %s",
                          names[design->kind]);
  if (listed && wish->indices)
    return wrong(diag, "--indices needs --samples N and --design random, lhs or sobol");
  if (design->kind == BRINK_DESIGN_GRID) return count_grid(design, diag);
  if (design->kind == BRINK_DESIGN_TABLE) {
    design->runs = design->knobs[0].count;
    return BRINK_OK;
  }
  status = count_samples(design, wish, diag);
  if (status == BRINK_OK && design->kind == BRINK_DESIGN_SOBOL)
    status = prepare_sobol(design, arena, diag);
  return status;
}

/* ---- samples ---- */

/* Streams of random numbers that no model has: those of models are whole numbers. */
static double stream_of(size_t dimension, bool jitter) {
  return -((double)(2 * dimension + jitter) + 0.5);
}

/* Problem: a random order of 0 … count - 1, any place of it by its number alone.
 * Method: a Feistel network of four rounds with Philox as its function is a random-looking bijection of the numbers with an
 * even number of bits; places outside are sent on until they come back (cycle walking; J. Black and P. Rogaway, "Ciphers
 * with arbitrary finite domains", CT-RSA 2002). At most four times as many numbers as places: three walks are rarely
 * needed. */
static uint64_t shuffled(uint64_t seed, size_t dimension, uint64_t place, uint64_t count) {
  unsigned half = 1;
  while (half < 32 && (UINT64_C(1) << (2 * half)) < count) half++;
  const uint64_t mask = (UINT64_C(1) << half) - 1;
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  do {
    uint64_t left = place >> half, right = place & mask;
    for (uint32_t round = 0; round < 4; round++) {
      const uint32_t counter[4] = {(uint32_t)right, (uint32_t)dimension, round,
                                   UINT32_C(0x6c687321)};
      uint32_t word[4];
      brink_philox(counter, key, word);
      uint64_t next = left ^ (word[0] & mask);
      left = right;
      right = next;
    }
    place = left << half | right;
  } while (place >= count);
  return place;
}

/* Coordinate `dimension` of a sample, in (0, 1). */
static double coordinate(const brink_design *design, uint64_t sample, size_t dimension) {
  double draw;
  switch (design->kind) {
  case BRINK_DESIGN_SOBOL:
    return brink_sobol_at(&design->sobol, sample, dimension);
  case BRINK_DESIGN_LHS:
    draw = brink_random(design->seed, stream_of(dimension, true), (double)sample);
    return ((double)shuffled(design->seed, dimension, sample, design->samples) + draw) /
           (double)design->samples;
  default:
    return brink_random(design->seed, stream_of(dimension, false), (double)sample);
  }
}

/* ---- runs ---- */

static void grid_at(const brink_design *design, uint64_t run, brink_vary_value *values) {
  for (size_t k = design->nknobs; k-- > 0;) {
    const brink_vary *knob = &design->knobs[k];
    values[k] = brink_vary_at(knob, (size_t)(run % knob->count));
    run /= knob->count;
  }
}

/* For indices: of each sample of 2 n numbers, the first half is A, the second B; then come A with its k-th number from B, for
 * each k (A. Saltelli et al., Comput. Phys. Commun. 181 (2010) 259-270, section 4). */
static size_t dimension_of(const brink_design *design, uint64_t part, size_t k) {
  bool from_b = part == 1 || part == k + 2;
  return design->indices && from_b ? design->nknobs + k : k;
}

void brink_design_at(const brink_design *design, uint64_t run, brink_vary_value *values) {
  if (design->kind == BRINK_DESIGN_GRID) {
    grid_at(design, run, values);
    return;
  }
  uint64_t each = design->indices ? (uint64_t)design->nknobs + 2 : 1;
  uint64_t sample = run / each, part = run % each;
  for (size_t k = 0; k < design->nknobs; k++) {
    const brink_vary *knob = &design->knobs[k];
    if (design->kind == BRINK_DESIGN_TABLE)
      values[k] = brink_vary_at(knob, (size_t)run);
    else
      values[k] =
          brink_vary_quantile(knob, coordinate(design, sample, dimension_of(design, part, k)));
  }
}
