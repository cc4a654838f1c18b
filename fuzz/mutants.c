/* mutants.c: changes models as their authors might have, and runs what comes of them in several ways.
 *
 * Problem: random bytes are rarely a model, and four out of five texts with random changes are refused by the front end;
 * so what comes after it is hardly tried. Here a text is read as tokens, and changed where the grammar allows it: a
 * number for a number, an operator for one of its kind, a name for another name that stands in such a place, an
 * expression for another, a statement twice or not at all. Most of what comes out is a model.
 *
 * A mutant has no known answer. But what it does may not depend on how it is computed:
 *   - by native code and by the interpreter: the same bits (--native PERCENT, as compiling takes long);
 *   - nothing is evaluated past a unilateral surface;
 *   - by series and by a multistep or Runge-Kutta method, at tight tolerances: the same events, and states that agree. A model
 *     may be chaotic, or an event may hang on the last digit: so these are reported for a reader (--differ), and
 *     counted, and are no failure.
 *
 *   - by one thread or four, in one go or saved and restored, alone or in a sweep: the same bits (--ways PERCENT; ways.c).
 *
 *   mutants [--count N] [--seed S] [--native PERCENT] [--ways PERCENT] [--save DIR] [--differ] DIRECTORY...
 *
 * The text under way is in DIR/current.hsml: after a crash or a hang it is there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lang/lex.h"
#include "support/expressions.h"
#include "support/formats.h"
#include "support/hsml_run.h"
#include "ways.h"

enum { TOKENS = 6000, CHANGES = 3, TEXT = 1 << 17, STEPS = 20000, PLACES = 4096 };

/* ---- a text as tokens ---- */

typedef struct source {
  char *name, *text;
  size_t length;
} source;

typedef struct tokens {
  brink_token at[TOKENS];
  bool changeable[TOKENS]; /* what is declared stays as it is */
  size_t count;
} tokens;

static brink_token_kind kind(const tokens *all, size_t k) {
  return k < all->count ? all->at[k].kind : BRINK_TOKEN_EOF;
}

/* False: too long, or it has errors of its own. */
static bool read_tokens(const source *from, tokens *all) {
  brink_lexer lexer;
  brink_lexer_init(&lexer, NULL, 0, from->text, from->length);
  bool declares = false;
  for (all->count = 0; all->count < TOKENS; all->count++) {
    brink_token *token = &all->at[all->count];
    brink_lexer_next(&lexer, token);
    if (token->kind == BRINK_TOKEN_EOF) return all->count > 0;
    if (token->kind == BRINK_TOKEN_BAD) return false;
    bool section =
        brink_token_is_word(token, "declarations") || brink_token_is_word(token, "interface") ||
        brink_token_is_word(token, "components") || brink_token_is_word(token, "connections");
    bool ends = all->count > 0 && all->at[all->count - 1].kind == BRINK_TOKEN_END;
    if (section) declares = !ends;
    all->changeable[all->count] = !declares && !section && !ends;
  }
  return false;
}

/* ---- changes ---- */

typedef struct change {
  size_t first, last; /* tokens that are replaced, last excluded */
  char text[2048];
} change;

static size_t choose(uint64_t *random, size_t count) {
  size_t chosen = (size_t)random_uniform(random, 0.0, (double)count);
  return chosen < count ? chosen : count - 1;
}

static void copy_tokens(const tokens *all, size_t first, size_t last, char *to, size_t room) {
  const char *from = all->at[first].start;
  const char *end = all->at[last - 1].start + all->at[last - 1].length;
  size_t length = (size_t)(end - from) < room ? (size_t)(end - from) : room - 1;
  memcpy(to, from, length);
  to[length] = '\0';
}

/* Numbers that are at the edge of something, and the number itself, a little or much changed. */
static void change_number(const tokens *all, size_t k, uint64_t *random, change *made) {
  static const double edges[] = {0.0,    0.5,   1.0, 2.0,    1e-9, 1e-3, 3.0,
                                 1000.0, 1e300, 0.1, 1e-300, 7.5,  1e9,  0.3333333333333333};
  const brink_token *token = &all->at[k];
  size_t how = choose(random, 3);
  double value = how == 0   ? edges[choose(random, sizeof edges / sizeof edges[0])]
                 : how == 1 ? token->number * random_uniform(random, 0.5, 2.0)
                            : token->number + random_uniform(random, -1.0, 1.0);
  if (token->whole)
    snprintf(made->text, sizeof made->text, "%.0f", fmin(fabs(value), 12.0));
  else
    snprintf(made->text, sizeof made->text, "%#.17g", fabs(value));
}

