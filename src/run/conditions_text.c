/* conditions_text.c: conditions of events, in words and as JSON. */
#include <math.h>
#include <string.h>

#include "run/conditions.h"

enum { APPROACHES_SHOWN = 5, SLOPES_SHOWN = 6 };

/* ---- what it would take ---- */

static const char *state_name(const brink_conditions_report *report, size_t state) {
  return brink_model_state_name(brink_instance_model(report->run->instance), state);
}

static void consider(brink_event_cause *cause, brink_event_cause other) {
  if (other.relative < cause->relative || cause->name == NULL) *cause = other;
}

/* How much one thing has to change for the guard to turn back before it reaches zero: its depth is gone. */
static void consider_slopes(const brink_conditions_report *report, const brink_condition *c,
                            const brink_event_slopes *slopes, brink_event_cause *cause) {
  for (size_t k = 0; k < report->ndirections; k++) {
    const brink_slope_direction *d = &report->directions[k];
    double moves = fabs(slopes->rate * slopes->time[k]); /* the guard, at the event */
    double change = c->depth / moves;
    if (!isfinite(change) || !(d->size > 0.0)) continue;
    consider(cause, (brink_event_cause){.name = d->name,
                                        .which = d->knob ? "" : "the initial ",
                                        .change = change,
                                        .relative = change / d->size});
  }
}

brink_event_cause brink_conditions_report_cause(const brink_conditions_report *report,
                                                const brink_condition *c,
                                                const brink_event_slopes *slopes) {
  brink_event_cause cause = {.name = NULL, .relative = INFINITY};
  if (c->state != BRINK_NONE && isfinite(c->change))
    consider(&cause, (brink_event_cause){.name = state_name(report, c->state),
                                         .which = "",
                                         .change = c->change,
                                         .relative = c->vanish});
  if (slopes != NULL && isfinite(c->depth) && c->depth > 0.0)
    consider_slopes(report, c, slopes, &cause);
  for (size_t k = 0; k < c->napproaches; k++) {
    const brink_closest_approach *a = &c->approaches[k];
    if (a->state == BRINK_NONE) continue;
    consider(&cause, (brink_event_cause){.name = state_name(report, a->state),
                                         .which = "",
                                         .change = a->change,
                                         .relative = a->relative,
                                         .appears = true,
                                         .t = a->t});
  }
  return cause;
}

void brink_conditions_report_words(const brink_condition *c, brink_posed posed,
                                   const brink_event_cause *cause, brink_text *text) {
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

static void write_approaches(const brink_condition *c, brink_text *text) {
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
static void write_row(const brink_conditions_report *report, const char *what, const double *row,
                      brink_text *text) {
  size_t shown = 0, n = report->ndirections, most = report->all ? n : SLOPES_SHOWN;
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
                   report->directions[best].name);
    shown++;
  }
  if (shown < n) brink_text_add(text, ", and %zu more", n - shown);
  brink_text_add(text, "\n");
}

/* What derivatives are not: a word for scripts, a sentence for people. */
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

static void write_limits(unsigned limits, brink_text *text) {
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

void brink_conditions_report_more(const brink_conditions_report *report, const brink_condition *c,
                                  const brink_event_slopes *slopes, brink_text *text) {
  write_approaches(c, text);
  if (slopes == NULL || report->ndirections == 0) return;
  size_t nx = report->run->columns.system->nx;
  write_row(report, "t", slopes->time, text);
  for (size_t i = 0; i < nx && (report->all || nx <= 3); i++)
    write_row(report, state_name(report, i), slopes->after + i * report->ndirections, text);
  write_limits(slopes->limits, text);
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

static void json_row(const brink_conditions_report *report, const double *row, brink_text *text) {
  brink_text_add(text, "{");
  for (size_t k = 0; k < report->ndirections; k++) {
    if (k > 0) brink_text_add(text, ",");
    brink_json_string(text, report->directions[k].name);
    brink_text_add(text, ":");
    brink_json_real(text, row[k]);
  }
  brink_text_add(text, "}");
}

static void json_slopes(const brink_conditions_report *report, const brink_event_slopes *slopes,
                        brink_text *text) {
  size_t nx = report->run->columns.system->nx;
  brink_text_add(text, ",\n    \"sensitivity\":{\"t\":");
  json_row(report, slopes->time, text);
  brink_text_add(text, ",\n     \"after\":{");
  for (size_t i = 0; i < nx; i++) {
    if (i > 0) brink_text_add(text, ",\n      ");
    brink_json_string(text, state_name(report, i));
    brink_text_add(text, ":");
    json_row(report, slopes->after + i * report->ndirections, text);
  }
  brink_text_add(text, "}");
  json_limits(slopes->limits, text);
  brink_text_add(text, "}");
}

void brink_conditions_report_json(const brink_conditions_report *report, const brink_condition *c,
                                  const brink_event_slopes *slopes, const char *verdict,
                                  brink_posed posed, brink_text *text) {
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
  if (slopes != NULL && report->ndirections > 0) json_slopes(report, slopes, text);
}
