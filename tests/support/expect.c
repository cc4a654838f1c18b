/* expect.c: reads what a model says about itself, runs it, compares. */
#include "support/expect.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 256, LINES = 64 };

/* A `% expect:` line, what is behind the colon, and whether it has been met (errors, warnings). */
typedef struct line {
  char text[512];
  bool met;
} line;

typedef struct model {
  const expect_source *source;
  size_t nsources;
  expect_report *report;
  expect_wishes wishes;
  bool has_seed;
  char words[16][WORD]; /* of the wishes */
  size_t nwords;
  line lines[LINES];
  size_t nlines;
  brink_unit *unit;
  brink_system *system;
  expect_result result; /* of the interpreter */
} model;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
complain(model *m, const char *format, ...) {
  char text[1024], all[1400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(all, sizeof all, "%s: %s", m->source[0].path, text);
  m->report->complaints++;
  if (!m->report->known) m->report->say(all, m->report->user);
}

/* ---- scanning ---- */

static void skip_space(const char **p) {
  while (**p == ' ' || **p == '\t') ++*p;
}

/* Up to a space, or, where it is quoted, to the closing quote. */
static bool read_word(const char **p, char *word) {
  skip_space(p);
  size_t length = **p == '"' ? strcspn(*p + 1, "\"\n") + 2 : strcspn(*p, " \t\n");
  if (length == 0 || length >= WORD) return false;
  memcpy(word, *p, length);
  word[length] = '\0';
  *p += length;
  return true;
}

static bool accept(const char **p, const char *word) {
  const char *at = *p;
  char found[WORD];
  if (!read_word(&at, found) || strcmp(found, word) != 0) return false;
  *p = at;
  return true;
}

static bool read_number(const char **p, double *value) {
  char *end;
  *value = strtod(*p, &end);
  if (end == *p) return false;
  *p = end;
  return true;
}

/* [+- number] */
static double read_tolerance(const char **p) {
  double tolerance = 0.0;
  if (accept(p, "+-")) read_number(p, &tolerance);
  return tolerance;
}

static bool near(model *m, double a, double b, double tolerance) {
  expect_report *report = m->report;
  if (a == b) return true;
  if (tolerance > 0.0) report->worst = fmax(report->worst, fabs(a - b) / tolerance);
  return fabs(a - b) <= tolerance * (report->widen > 0.0 ? report->widen : 1.0);
}

/* ---- what the model asks for ---- */

static brink_method method_of(const char *word) {
#define METHOD_CASE(name, text)                                                                    \
  if (strcmp(word, text) == 0) return name;
  BRINK_METHOD_LIST(METHOD_CASE)
#undef METHOD_CASE
  return BRINK_ADAMS;
}

static brink_events events_of(const char *word) {
#define EVENTS_CASE(name, text)                                                                    \
  if (strcmp(word, text) == 0) return name;
  BRINK_EVENTS_LIST(EVENTS_CASE)
#undef EVENTS_CASE
  return BRINK_EXTRAPOLATE;
}

static bool wish_number(expect_wishes *w, const char *key, double value) {
  brink_options *o = &w->options;
  const struct {
    const char *key;
    double *to;
  } numbers[] = {{"until", &w->until}, {"from", &w->from}, {"rtol", &o->rtol}, {"atol", &o->atol},
                 {"step", &o->step},   {"hmin", &o->hmin}, {"hmax", &o->hmax}};
  if (strcmp(key, "until") == 0) w->has_until = true;
  if (strcmp(key, "from") == 0) w->has_from = true;
  if (strcmp(key, "seed") == 0) w->seed = (uint64_t)value;
  if (strcmp(key, "order") == 0) o->order = (int)value;
  if (strcmp(key, "tolerance") == 0) o->rtol = value, o->atol = value / 1000.0;
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    if (strcmp(key, numbers[k].key) == 0) *numbers[k].to = value;
  static const char *const known[] = {"until", "from", "rtol",  "atol",      "step", "hmin",
                                      "hmax",  "seed", "order", "tolerance", "every"};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (strcmp(key, known[k]) == 0) return true;
  return false;
}

/* `word` must stay. */
static bool wish_word(expect_wishes *w, const char *key, const char *word) {
  if (strcmp(key, "method") == 0)
    w->options.method = method_of(word);
  else if (strcmp(key, "events") == 0)
    w->options.events = events_of(word);
  else if (strcmp(key, "range") == 0)
    w->range_warns = strcmp(word, "warn") == 0;
  else if (strcmp(key, "zeno") == 0)
    w->options.zeno = strcmp(word, "continue") == 0 ? BRINK_ZENO_CONTINUE : BRINK_ZENO_STOP;
  else if (strcmp(key, "top") == 0)
    w->top = word;
  else if (strcmp(key, "set") == 0 && w->nsets < 16)
    w->sets[w->nsets++] = word;
  else
    return false;
  return true;
}

/* key value key value … of a `% run:` line */
static void read_wishes(model *m, const char *p) {
  char key[WORD];
  double number;
  while (skip_space(&p), *p != '\n' && *p != '\0' && read_word(&p, key)) {
    if (strcmp(key, "check") == 0) {
      m->wishes.check_only = true;
      continue;
    }
    if (m->nwords == 16 || !read_word(&p, m->words[m->nwords])) {
      complain(m, "%% run: '%s' without a value", key);
      return;
    }
    const char *word = m->words[m->nwords++], *rest = word;
    if (strcmp(key, "seed") == 0) m->has_seed = true;
    if (!wish_word(&m->wishes, key, word) &&
        !(read_number(&rest, &number) && wish_number(&m->wishes, key, number)))
      complain(m, "%% run: '%s %s' is not known", key, word);
  }
}

/* The model's simulation section; a `% run:` line says more, and wins. */
static void read_settings(model *m, const char *name) {
  for (size_t k = 0; k < m->system->nsettings; k++) {
    const brink_setting *setting = &m->system->settings[k];
    if (name != NULL && strcmp(setting->name, name) != 0) continue;
    if (setting->is_text)
      wish_word(&m->wishes, setting->name, setting->text);
    else
      wish_number(&m->wishes, setting->name, setting->number);
  }
}

/* The next line of the text that begins with `% KEY:`, white space before it apart. */
static const char *next_line(const char *p, const char *key, const char **behind) {
  size_t length = strlen(key);
  for (; p != NULL && *p != '\0'; p = strchr(p, '\n'), p = p != NULL ? p + 1 : NULL) {
    const char *at = p;
    skip_space(&at);
    if (strncmp(at, key, length) != 0) continue;
    *behind = at + length;
    return p;
  }
  return NULL;
}

static const char *after_line(const char *p) {
  const char *end = strchr(p, '\n');
  return end != NULL ? end + 1 : p + strlen(p);
}

static void read_runs(model *m) {
  const char *behind;
  for (const char *p = next_line(m->source[0].text, "% run:", &behind); p != NULL;
       p = next_line(after_line(p), "% run:", &behind))
    read_wishes(m, behind);
}

static void read_comments(model *m) {
  const char *text = m->source[0].text, *behind;
  m->report->known = next_line(text, "% known:", &behind) != NULL;
  for (const char *p = next_line(text, "% expect:", &behind); p != NULL;
       p = next_line(after_line(p), "% expect:", &behind)) {
    if (m->nlines == LINES) {
      complain(m, "more than %d expectations", LINES);
      return;
    }
    skip_space(&behind);
    size_t length = strcspn(behind, "\n");
    while (length > 0 && (behind[length - 1] == ' ' || behind[length - 1] == '\r')) length--;
    line *l = &m->lines[m->nlines++];
    snprintf(l->text, sizeof l->text, "%.*s", (int)length, behind);
    m->report->expectations++;
  }
}

static bool expects(const model *m, const char *word) {
  size_t length = strlen(word);
  for (size_t k = 0; k < m->nlines; k++)
    if (strncmp(m->lines[k].text, word, length) == 0 && m->lines[k].text[length] == ' ')
      return true;
  return false;
}

/* ---- diagnostics ---- */

/* LINE:COLUMN part of the message */
static bool meets(const line *l, const char *word, const brink_report_item *item) {
  const char *p = l->text;
  if (l->met || !accept(&p, word)) return false;
  char *end;
  unsigned long row = strtoul(p, &end, 10);
  if (*end != ':' || row != item->place.line) return false;
  if (strtoul(end + 1, &end, 10) != item->place.column) return false;
  p = end;
  skip_space(&p);
  return strstr(item->message, p) != NULL;
}

static void compare_reports(model *m) {
  brink_report_sort(m->unit);
  for (size_t k = 0; k < m->unit->nitems; k++) {
    const brink_report_item *item = &m->unit->items[k];
    const char *word = item->severity == BRINK_ERROR ? "error" : "warning";
    size_t j = 0;
    if (item->origin != BRINK_ORIGIN_TEXT) continue;
    if (m->report->told != NULL)
      m->report->told(brink_message_code(item->code), item->message, m->report->user);
    while (j < m->nlines && !meets(&m->lines[j], word, item)) j++;
    if (j < m->nlines)
      m->lines[j].met = true;
    else
      complain(m, "not expected: %s %u:%u %s", word, (unsigned)item->place.line,
               (unsigned)item->place.column, item->message);
  }
  for (size_t j = 0; j < m->nlines; j++) {
    const char *p = m->lines[j].text;
    if ((accept(&p, "error") || accept(&p, "warning")) && !m->lines[j].met)
      complain(m, "not reported: %s", m->lines[j].text);
  }
}

/* ---- expectations of a run; p is behind the first word ---- */

static void look_final(model *m, const char *text, const char *p) {
  char path[WORD], wanted[WORD];
  double value = 0.0, number = 0.0;
  brink_value_type type = BRINK_VALUE_REAL;
  if (!read_word(&p, path) || !accept(&p, "=")) {
    complain(m, "cannot be read: %s", text);
  } else if (!expect_final(&m->result, path, &value, &type)) {
    complain(m, "there is no '%s'", path);
  } else if (type == BRINK_VALUE_STRING) {
    const char *found = m->system->strings[(size_t)value];
    size_t length = strlen(found);
    if (!read_word(&p, wanted) || strlen(wanted) != length + 2 ||
        strncmp(wanted + 1, found, length) != 0)
      complain(m, "%s, but it is \"%s\"", text, found);
  } else if (type == BRINK_VALUE_BOOLEAN) {
    if (!accept(&p, value != 0.0 ? "true" : "false"))
      complain(m, "%s, but it is %s", text, value != 0.0 ? "true" : "false");
  } else if (!read_number(&p, &number)) {
    complain(m, "cannot be read: %s", text);
  } else if (!near(m, value, number, read_tolerance(&p))) {
    complain(m, "%s, but it is %.17g (off by %.3g)", text, value, value - number);
  }
}

static size_t count_events(const model *m, const char *name) {
  size_t count = 0;
  for (size_t k = 0; k < m->result.nevents; k++)
    count += strcmp(m->result.events[k].name, name) == 0;
  return count;
}

/* NAME K [negative|positive] t = T [+- TOL] */
static void look_event(model *m, const char *text, const char *p) {
  char name[WORD];
  double index = 1.0, t = 0.0;
  if (!read_word(&p, name) || !read_number(&p, &index)) {
    complain(m, "cannot be read: %s", text);
    return;
  }
  const expect_event *event = NULL;
  size_t left = (size_t)index;
  for (size_t k = 0; k < m->result.nevents && left > 0; k++)
    if (strcmp(m->result.events[k].name, name) == 0 && --left == 0) event = &m->result.events[k];
  if (event == NULL) {
    complain(m, "%s, but there are %zu of %zu events", text, count_events(m, name),
             m->result.nevents);
    return;
  }
  brink_direction direction = event->direction;
  if (accept(&p, "negative")) direction = BRINK_NEGATIVE;
  if (accept(&p, "positive")) direction = BRINK_POSITIVE;
  if (direction != event->direction) complain(m, "%s, but it goes the other way", text);
  if (!accept(&p, "t") || !accept(&p, "=") || !read_number(&p, &t))
    complain(m, "cannot be read: %s", text);
  else if (!near(m, event->t, t, read_tolerance(&p)))
    complain(m, "%s, but t = %.17g (off by %.3g)", text, event->t, event->t - t);
}

/* [NAME] = COUNT of events, slides or near misses */
static void look_count(model *m, const char *text, const char *p) {
  const expect_result *r = &m->result;
  char name[WORD];
  double wanted = 0.0;
  bool named = !accept(&p, "=");
  if (named && (!read_word(&p, name) || !accept(&p, "="))) complain(m, "cannot be read: %s", text);
  size_t count = 0;
  bool slides = text[0] == 's', misses = text[0] == 'm';
  const expect_slide *list = slides ? r->slides : r->misses;
  size_t total = slides ? r->nslides : misses ? r->nmisses : r->nevents;
  for (size_t k = 0; k < total; k++) {
    const char *found = slides || misses ? list[k].name : r->events[k].name;
    count += !named || strcmp(found, name) == 0;
  }
  if (!read_number(&p, &wanted) || (double)count != wanted)
    complain(m, "%s, but there are %zu", text, count);
}

/* a+, b-, … */
static void look_order(model *m, const char *text, const char *p) {
  brink_text found = {0};
  skip_space(&p);
  for (size_t k = 0; k < m->result.nevents; k++) {
    const expect_event *event = &m->result.events[k];
    brink_text_add(&found, "%s%s%s", k > 0 ? ", " : "", event->name,
                   event->direction == BRINK_POSITIVE ? "+" : "-");
  }
  const char *order = found.data != NULL ? found.data : "";
  if (strcmp(order, p) != 0) complain(m, "%s, but it is %s", text, order);
  brink_text_free(&found);
}

/* LABEL K = V, V … [+- TOL] */
static void look_note(model *m, const char *text, const char *p) {
  char label[WORD];
  double index = 0.0, values[8];
  size_t count = 0;
  bool fine = read_word(&p, label) && read_number(&p, &index) && accept(&p, "=");
  while (fine && count < 8 && read_number(&p, &values[count])) {
    count++;
    if (*p != ',') break;
    p++;
  }
  double tolerance = read_tolerance(&p);
  const expect_note *note = NULL;
  size_t left = (size_t)index, seen = 0;
  for (size_t k = 0; k < m->result.nnotes; k++) {
    if (strcmp(m->result.notes[k].label, label) != 0) continue;
    seen++;
    if (--left == 0) note = &m->result.notes[k];
  }
  if (!fine || count == 0) {
    complain(m, "cannot be read: %s", text);
  } else if (note == NULL) {
    complain(m, "%s, but there are %zu such notes", text, seen);
  } else {
    if (note->nvalues < count) complain(m, "%s, but it has %zu values", text, note->nvalues);
    for (size_t k = 0; k < count && k < note->nvalues; k++)
      if (!near(m, note->values[k], values[k], tolerance))
        complain(m, "%s, but value %zu is %.17g (off by %.3g)", text, k + 1, note->values[k],
                 note->values[k] - values[k]);
  }
}

/* NAME K from A to B [+- TOL] */
static void look_slide(model *m, const char *text, const char *p) {
  char name[WORD];
  double index = 0.0, from = 0.0, to = 0.0;
  if (!read_word(&p, name) || !read_number(&p, &index) || !accept(&p, "from") ||
      !read_number(&p, &from) || !accept(&p, "to") || !read_number(&p, &to)) {
    complain(m, "cannot be read: %s", text);
    return;
  }
  double tolerance = read_tolerance(&p);
  size_t left = (size_t)index;
  for (size_t k = 0; k < m->result.nslides; k++) {
    const expect_slide *slide = &m->result.slides[k];
    if (strcmp(slide->name, name) != 0 || --left > 0) continue;
    if (!near(m, slide->from, from, tolerance) || !near(m, slide->to, to, tolerance))
      complain(m, "%s, but it is from %.17g to %.17g", text, slide->from, slide->to);
    return;
  }
  complain(m, "%s, but there is none", text);
}

/* K from T index I free F of N [+- TOL] */
static void look_structure(model *m, const char *text, const char *p) {
  double number = 0.0, from = 0.0, index = 0.0, nfree = 0.0, nstates = 0.0;
  if (!read_number(&p, &number) || !accept(&p, "from") || !read_number(&p, &from) ||
      !accept(&p, "index") || !read_number(&p, &index) || !accept(&p, "free") ||
      !read_number(&p, &nfree) || !accept(&p, "of") || !read_number(&p, &nstates)) {
    complain(m, "cannot be read: %s", text);
    return;
  }
  double tolerance = read_tolerance(&p);
  if (tolerance == 0.0) tolerance = 100.0 * m->wishes.options.rtol * fmax(1.0, fabs(from));
  if (!(number >= 1.0 && number <= (double)m->result.nstructures)) {
    complain(m, "%s, but there are %zu", text, m->result.nstructures);
    return;
  }
  const expect_structure *found = &m->result.structures[(size_t)number - 1];
  if (!near(m, found->from, from, tolerance) || found->index != (int)index ||
      (double)found->nfree != nfree || (double)found->nstates != nstates)
    complain(m, "%s, but it is from %.17g (off by %.3g) index %d free %zu of %zu", text,
             found->from, found->from - from, found->index, found->nfree, found->nstates);
}

/* = COUNT */
static void look_structures(model *m, const char *text, const char *p) {
  double wanted = 0.0;
  if (!accept(&p, "=") || !read_number(&p, &wanted) || (double)m->result.nstructures != wanted)
    complain(m, "%s, but there are %zu", text, m->result.nstructures);
}

/* NAME K = V [+- TOL] */
static void look_impulse(model *m, const char *text, const char *p) {
  char name[WORD];
  double index = 0.0, value = 0.0;
  if (!read_word(&p, name) || !read_number(&p, &index) || !accept(&p, "=") ||
      !read_number(&p, &value)) {
    complain(m, "cannot be read: %s", text);
    return;
  }
  size_t left = (size_t)index;
  for (size_t k = 0; k < m->result.nimpulses; k++) {
    const expect_impulse *impulse = &m->result.impulses[k];
    if (strcmp(impulse->name, name) != 0 || --left > 0) continue;
    if (!near(m, impulse->value, value, read_tolerance(&p)))
      complain(m, "%s, but it is %.17g (off by %.3g)", text, impulse->value,
               impulse->value - value);
    return;
  }
  complain(m, "%s, but there are %zu impulses", text, m->result.nimpulses);
}

/* [t = T [+- TOL]] part of the message */
static void look_end(model *m, const char *text, const char *p, const char *message) {
  double t = 0.0;
  if (m->result.sim != NULL && accept(&p, "t") && accept(&p, "=") && read_number(&p, &t)) {
    double tolerance = read_tolerance(&p),
           end = brink_system_time(m->system, brink_sim_time(m->result.sim));
    if (!near(m, end, t, tolerance)) complain(m, "%s, but t = %.17g", text, end);
  }
  skip_space(&p);
  if (strstr(message, p) == NULL) complain(m, "%s, but it says: %s", text, message);
}

static void look_outside(model *m, const char *text, const char *p) {
  size_t count;
  const char *const *warnings = brink_instance_warnings(m->result.instance, &count);
  skip_space(&p);
  for (size_t k = 0; k < count; k++)
    if (strstr(warnings[k], p) != NULL) return;
  complain(m, "%s, but of %zu warnings the first is: %s", text, count,
           count > 0 ? warnings[0] : "none");
}

static void look(model *m, const char *text) {
  static const struct {
    const char *word;
    void (*look)(model *m, const char *text, const char *p);
  } kinds[] = {
      {"final", look_final},         {"event", look_event},           {"events", look_count},
      {"slides", look_count},        {"misses", look_count},          {"order", look_order},
      {"note", look_note},           {"slide", look_slide},           {"outside", look_outside},
      {"structure", look_structure}, {"structures", look_structures}, {"impulse", look_impulse}};
  const char *p = text;
  char word[WORD];
  if (accept(&p, "error") || accept(&p, "warning") || accept(&p, "usage") || accept(&p, "stops") ||
      accept(&p, "fails"))
    return;
  if (!read_word(&p, word)) return;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (strcmp(kinds[k].word, word) != 0) continue;
    kinds[k].look(m, text, p);
    return;
  }
  complain(m, "unknown expectation: %s", text);
}