/* One of the same kind. NULL: there is no other. */
static const char *another_operator(brink_token_kind of, uint64_t *random) {
  static const char *const sums[] = {"+", "-"}, *const products[] = {"*", "/", "+", "-"},
                           *const relations[] = {"<", "<=", ">", ">="},
                           *const logic[] = {"and", "or"};
  switch (of) {
  case BRINK_TOKEN_PLUS:
  case BRINK_TOKEN_MINUS:
    return sums[choose(random, 2)];
  case BRINK_TOKEN_STAR:
  case BRINK_TOKEN_SLASH:
    return products[choose(random, 4)];
  case BRINK_TOKEN_LT:
  case BRINK_TOKEN_LE:
  case BRINK_TOKEN_GT:
  case BRINK_TOKEN_GE:
    return relations[choose(random, 4)];
  case BRINK_TOKEN_AND:
  case BRINK_TOKEN_OR:
    return logic[choose(random, 2)];
  case BRINK_TOKEN_NEGATIVE_GOING:
    return "positive-going";
  case BRINK_TOKEN_POSITIVE_GOING:
    return "negative-going";
  default:
    return NULL;
  }
}

static bool ends_operand(brink_token_kind of) {
  return of == BRINK_TOKEN_PLUS || of == BRINK_TOKEN_MINUS || of == BRINK_TOKEN_STAR ||
         of == BRINK_TOKEN_SLASH || of == BRINK_TOKEN_SEMICOLON || of == BRINK_TOKEN_RPAREN ||
         of == BRINK_TOKEN_COMMA || of == BRINK_TOKEN_THEN || of == BRINK_TOKEN_ELSE;
}

static bool begins_operand(brink_token_kind of) {
  return of == BRINK_TOKEN_PLUS || of == BRINK_TOKEN_MINUS || of == BRINK_TOKEN_STAR ||
         of == BRINK_TOKEN_SLASH || of == BRINK_TOKEN_EQ || of == BRINK_TOKEN_ASSIGN ||
         of == BRINK_TOKEN_LPAREN || of == BRINK_TOKEN_THEN || of == BRINK_TOKEN_ELSE;
}

/* A name or a number that is a whole operand. */
static bool is_operand(const tokens *all, size_t k) {
  brink_token_kind of = kind(all, k);
  return k > 0 && (of == BRINK_TOKEN_NAME || of == BRINK_TOKEN_NUMBER) && all->changeable[k] &&
         begins_operand(kind(all, k - 1)) && ends_operand(kind(all, k + 1));
}

static bool change_name(const tokens *all, size_t k, uint64_t *random, change *made) {
  for (int tries = 0; tries < 50; tries++) {
    size_t other = choose(random, all->count);
    if (kind(all, other) != BRINK_TOKEN_NAME || !is_operand(all, other)) continue;
    copy_tokens(all, other, other + 1, made->text, sizeof made->text);
    return is_operand(all, k);
  }
  return false;
}

static bool wrap_operand(const tokens *all, size_t k, uint64_t *random, change *made) {
  static const char *const wraps[] = {"sin(%s)",
                                      "(-%s)",
                                      "abs(%s)",
                                      "sqrt(abs(%s))",
                                      "min(%s, 1.0)",
                                      "max(%s, 0.25)",
                                      "(%s)^2",
                                      "exp(-abs(%s))",
                                      "(%s + 0.1*sin(3.0*time))",
                                      "(if %s > 0.5 then 0.5 else 1.5)",
                                      "floor(%s)",
                                      "sign(%s)",
                                      "(%s)^1.5",
                                      "tanh(%s)"};
  if (!is_operand(all, k)) return false;
  char operand[256];
  copy_tokens(all, k, k + 1, operand, sizeof operand);
  const char *wrap = wraps[choose(random, sizeof wraps / sizeof wraps[0])],
             *hole = strstr(wrap, "%s");
  snprintf(made->text, sizeof made->text, "%.*s%s%s", (int)(hole - wrap), wrap, operand, hole + 2);
  return true;
}

