/* compare.c: Brink's answer beside the judge's.
 *
 * Compared are: how the run ended and when; the events of declared flags, each with its direction and its time; states
 * and modes at the end. A number may differ by what the judge does not know (the difference of its own runs), by what
 * the run's tolerance allows (the tolerance times the model's gain, times a factor for many steps), and by rounding.
 * Flags that the compiler makes, and rules, are not compared: their effects are. */
#include "judge/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/expect.h"
#include "support/json.h"
#include "support/tree.h"

#define STEPS 300.0 /* local errors that may add up */
#define FLOOR 2e-9

/* What Brink did, whichever way it was run. */
typedef struct answer {
  char ending[24], message[200];
  double t;
  judge_event *events;
  size_t nevents;
  long past; /* evaluations past a unilateral surface */
  bool (*final)(struct answer *answer, const char *name, double *value, const char **text);
  expect_result run;
  json *summary;
} answer;

static bool is_declared(const char *name) {
  return strchr(name, '@') == NULL && strstr(name, "rule[") == NULL;
}

static void add_event(answer *a, const char *name, int direction, double t) {
  if (!is_declared(name) || a->nevents == JUDGE_EVENTS) return;
  judge_event *event = &a->events[a->nevents++];
  snprintf(event->flag, sizeof event->flag, "%s", name);
  event->direction = direction;
  event->t = t;
}

/* ---- in this process ---- */

static bool final_here(answer *a, const char *name, double *value, const char **text) {
  brink_value_type type;
  *text = NULL;
  if (!expect_final(&a->run, name, value, &type)) return false;
  if (type == BRINK_VALUE_STRING) *text = a->run.system->strings[(size_t)*value];
  return true;
}

static brink_method method_of(const char *name) {
  static const brink_method all[] = {BRINK_AUTO, BRINK_ADAMS, BRINK_TAYLOR, BRINK_DOPRI};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (strcmp(brink_method_name(all[k]), name) == 0) return all[k];
  return BRINK_AUTO;
}

static void run_here(brink_system *system, double until, const compare_way *way,
                     const compare_place *place, answer *a) {
  expect_wishes wishes = {.until = until, .has_until = true, .seed = 1};
  wishes.options = brink_default_options();
  wishes.options.method = method_of(way->method);
  wishes.options.rtol = COMPARE_TOLERANCE;
  wishes.options.atol = COMPARE_TOLERANCE / 1000.0;
  expect_simulate(system, &wishes, !way->native, place->cache, &a->run);
  a->final = final_here;
  const char *message;
  snprintf(a->ending, sizeof a->ending, "%s", expect_ending(&a->run, &message));
  snprintf(a->message, sizeof a->message, "%s", message);
  if (a->run.sim == NULL) return;
  a->t = brink_sim_time(a->run.sim);
  a->past = (long)brink_sim_stats(a->run.sim)->rhs_past_guard;
  for (size_t k = 0; k < a->run.nevents; k++)
    add_event(a, a->run.events[k].name, a->run.events[k].direction == BRINK_POSITIVE ? 1 : -1,
              a->run.events[k].t);
}

/* ---- by the program: agents with clocks of their own ---- */

static double told_number(const json *value) {
  if (value == NULL) return NAN;
  return value->kind == JSON_NUMBER ? value->number : value->kind == JSON_TRUE ? 1.0 : 0.0;
}

static const char *told_text(const json *value) {
  return value != NULL && value->kind == JSON_STRING ? value->text : NULL;
}

static bool final_told(answer *a, const char *name, double *value, const char **text) {
  const json *final = json_member(a->summary, "final"), *found = json_member(final, name);
  if (found == NULL) return false;
  *text = told_text(found);
  *value = *text != NULL ? 0.0 : told_number(found);
  return true;
}

static char *read_whole(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  size_t size = 0, capacity = 1 << 16;
  char *data = malloc(capacity);
  for (size_t got; data != NULL && (got = fread(data + size, 1, capacity - size - 1, file)) > 0;) {
    size += got;
    if (size + 1 < capacity) continue;
    char *more = realloc(data, capacity *= 2);
    if (more == NULL) free(data);
    data = more;
  }
  fclose(file);
  if (data != NULL) data[size] = '\0';
  return data;
}