static void look_at_end(model *m) {
  const char *message, *ending = expect_ending(&m->result, &message);
  bool expected = strcmp(ending, "finished") == 0 || strcmp(ending, "stopped") == 0;
  for (size_t k = 0; k < m->nlines; k++) {
    const char *text = m->lines[k].text, *p = text;
    bool stops = accept(&p, "stops");
    if (!stops && !accept(&p, "fails")) continue;
    if (!accept(&p, stops ? "stopped" : ending) && !stops)
      complain(m, "%s, but it ends: %s: %s", text, ending, message);
    else if (stops && strcmp(ending, "stopped") != 0)
      complain(m, "%s, but it ends: %s: %s", text, ending, message);
    else
      look_end(m, text, p, message);
    expected = true;
  }
  if (!expected) complain(m, "it ends: %s: %s", ending, message);
}

/* ---- running ---- */

static void run(model *m, const char *cache) {
  expect_result compiled;
  char what[100];
  if (!m->wishes.has_until) {
    complain(m, "no end time");
    return;
  }
  expect_simulate(m->system, &m->wishes, true, cache, &m->result);
  look_at_end(m);
  if (m->result.sim != NULL) {
    for (size_t k = 0; k < m->nlines; k++) look(m, m->lines[k].text);
    long long past = (long long)brink_sim_stats(m->result.sim)->rhs_past_guard;
    if (m->wishes.options.events == BRINK_EXTRAPOLATE && past != 0)
      complain(m, "%lld evaluations past a unilateral surface", past);
    if (!m->report->interpreted) {
      expect_simulate(m->system, &m->wishes, false, cache, &compiled);
      if (!expect_same(&m->result, &compiled, what, sizeof what))
        complain(m, "interpreter and machine code differ in %s", what);
      expect_result_free(&compiled);
    }
  }
  expect_result_free(&m->result);
}