/* The right-hand side that contains token k: after = or :=, up to the semicolon. */
static bool find_side(const tokens *all, size_t k, size_t *first, size_t *last) {
  size_t from = k, to = k;
  while (from > 0 && kind(all, from) != BRINK_TOKEN_SEMICOLON &&
         kind(all, from) != BRINK_TOKEN_ASSIGN && kind(all, from) != BRINK_TOKEN_EQ)
    from--;
  while (to < all->count && kind(all, to) != BRINK_TOKEN_SEMICOLON) to++;
  *first = from + 1;
  *last = to;
  return all->changeable[k] && kind(all, from) != BRINK_TOKEN_SEMICOLON && to > from + 1 &&
         to < all->count && to - from < 60;
}

static bool take_other_side(const tokens *all, size_t k, uint64_t *random, change *made) {
  size_t first, last;
  if (!find_side(all, k, &made->first, &made->last)) return false;
  for (int tries = 0; tries < 50; tries++) {
    size_t other = choose(random, all->count);
    if (!find_side(all, other, &first, &last)) continue;
    copy_tokens(all, first, last, made->text, sizeof made->text);
    return true;
  }
  return false;
}

/* An assignment in an action: twice, or not at all. */
static bool change_statement(const tokens *all, size_t k, uint64_t *random, change *made) {
  size_t first, last;
  if (!find_side(all, k, &first, &last) || kind(all, first - 1) != BRINK_TOKEN_ASSIGN) return false;
  if (first < 3 || kind(all, first - 2) != BRINK_TOKEN_NAME ||
      kind(all, first - 3) != BRINK_TOKEN_SEMICOLON)
    return false;
  made->first = first - 2;
  made->last = last + 1;
  char statement[900];
  copy_tokens(all, made->first, made->last, statement, sizeof statement);
  if (choose(random, 2) == 0)
    snprintf(made->text, sizeof made->text, "%s %s", statement, statement);
  else
    made->text[0] = '\0';
  return true;
}

static bool make_change(const tokens *all, uint64_t *random, change *made) {
  for (int tries = 0; tries < 200; tries++) {
    size_t k = choose(random, all->count);
    if (!all->changeable[k]) continue;
    *made = (change){.first = k, .last = k + 1};
    const char *other = another_operator(kind(all, k), random);
    if (other != NULL && k > 0 && kind(all, k - 1) != BRINK_TOKEN_END &&
        !begins_operand(kind(all, k - 1))) {
      snprintf(made->text, sizeof made->text, "%s", other);
      return true;
    }
    switch (choose(random, 5)) {
    case 0:
      if (kind(all, k) != BRINK_TOKEN_NUMBER) break;
      change_number(all, k, random, made);
      return true;
    case 1:
      if (change_name(all, k, random, made)) return true;
      break;
    case 2:
      if (wrap_operand(all, k, random, made)) return true;
      break;
    case 3:
      if (take_other_side(all, k, random, made)) return true;
      break;
    default:
      if (change_statement(all, k, random, made)) return true;
    }
  }
  return false;
}

/* False: nothing could be changed, or there is no room. */
static bool mutate(const source *from, uint64_t *random, char *to) {
  static tokens all; /* one thread, and too large for a stack */
  source now = *from;
  size_t changes = 1 + choose(random, CHANGES);
  if (from->length >= TEXT) return false;
  memcpy(to, from->text, from->length + 1);
  for (size_t k = 0; k < changes; k++) {
    change made;
    now.text = to;
    now.length = strlen(to);
    if (!read_tokens(&now, &all) || !make_change(&all, random, &made)) return k > 0;
    size_t at = (size_t)(all.at[made.first].start - to);
    const brink_token *end = &all.at[made.last - 1];
    size_t rest = (size_t)(end->start - to) + end->length, added = strlen(made.text);
    if (at + added + (now.length - rest) >= TEXT) return k > 0;
    memmove(to + at + added, to + rest, now.length - rest + 1);
    memcpy(to + at, made.text, added);
  }
  return true;
}

/* ---- runs ---- */

typedef struct tally {
  size_t made, valid, ran, failed, differ, native, ways, agents, wrong;
} tally;

typedef struct settings {
  const char *save;
  double native, ways; /* percent */
  bool differ;
} settings;

static double until(const char *text) {
  double t_end = hsml_until(text, 5.0);
  return t_end < 100.0 ? t_end : 5.0;
}

