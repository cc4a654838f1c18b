/* condition_tell.c: conditions of events, in words and as JSON. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/colour.h"
#include "cli/judge.h"

enum { APPROACHES_SHOWN = 5, SLOPES_SHOWN = 6 };

/* ---- what it would take ---- */

static const char *state_name(const cli_judge *judge, size_t state) {
  return brink_model_state_name(brink_instance_model(judge->run->instance), state);
}

static void consider(cli_cause *cause, cli_cause other) {
  if (other.relative < cause->relative || cause->name == NULL) *cause = other;
}

/* How much one thing has to change for the guard to turn back before it reaches zero: its depth is gone. */
static void consider_slopes(const cli_judge *judge, const brink_condition *c,
                            const cli_slopes *slopes, cli_cause *cause) {
  for (size_t k = 0; k < judge->ndirections; k++) {
    const cli_direction *d = &judge->directions[k];
    double moves = fabs(slopes->rate * slopes->time[k]); /* the guard, at the event */
    double change = c->depth / moves;
    if (!isfinite(change) || !(d->size > 0.0)) continue;
    consider(cause, (cli_cause){.name = d->name,
                                .which = d->knob ? "" : "the initial ",
                                .change = change,
                                .relative = change / d->size});
  }
}

cli_cause cli_judge_cause(const cli_judge *judge, const brink_condition *c,
                          const cli_slopes *slopes) {
  cli_cause cause = {.name = NULL, .relative = INFINITY};
  if (c->state != BRINK_NONE && isfinite(c->change))
    consider(&cause, (cli_cause){.name = state_name(judge, c->state),
                                 .which = "",
                                 .change = c->change,
                                 .relative = c->vanish});
  if (slopes != NULL && isfinite(c->depth) && c->depth > 0.0)
    consider_slopes(judge, c, slopes, &cause);
  for (size_t k = 0; k < c->napproaches; k++) {
    const brink_closest_approach *a = &c->approaches[k];
    if (a->state == BRINK_NONE) continue;
    consider(&cause, (cli_cause){.name = state_name(judge, a->state),
                                 .which = "",
                                 .change = a->change,
                                 .relative = a->relative,
                                 .appears = true,
                                 .t = a->t});
  }
  return cause;
}

void cli_judge_words(const brink_condition *c, brink_posed posed, const cli_cause *cause,
                     brink_text *text) {
  brink_text_add(text, "%s", brink_posed_name(posed));
  if (posed != BRINK_GRAZING && posed != BRINK_ILL_POSED) return;
  if (cause->name == NULL) {
    brink_text_add(text, ": the state runs along the surface");
  } else if (cause->change == 0.0) {
    brink_text_add(text, ": the state only touches the surface");
  } else if (cause->appears) {
    brink_text_add(text, ": a change of %.2g in %s makes an event at t = %.6g happen",
                   cause->change, cause->name, cause->t);
  } else if (posed == BRINK_ILL_POSED || cause->relative <= 0.01 || isinf(c->angle_before)) {
    brink_text_add(text, ": a change of %.2g in %s%s makes the event vanish", cause->change,
                   cause->which, cause->name);
  } else {
    brink_text_add(text, ": the state meets the surface at %.2g degrees",
                   asin(1.0 / c->angle_before) * 57.29577951308232);
  }
}

/* ---- for a person ---- */

static void tell_approaches(const brink_condition *c, brink_text *text) {
  size_t shown = c->napproaches < APPROACHES_SHOWN ? c->napproaches : APPROACHES_SHOWN;
  size_t from = c->napproaches - shown; /* the last ones: closest to the event */
  for (size_t k = from; k < c->napproaches; k++) {
    const brink_closest_approach *a = &c->approaches[k];
    brink_text_add(text, "    closest approach at t = %.10g: %.6g, distance %.6g, factor %.6g\n",
                   a->t, a->value, a->distance, a->factor);
  }
  size_t more = from + c->nomitted;
  if (more > 0) brink_text_add(text, "    and %zu earlier ones\n", more);
}