static void flatten(model *m) {
  brink_flatten_options options = {.top = m->wishes.top,
                                   .sets = m->wishes.sets,
                                   .nsets = m->wishes.nsets,
                                   .seed = m->wishes.seed,
                                   .seed_given = m->has_seed,
                                   .from = m->wishes.from,
                                   .from_given = m->wishes.has_from,
                                   .until = m->wishes.until,
                                   .until_given = m->wishes.has_until};
  m->system = brink_flatten(m->unit, &options, NULL);
  if (m->system != NULL && !m->has_seed) read_settings(m, "seed");
}

/* What was wrong with `set` and `top`. */
static void compare_settings(model *m) {
  const brink_report_item *item = brink_report_of_settings(m->unit);
  brink_text text = {0};
  if (item != NULL) brink_report_render(m->unit, item, &text);
  const char *usage = text.data != NULL ? text.data : "";
  bool expected = usage[0] == '\0';
  for (size_t k = 0; k < m->nlines; k++) {
    const char *p = m->lines[k].text;
    if (!accept(&p, "usage")) continue;
    skip_space(&p);
    expected = usage[0] != '\0' && strstr(usage, p) != NULL;
  }
  if (!expected) complain(m, "wrong usage: %s", usage);
  brink_text_free(&text);
}

/* ---- reading ---- */