/* NULL: it is no model, or a large one. */
static hsml_run *run_mutant(const char *text, brink_method method, bool native) {
  hsml_wishes wishes = hsml_default(1e-9);
  wishes.options.method = method;
  wishes.options.max_steps = STEPS;
  wishes.native = native;
  wishes.no_series = method != BRINK_TAYLOR;
  brink_unit *unit;
  brink_system *system = hsml_try_flatten(text, NULL, &unit);
  if (system == NULL || system->nx > PLACES || system->nguards > PLACES ||
      system->nv > 10 * PLACES) {
    brink_system_destroy(system);
    if (unit != NULL) brink_unit_destroy(unit);
    return NULL;
  }
  hsml_run *run = hsml_start(unit, system, &wishes);
  hsml_go(run, until(text));
  return run;
}

static bool agree(double a, double b, double tolerance) {
  return a == b || fabs(a - b) <= tolerance * fmax(1.0, fmax(fabs(a), fabs(b))) ||
         (!isfinite(a) && !isfinite(b));
}

/* NULL: the two runs agree. */
static const char *compare(const hsml_run *a, const hsml_run *b) {
  static char why[256];
  size_t count = a->nevents < b->nevents ? a->nevents : b->nevents;
  if (a->status != b->status) {
    snprintf(why, sizeof why, "status %d and %d", (int)a->status, (int)b->status);
    return why;
  }
  if (a->status < 0) return NULL;
  for (size_t k = 0; k < count; k++) {
    const hsml_event *p = &a->events[k], *q = &b->events[k];
    if (agree(p->t, q->t, 1e-4)) continue;
    snprintf(why, sizeof why, "event %zu: %s at %.9g, %s at %.9g", k + 1, p->name, p->t, q->name,
             q->t);
    return why;
  }
  if (a->nevents != b->nevents) {
    snprintf(why, sizeof why, "%zu and %zu events", a->nevents, b->nevents);
    return why;
  }
  const double *x = brink_sim_state(a->sim), *y = brink_sim_state(b->sim);
  for (size_t i = 0; i < a->system->nx; i++) {
    if (agree(x[i], y[i], 1e-3)) continue;
    snprintf(why, sizeof why, "state %zu: %.9g and %.9g", i, x[i], y[i]);
    return why;
  }
  return NULL;
}

static void keep(const settings *how, const char *name, const char *text) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.hsml", how->save, name);
  FILE *file = fopen(path, "w");
  if (file == NULL) return;
  fputs(text, file);
  fclose(file);
}

static void report(const settings *how, const source *from, size_t number, const char *what,
                   const char *why, const char *text) {
  char name[64];
  snprintf(name, sizeof name, "mutant-%zu", number);
  keep(how, name, text);
  printf("%s of %s: %s: %s\n", name, from->name, what, why);
  fflush(stdout);
}

static void try_ways(const settings *how, const source *from, size_t number, const char *text,
                     tally *sum) {
  ways_result result;
  ways_try(text, from->name, until(text), &result);
  sum->ways += result.ran;
  sum->agents += result.agents;
  if (result.differ[0] != '\0') sum->differ++;
  if (result.differ[0] != '\0' && how->differ)
    report(how, from, number, "differs", result.differ, text);
  if (result.wrong[0] == '\0') return;
  report(how, from, number, "wrong", result.wrong, text);
  sum->wrong++;
}

/* What no run may do, whatever the model is; NULL: nothing of it. */
static const char *fault_of(const hsml_run *run) {
  if (hsml_stats(run)->rhs_past_guard > 0) return "evaluated past a unilateral surface";
  if (run->not_finite > 0) return "states that are no numbers";
  if (run->status < 0 && run->diag.reason == BRINK_REASON_GUARD_CONTRADICTS)
    return "a flag has passed its surface without an event";
  return NULL;
}