/* The largest first. */
static void tell_row(const cli_judge *judge, const char *what, const double *row,
                     brink_text *text) {
  size_t shown = 0, n = judge->ndirections, most = judge->all ? n : SLOPES_SHOWN;
  double last = INFINITY;
  size_t last_at = 0;
  brink_text_add(text, "    d%s", what);
  while (shown < most && shown < n) {
    size_t best = BRINK_NONE;
    for (size_t k = 0; k < n; k++) {
      double size = isnan(row[k]) ? 0.0 : fabs(row[k]);
      bool after = size < last || (size == last && (shown == 0 || k > last_at));
      if (!after) continue;
      double now = best == BRINK_NONE ? -1.0 : isnan(row[best]) ? 0.0 : fabs(row[best]);
      if (size > now) best = k;
    }
    if (best == BRINK_NONE) break;
    last = isnan(row[best]) ? 0.0 : fabs(row[best]);
    last_at = best;
    brink_text_add(text, "%s %.6g by %s", shown > 0 ? "," : ":", row[best],
                   judge->directions[best].name);
    shown++;
  }
  if (shown < n) brink_text_add(text, ", and %zu more", n - shown);
  brink_text_add(text, "\n");
}

/* What derivatives are not: in a word for scripts, in a sentence for people. */
static const struct {
  unsigned limit;
  const char *word, *sentence;
} limits_in_words[] = {
    {BRINK_SENSITIVITY_SEVERAL, "several",
     "several events at once: derivatives hold to one side only"},
    {BRINK_SENSITIVITY_ZENO, "zeno", "after infinitely many events there are no derivatives"},
    {BRINK_SENSITIVITY_GRAZING, "grazing", "the time of a grazing event has no derivative"},
    {BRINK_SENSITIVITY_DIFFERENCES, "differences",
     "an action was differentiated by differences: about eight digits"},
    {BRINK_SENSITIVITY_INACCURATE, "inaccurate",
     "these derivatives are less accurate than the run: the field or its slope grows without "
     "bound on the way"},
    {BRINK_SENSITIVITY_UNDEFINED, "undefined", "some derivative does not exist on the way"},
};
enum { LIMITS = sizeof limits_in_words / sizeof *limits_in_words };

static void tell_limits(unsigned limits, brink_text *text) {
  for (size_t k = 0; k < LIMITS; k++) {
    if (limits & limits_in_words[k].limit)
      brink_text_add(text, "    %s\n", limits_in_words[k].sentence);
  }
}

static void json_limits(unsigned limits, brink_text *text) {
  const char *before = "";
  brink_text_add(text, ",\n     \"limits\":[");
  for (size_t k = 0; k < LIMITS; k++) {
    if ((limits & limits_in_words[k].limit) == 0) continue;
    brink_text_add(text, "%s\"%s\"", before, limits_in_words[k].word);
    before = ",";
  }
  brink_text_add(text, "]");
}

void cli_judge_more(const cli_judge *judge, const brink_condition *c, const cli_slopes *slopes,
                    brink_text *text) {
  tell_approaches(c, text);
  if (slopes == NULL || judge->ndirections == 0) return;
  size_t nx = judge->run->columns.system->nx;
  tell_row(judge, "t", slopes->time, text);
  for (size_t i = 0; i < nx && (judge->all || nx <= 3); i++)
    tell_row(judge, state_name(judge, i), slopes->after + i * judge->ndirections, text);
  tell_limits(slopes->limits, text);
}

static int widest(const cli_judge *judge) {
  size_t width = strlen("flag");
  for (size_t k = 0; k < judge->nlines; k++) {
    size_t length = strlen(judge->lines[k].flag);
    if (length > width) width = length;
  }
  return (int)width;
}

static const char *colour_of(brink_posed posed, const cli_colours *c) {
  return posed == BRINK_ILL_POSED    ? c->error
         : posed == BRINK_GRAZING    ? c->warning
         : posed == BRINK_WELL_POSED ? c->good
                                     : c->dim;
}

static void tell_number(double value, brink_text *text) {
  if (isnan(value))
    brink_text_add(text, "%-11s  ", "-");
  else
    brink_text_add(text, "%-11.6g  ", value);
}

static void tell_line(const cli_judged *line, int width, const cli_colours *c, brink_text *text) {
  brink_text_add(text, "  %-14.10g  %s%-*s%s  ", line->t, c->name, width, line->flag, c->plain);
  tell_number(line->published, text);
  tell_number(line->scaled, text);
  brink_text_add(text, "%s%s%s\n%s", colour_of(line->posed, c), line->verdict, c->plain,
                 line->more);
}