static char *read_source(const char *path, size_t *length, const char **reason, void *user) {
  const model *m = user;
  for (size_t k = 0; k < m->nsources; k++) {
    if (strcmp(m->source[k].path, path) != 0) continue;
    char *copy = malloc(m->source[k].length + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, m->source[k].text, m->source[k].length);
    copy[m->source[k].length] = '\0';
    *length = m->source[k].length;
    return copy;
  }
  return brink_file_reader.read(path, length, reason, brink_file_reader.user);
}

static void check_model(model *m, const char *cache) {
  brink_unit_check(m->unit);
  if (m->unit->nerrors == 0) flatten(m);
  compare_reports(m);
  compare_settings(m);
  bool broken = m->system == NULL;
  if (broken && m->unit->nsettings == 0 && m->unit->nerrors == 0)
    complain(m, "no system, and no word why");
  if (broken && !expects(m, "error") && !expects(m, "usage")) complain(m, "it does not run");
  if (broken || m->wishes.check_only) return;
  read_settings(m, NULL);
  m->nwords = m->wishes.nsets = 0;
  read_runs(m); /* once more: they win over the simulation section */
  if (m->report->method != NULL) m->wishes.options.method = method_of(m->report->method);
  run(m, cache);
}

void expect_check(const expect_source *source, size_t count, const char *cache,
                  expect_report *report) {
  model *m = calloc(1, sizeof *m);
  if (m == NULL) return;
  *m = (model){.source = source, .nsources = count, .report = report};
  m->wishes = (expect_wishes){.options = brink_default_options(), .seed = 1};
  read_comments(m);
  read_runs(m);
  const char *why = "";
  if (next_line(source[0].text, "% known:", &why) != NULL && accept(&why, "crash")) {
    complain(m, "not run");
    free(m);
    return;
  }
  bool unreadable = false;
  const char *reason = "";
  brink_reader reader = {.read = read_source, .user = m};
  m->unit = brink_unit_parse(source[0].path, &reader, NULL, &unreadable, &reason);
  if (m->unit == NULL || unreadable)
    complain(m, "cannot be read: %s", reason);
  else
    check_model(m, cache);
  brink_system_destroy(m->system);
  brink_unit_destroy(m->unit);
  free(m);
}