static void add_told_event(answer *a, const json *event) {
  char name[JUDGE_NAME];
  const json *agents = json_member(event, "agents");
  const char *flag = told_text(json_member(event, "flag"));
  const char *direction = told_text(json_member(event, "direction"));
  if (flag == NULL || direction == NULL) return;
  snprintf(name, sizeof name, "%s", flag);
  if (json_at(agents, 1) != NULL)
    snprintf(name, sizeof name, "%s %s %s", flag, told_text(json_at(agents, 0)),
             told_text(json_at(agents, 1)));
  add_event(a, name, strcmp(direction, "positive") == 0 ? 1 : -1,
            told_number(json_member(event, "t")));
}

static void run_told(const char *text, double until, const compare_way *way,
                     const compare_place *place, answer *a) {
  char command[1200], output[512];
  FILE *file = fopen(place->scratch, "w");
  if (file == NULL) return;
  fputs(text, file);
  fclose(file);
  snprintf(output, sizeof output, "%s.json", place->scratch);
  snprintf(command, sizeof command,
           "timeout 20 '%s' run '%s' --until %.17g --tolerance %g --method %s --clocks %s --audit "
           "--json %s "
           ">'%s' 2>/dev/null",
           place->program, place->scratch, until, COMPARE_TOLERANCE, way->method, way->clocks,
           way->native ? "--native" : "--interpret", output);
  int status = system(command);
  char *data = read_whole(output);
  a->final = final_told;
  const char *error;
  size_t offset;
  a->summary = data != NULL ? json_parse(data, &error, &offset) : NULL;
  free(data);
  if (a->summary == NULL) {
    snprintf(a->ending, sizeof a->ending, "no answer");
    snprintf(a->message, sizeof a->message, "exit %d", status);
    return;
  }
  const char *ending = told_text(json_member(a->summary, "status"));
  const char *reason = told_text(json_member(a->summary, "reason"));
  snprintf(a->ending, sizeof a->ending, "%s",
           reason != NULL   ? reason
           : ending != NULL ? ending
                            : "");
  a->t = told_number(json_member(a->summary, "t"));
  a->past = (long)told_number(json_member(json_member(a->summary, "stats"), "rhs_past_guard"));
  const json *events = json_member(a->summary, "events");
  for (const json *event = events != NULL ? events->first : NULL; event != NULL;
       event = event->next)
    add_told_event(a, event);
}

/* ---- comparing ---- */

/* What events before the kth leave open about time adds up. */
static double slack_before(const judge_verdict *v, size_t k) {
  double slack = 0.0;
  for (size_t i = 0; i < k; i++) slack += v->run.events[i].slack;
  return slack;
}

/* What the tolerance of a run comes to: where a field has no derivative, errors arise beside the model's gain. */
static double run_error(const judge_verdict *v, double gain) {
  return STEPS * COMPARE_TOLERANCE * v->rough * (v->rough > 1.0 ? 1.0 + gain : gain);
}

static double time_allowance(const judge_verdict *v, size_t k) {
  return FLOOR + 20.0 * v->time_error[k] + run_error(v, v->time_gain[k]) +
         2.0 * slack_before(v, k + 1);
}

static double final_allowance(const judge_verdict *v, size_t k) {
  return (1.0 + fabs(v->run.finals[k].value)) * FLOOR + 20.0 * v->final_error[k] +
         run_error(v, v->final_gain[k]) +
         10.0 * (1.0 + v->run.fastest) * slack_before(v, v->run.nevents);
}

/* Names of pair flags go without their partners where they are not told. */
static bool same_flag(const judge_verdict *v, const char *judged, const char *told) {
  size_t n = v->any_partner ? strcspn(told, " ") : strlen(told);
  return strncmp(judged, told, n) == 0 && (judged[n] == '\0' || judged[n] == ' ');
}