static void tell_table(const cli_judge *judge, bool events, const cli_colours *c,
                       brink_text *text) {
  int width = widest(judge);
  brink_text_add(text, "  %s%-14s  %-*s  %-11s  %-11s  %s%s\n", c->dim, "t", width, "flag",
                 "published", "scaled", "verdict", c->plain);
  for (size_t k = 0; k < judge->nlines; k++) {
    if (judge->lines[k].event == events) tell_line(&judge->lines[k], width, c, text);
  }
}

void cli_judge_tell(const cli_simulation *run, const cli_colours *c, brink_text *text) {
  const cli_judge *judge = run->judge;
  size_t silent = 0, shown = 0;
  for (size_t k = 0; k < judge->nlines; k++) {
    silent += !judge->lines[k].event;
    shown += judge->lines[k].event;
  }
  brink_text_add(text, "\n%s%zu event%s%s", c->bold, judge->nevents, judge->nevents == 1 ? "" : "s",
                 c->plain);
  for (size_t k = 0; k <= BRINK_UNJUDGED; k++) {
    if (judge->counts[k] > 0)
      brink_text_add(text, ", %zu %s", judge->counts[k], brink_posed_name((brink_posed)k));
  }
  brink_text_add(text, "\n");
  if (shown > 0) tell_table(judge, true, c, text);
  if (judge->nevents > shown)
    brink_text_add(text, "  and %zu more: --json has all of them\n", judge->nevents - shown);
  if (silent == 0) return;
  brink_text_add(text, "\n%sapproaches that no event followed%s\n", c->bold, c->plain);
  tell_table(judge, false, c, text);
}

/* ---- JSON ---- */

static void member(brink_text *text, const char *key, double value) {
  brink_text_add(text, ",\"%s\":", key);
  if (isnan(value))
    brink_text_add(text, "null");
  else
    brink_json_real(text, value);
}

static void json_approaches(const brink_condition *c, brink_text *text) {
  brink_text_add(text, ",\n    \"approaches\":[");
  for (size_t k = 0; k < c->napproaches; k++) {
    const brink_closest_approach *a = &c->approaches[k];
    brink_text_add(text, "%s{\"t\":", k > 0 ? "," : "");
    brink_json_real(text, a->t);
    member(text, "value", a->value);
    member(text, "distance", a->distance);
    member(text, "relative", a->relative);
    member(text, "certainty", a->certainty);
    member(text, "factor", a->factor);
    brink_text_add(text, "}");
  }
  brink_text_add(text, "],\"omitted\":%zu", c->nomitted);
}

static void json_row(const cli_judge *judge, const double *row, brink_text *text) {
  brink_text_add(text, "{");
  for (size_t k = 0; k < judge->ndirections; k++) {
    if (k > 0) brink_text_add(text, ",");
    brink_json_string(text, judge->directions[k].name);
    brink_text_add(text, ":");
    brink_json_real(text, row[k]);
  }
  brink_text_add(text, "}");
}

static void json_slopes(const cli_judge *judge, const cli_slopes *slopes, brink_text *text) {
  size_t nx = judge->run->columns.system->nx;
  brink_text_add(text, ",\n    \"sensitivity\":{\"t\":");
  json_row(judge, slopes->time, text);
  brink_text_add(text, ",\n     \"after\":{");
  for (size_t i = 0; i < nx; i++) {
    if (i > 0) brink_text_add(text, ",\n      ");
    brink_json_string(text, state_name(judge, i));
    brink_text_add(text, ":");
    json_row(judge, slopes->after + i * judge->ndirections, text);
  }
  brink_text_add(text, "}");
  json_limits(slopes->limits, text);
  brink_text_add(text, "}");
}

void cli_judge_json(const cli_judge *judge, const brink_condition *c, const cli_slopes *slopes,
                    const char *verdict, brink_posed posed, brink_text *text) {
  double jump = isnan(c->jump) && slopes != NULL ? slopes->jump : c->jump;
  brink_text_add(text, "\"verdict\":");
  brink_json_string(text, verdict != NULL ? verdict : "");
  brink_text_add(text, ",\"posed\":\"%s\"", brink_posed_name(posed));
  member(text, "published", c->published);
  member(text, "scaled", c->scaled);
  if (c->event != NULL) {
    member(text, "transversality", c->transversality);
    member(text, "kappa_t", c->delay);
    member(text, "saltation_norm", jump);
    member(text, "depth", c->depth);
    member(text, "vanish", c->vanish);
  }
  json_approaches(c, text);
  if (slopes != NULL && judge->ndirections > 0) json_slopes(judge, slopes, text);
}