static void try_mutant(const settings *how, const source *from, size_t number, const char *text,
                       uint64_t *random, tally *sum) {
  static const brink_method others[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF};
  keep(how, "current", text);
  hsml_run *series = run_mutant(text, BRINK_TAYLOR, false);
  if (series == NULL) return;
  sum->valid++;
  if (series->sim != NULL) {
    brink_method other = others[choose(random, 3)];
    hsml_run *second = run_mutant(text, other, false);
    const char *why = second->sim != NULL ? compare(series, second) : NULL;
    sum->ran++;
    sum->failed += series->status < 0;
    if (why != NULL) sum->differ++;
    if (why != NULL && how->differ) report(how, from, number, brink_method_name(other), why, text);
    const char *fault = fault_of(series);
    if (fault == NULL && second->sim != NULL) fault = fault_of(second);
    if (fault != NULL) report(how, from, number, "wrong", fault, text);
    sum->wrong += fault != NULL;
    hsml_close(second);
  }
  if (random_uniform(random, 0.0, 100.0) < how->native) {
    hsml_run *native = run_mutant(text, BRINK_TAYLOR, true);
    sum->native++;
    if (native->hash != series->hash || native->status != series->status) {
      report(how, from, number, "wrong", "native code and interpreter differ", text);
      sum->wrong++;
    }
    hsml_close(native);
  }
  if (random_uniform(random, 0.0, 100.0) < how->ways) try_ways(how, from, number, text, sum);
  hsml_close(series);
}

/* ---- sources ---- */

typedef struct library {
  source *items;
  size_t count;
} library;

static void add_source(library *all, const char *path) {
  struct stat info;
  size_t length;
  char *text =
      stat(path, &info) == 0 && S_ISREG(info.st_mode) ? read_whole_file(path, &length) : NULL;
  if (text == NULL || strlen(text) != length) {
    free(text);
    return;
  }
  all->items = realloc(all->items, (all->count + 1) * sizeof *all->items);
  if (all->items == NULL) abort();
  char *name = malloc(strlen(path) + 1);
  if (name == NULL) abort();
  all->items[all->count++] = (source){strcpy(name, path), text, length};
}

/* Models are files, or folders with a model.hsml. */
static void add_directory(library *all, const char *directory) {
  size_t count;
  char path[2048];
  char **names = list_directory(directory, "", &count);
  for (size_t k = 0; k < count; k++) {
    size_t length = strlen(names[k]);
    bool file = length > 5 && strcmp(names[k] + length - 5, ".hsml") == 0;
    snprintf(path, sizeof path, "%s/%s%s", directory, names[k], file ? "" : "/model.hsml");
    add_source(all, path);
    free(names[k]);
  }
  free(names);
}

int main(int argc, char **argv) {
  static char text[TEXT];
  settings how = {.save = ".", .native = 0.0};
  size_t count = 1000;
  uint64_t seed = 1;
  library all = {0};
  tally sum = {0};
  for (int k = 1; k < argc; k++) {
    bool more = k + 1 < argc;
    if (strcmp(argv[k], "--differ") == 0)
      how.differ = true;
    else if (strcmp(argv[k], "--count") == 0 && more)
      count = strtoul(argv[++k], NULL, 10);
    else if (strcmp(argv[k], "--seed") == 0 && more)
      seed = strtoul(argv[++k], NULL, 10);
    else if (strcmp(argv[k], "--native") == 0 && more)
      how.native = strtod(argv[++k], NULL);
    else if (strcmp(argv[k], "--ways") == 0 && more)
      how.ways = strtod(argv[++k], NULL);
    else if (strcmp(argv[k], "--save") == 0 && more)
      how.save = argv[++k];
    else
      add_directory(&all, argv[k]);
  }
  if (all.count == 0) {
    fprintf(stderr, "mutants: no models in the directories named\n");
    return 2;
  }
  mkdir(how.save, 0777);
  for (size_t number = 1; number <= count; number++) {
    uint64_t random = seed * 1000003 + number; /* each mutant by its number alone */
    const source *from = &all.items[choose(&random, all.count)];
    if (!mutate(from, &random, text)) continue;
    sum.made++;
    try_mutant(&how, from, number, text, &random, &sum);
  }
  printf("%zu mutants of %zu models: %zu valid (%.0f %%), %zu run, %zu of them to a failure that "
         "is reported, "
         "%zu differ by method, %zu by native code too, %zu in other ways (%zu with agents), %zu "
         "wrong\n",
         sum.made, all.count, sum.valid, 100.0 * (double)sum.valid / fmax(1.0, (double)sum.made),
         sum.ran, sum.failed, sum.differ, sum.native, sum.ways, sum.agents, sum.wrong);
  for (size_t k = 0; k < all.count; k++) {
    free(all.items[k].name);
    free(all.items[k].text);
  }
  free(all.items);
  return sum.wrong > 0 ? 1 : 0;
}