/* For every event of the judge, one of Brink that is not taken yet. */
static bool same_events(const judge_verdict *v, const answer *a, char *what, size_t size) {
  bool *taken = calloc(a->nevents + 1, sizeof *taken);
  bool ok = taken != NULL;
  for (size_t k = 0; ok && k < v->run.nevents; k++) {
    const judge_event *e = &v->run.events[k];
    size_t m = 0;
    while (m < a->nevents && (taken[m] || !same_flag(v, e->flag, a->events[m].flag) ||
                              a->events[m].direction != e->direction ||
                              !(fabs(a->events[m].t - e->t) <= time_allowance(v, k))))
      m++;
    ok = m < a->nevents;
    if (ok)
      taken[m] = true;
    else
      snprintf(what, size, "event %s %+d at %.12g (+- %.1e) is missing", e->flag, e->direction,
               e->t, time_allowance(v, k));
  }
  for (size_t m = 0; ok && m < a->nevents; m++) {
    ok = taken[m];
    if (!ok)
      snprintf(what, size, "event %s %+d at %.12g is not one", a->events[m].flag,
               a->events[m].direction, a->events[m].t);
  }
  free(taken);
  return ok;
}

static bool same_finals(const judge_verdict *v, answer *a, char *what, size_t size) {
  for (size_t k = 0; k < v->run.nfinals; k++) {
    const judge_final *final = &v->run.finals[k];
    double value;
    const char *text;
    if (!a->final(a, final->name, &value, &text)) {
      snprintf(what, size, "final %s is not told", final->name);
      return false;
    }
    if (final->text != NULL) {
      if (text != NULL && strcmp(text, final->text) == 0) continue;
      snprintf(what, size, "final %s = \"%s\", right is \"%s\"", final->name,
               text != NULL ? text : "?", final->text);
      return false;
    }
    if (fabs(value - final->value) <= final_allowance(v, k)) continue;
    snprintf(what, size, "final %s = %.12g, right is %.12g +- %.1e", final->name, value,
             final->value, final_allowance(v, k));
    return false;
  }
  return true;
}

static bool same_ending(const judge_verdict *v, const answer *a, char *what, size_t size) {
  const char *expected = judge_ending_name(v->run.ending);
  double allowed = 1e-6 + slack_before(v, v->run.nevents);
  if (v->run.nevents > 0) allowed += time_allowance(v, v->run.nevents - 1);
  if (strcmp(expected, a->ending) == 0 && fabs(a->t - v->run.t) <= allowed) return true;
  snprintf(what, size, "%s at %.9g, right is %s at %.9g: %s", a->ending, a->t, expected, v->run.t,
           a->message);
  return false;
}

static bool agrees(const judge_verdict *v, answer *a, char *what, size_t size) {
  if (!same_ending(v, a, what, size)) return false;
  if (v->run.ending == JUDGE_LOOP)
    return true; /* what else a loop leaves behind is nobody's business */
  if (!same_events(v, a, what, size)) return false;
  if (a->past > 0) {
    snprintf(what, size, "%ld evaluations past a unilateral surface", a->past);
    return false;
  }
  return same_finals(v, a, what, size);
}

static void free_answer(answer *a) {
  if (a->summary == NULL) expect_result_free(&a->run);
  json_free(a->summary);
  free(a->events);
}

bool compare_run(const char *text, double until, const judge_verdict *verdict,
                 const compare_way *way, const compare_place *place, char *what, size_t size) {
  answer a = {.events = calloc(JUDGE_EVENTS, sizeof(judge_event))};
  bool ok = false;
  snprintf(what, size, "no memory");
  if (a.events == NULL) return false;
  if (way->clocks != NULL) {
    run_told(text, until, way, place, &a);
    ok = agrees(verdict, &a, what, size);
    free_answer(&a);
    return ok;
  }
  brink_unit *unit = tree_parse(text);
  brink_system *system = NULL;
  if (unit != NULL) {
    brink_unit_check(unit);
    brink_flatten_options options = {.seed = 1};
    if (unit->nerrors == 0) system = brink_flatten(unit, &options, NULL);
  }
  if (system != NULL) {
    run_here(system, until, way, place, &a);
    ok = agrees(verdict, &a, what, size);
  } else {
    brink_text report = {0};
    if (unit != NULL) tree_diagnostics(unit, &report);
    snprintf(what, size, "no model: %s", report.data != NULL ? report.data : "");
    brink_text_free(&report);
  }
  free_answer(&a);
  brink_system_destroy(system);
  brink_unit_destroy(unit);
  return ok;
}

const char *compare_way_name(const compare_way *way, char *buffer, size_t size) {
  snprintf(buffer, size, "%s %s%s%s", way->method, way->native ? "native" : "interpreted",
           way->clocks != NULL ? ", clocks " : "", way->clocks != NULL ? way->clocks : "");
  return buffer;
}
