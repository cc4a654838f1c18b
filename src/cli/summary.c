/* summary.c: the summary for a person: short, aligned, nothing that is not there. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/show.h"
#include "cli/colour.h"
#include "cli/run.h"
#include "run/conditions.h"

enum { FINAL_SHOWN = 12, WARNINGS_SHOWN = 5, CHANGES_SHOWN = 2, LINE = 90 };
enum {
  LABEL = 8,
  LONG_LABEL = 13
}; /* the column of labels; the second where one is "constraints" */

/* What others wrote, behind words of ours. */
static void show_after(brink_text *text, const char *words, const char *foreign) {
  brink_text_add(text, "%s", words);
  brink_text_show(text, foreign);
}

static void write_status(const cli_simulation *sim, const cli_colours *c, brink_text *text) {
  const brink_summary *summary = &sim->run->summary;
  bool interrupted = summary->reason != NULL && strcmp(summary->reason, "interrupted") == 0;
  const char *colour = summary->reason == NULL ? c->good : interrupted ? c->warning : c->error;
  brink_text_add(text, "%s%s%s %s%s%s at %st = %.10g", c->bold, summary->model, c->plain, colour,
                 interrupted ? summary->reason : summary->status, c->plain,
                 summary->not_started ? "the start, " : "", summary->t);
  if (summary->reason != NULL && !interrupted) brink_text_add(text, " (%s)", summary->reason);
  if (summary->reason == NULL && summary->message != NULL && summary->message[0] != '\0')
    show_after(text, ": ", summary->message);
  brink_text_add(text, "\n");
}

static size_t widest_flag(const brink_journal *journal) {
  size_t width = strlen("flag");
  for (size_t k = 0; k < journal->nheadlines; k++) {
    if (journal->headline[k].flag.length > width) width = journal->headline[k].flag.length;
  }
  return width;
}

/* "\n3 events\n": what a list is of. */
static void write_heading(size_t count, const char *one, const char *many, const char *colour,
                          const cli_colours *c, brink_text *text) {
  brink_text_add(text, "\n%s%zu %s%s\n", colour, count, count == 1 ? one : many, c->plain);
}

static void write_events(const brink_journal *journal, const cli_colours *c, brink_text *text) {
  write_heading(journal->nevents, "event", "events", c->bold, c, text);
  if (journal->nheadlines == 0) return;
  int width = (int)widest_flag(journal);
  brink_text_add(text, "  %s%-14s  %-*s  %-9s  %s%s\n", c->dim, "t", width, "flag", "direction",
                 "changes", c->plain);
  for (size_t k = 0; k < journal->nheadlines; k++) {
    const brink_headline *line = &journal->headline[k];
    const char *changes = line->changes.length > 0 ? line->changes.data : "";
    brink_text_add(text, "  %-14.10g  %s%-*s%s  %s", line->t, c->name, width, line->flag.data,
                   c->plain, line->direction == BRINK_NEGATIVE ? "negative" : "positive");
    show_after(text, changes[0] != '\0' ? "   " : "", changes);
    brink_text_add(text, "\n");
  }
  if (journal->nevents > journal->nheadlines)
    brink_text_add(text, "  and %zu more\n", journal->nevents - journal->nheadlines);
}

static void write_slides(const brink_journal *journal, const cli_colours *c, brink_text *text) {
  if (journal->nslides == 0) return;
  write_heading(journal->nslides, "interval of sliding", "intervals of sliding", c->bold, c, text);
  brink_text_add(text, "  %s%-14s  %-14s  %s%s\n", c->dim, "from", "to", "flag", c->plain);
  brink_text_append(text, journal->slides.data, journal->slides.length);
  if (journal->nslides > BRINK_HEADLINES)
    brink_text_add(text, "  and %zu more\n", journal->nslides - BRINK_HEADLINES);
}

/* What almost happened. */
static void write_misses(const brink_journal *journal, const cli_colours *c, brink_text *text) {
  if (journal->nmisses == 0) return;
  write_heading(journal->nmisses, "near miss", "near misses", c->bold, c, text);
  brink_text_add(text, "  %s%-14s  %-13s  %-13s  %s%s\n", c->dim, "t", "value", "distance", "flag",
                 c->plain);
  brink_text_append(text, journal->near.data, journal->near.length);
  if (journal->nmisses > BRINK_HEADLINES)
    brink_text_add(text, "  and %zu more\n", journal->nmisses - BRINK_HEADLINES);
}

/* ---- lines with labels ---- */

typedef struct sheet {
  int labels; /* the width of their column */
  const cli_colours *c;
  brink_text *text;
} sheet;

/* The word before a line, in a column of its own. */
static void write_label(const sheet *s, const char *label) {
  brink_text_add(s->text, "%s%-*s%s", s->c->dim, s->labels, label, s->c->plain);
}

/* Words behind a label, in lines that fit: a new one begins only behind `between`. */
static void write_wrapped(const sheet *s, const char *words, const char *between) {
  size_t width = (size_t)s->labels, step = strlen(between);
  for (const char *at = words; *at != '\0';) {
    const char *end = strstr(at, between);
    size_t length = end != NULL ? (size_t)(end - at) + step : strlen(at);
    size_t shown = between[step - 1] == ' ' && end != NULL ? length - 1 : length;
    if (at != words && width + shown > LINE) {
      while (s->text->length > 0 && s->text->data[s->text->length - 1] == ' ') s->text->length--;
      brink_text_add(s->text, "\n%*s", s->labels, "");
      width = (size_t)s->labels;
    }
    brink_text_append(s->text, at, length);
    width += length;
    at += length;
  }
  brink_text_add(s->text, "\n");
}

/* "name = value" into `one`. */
static void describe(const brink_columns *columns, const brink_tracked *tracked, size_t element,
                     const brink_moment *now, brink_text *one) {
  brink_text room = {0};
  brink_value_type type = tracked->as->type;
  double value = brink_columns_value(columns, tracked, element, now);
  one->length = 0;
  brink_text_add(one, "%s = ", brink_columns_name(columns, tracked, element, &room));
  brink_text_free(&room);
  if (type == BRINK_VALUE_REAL) {
    brink_text_add(one, "%.7g", value);
    return;
  }
  brink_value_text(columns->system, type, value, &room);
  if (room.data != NULL) brink_text_show(one, room.data);
  one->failed = one->failed || room.failed;
  brink_text_free(&room);
}

/* The first few final values, in lines that fit. */
static void write_final(const cli_simulation *sim, const sheet *s) {
  brink_text *text = s->text;
  /* Those that were asked for, or the usual ones. */
  bool asked = brink_run_keeping(sim->run).patterns != NULL;
  const brink_columns *columns = asked ? &sim->run->kept : &sim->run->columns;
  brink_moment now = brink_run_now(sim->run);
  brink_columns_visit(columns, &now);
  size_t shown = 0, width = 0;
  brink_text one = {0};
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    for (size_t e = 0; e < tracked->count && shown < FINAL_SHOWN; e++, shown++) {
      describe(columns, tracked, e, &now, &one);
      bool breaks = width + 2 + one.length > LINE;
      if (shown == 0) {
        brink_text_add(text, "\n");
        write_label(s, "final");
      } else {
        brink_text_add(text, breaks ? ",\n%*s" : ", ", breaks ? s->labels : 0, "");
      }
      brink_text_add(text, "%s", one.data != NULL ? one.data : "");
      width = (shown == 0 || breaks ? (size_t)s->labels : width + 2) + one.length;
    }
  }
  text->failed = text->failed || one.failed;
  brink_text_free(&one);
  if (columns->count > shown)
    brink_text_add(text, ",\n%*sand %zu more", s->labels, "", columns->count - shown);
  if (shown > 0) brink_text_add(text, "\n");
}

static void write_warnings(const brink_summary *summary, const cli_colours *c, brink_text *text) {
  size_t first = summary->nstart, count = summary->nwarnings - first; /* others were shown */
  if (count == 0) return;
  write_heading(count, "value outside the declared range", "values outside the declared range",
                c->warning, c, text);
  for (size_t k = 0; k < count && k < WARNINGS_SHOWN; k++) {
    show_after(text, "  ", summary->warnings[first + k]);
    brink_text_add(text, "\n");
  }
  if (count > WARNINGS_SHOWN) brink_text_add(text, "  and %zu more\n", count - WARNINGS_SHOWN);
}

/* Seconds as people say them: "0.0614 ms", "99.3 ms", "1.25 s". */
static void write_seconds(double seconds, brink_text *text) {
  if (seconds < 0.9995)
    brink_text_add(text, "%.3g ms", 1e3 * seconds);
  else
    brink_text_add(text, "%.3g s", seconds);
}

static void write_engine(const brink_summary *summary, const sheet *s) {
  brink_text *text = s->text;
  write_label(s, "time");
  write_seconds(summary->wall_seconds, text);
  bool interpreted = strcmp(summary->engine, "interpreter") == 0;
  bool both = summary->changed_over && !interpreted;
  if (both) brink_text_add(text, ", interpreted until t = %.4g, then", summary->native_from);
  const char *then = both ? "" : ",";
  if (interpreted) {
    brink_text_add(text, ", interpreted");
    if (summary->engine_reason[0] != '\0') show_after(text, ": ", summary->engine_reason);
  } else if (strcmp(summary->engine, "cache") == 0) {
    brink_text_add(text, "%s native code from the cache", then);
  } else {
    brink_text_add(text, "%s native code by %s in ", then, summary->engine);
    write_seconds(summary->compile_seconds, text);
  }
  brink_text_add(text, "\n");
}

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

static void write_audit(const brink_stats *stats, const sheet *s) {
  const char *colour = stats->rhs_past_guard == 0 ? s->c->good : s->c->error;
  write_label(s, "audit");
  brink_text_add(s->text, "%s%" PRId64 "%s evaluation%s past a unilateral surface\n", colour,
                 stats->rhs_past_guard, s->c->plain, plural(stats->rhs_past_guard));
}

static void write_agents(const brink_agent_counts *counts, const sheet *s) {
  write_label(s, "agents");
  brink_text_add(s->text,
                 "%zu with clocks of their own, %" PRId64 " window%s, %" PRId64
                 " pair%s searched of %" PRId64 " compared\n",
                 counts->agents, counts->windows, plural(counts->windows), counts->searched,
                 plural(counts->searched), counts->compared);
}

/* Which constraints held, and how far states had to be moved onto them. */
static void write_constraints(const cli_simulation *sim, const sheet *s) {
  const brink_journal *journal = &sim->run->journal;
  const brink_stats *stats = &sim->run->summary.stats;
  if (journal->nstructures == 0) return;
  brink_text words = {0};
  brink_text_append(&words, journal->indices.data, journal->indices.length);
  if (stats->projections > 0)
    brink_text_add(&words, "; largest correction %.2g tolerances", stats->largest_correction);
  write_label(s, "constraints");
  write_wrapped(s, words.data != NULL ? words.data : "", "; ");
  s->text->failed = s->text->failed || words.failed;
  brink_text_free(&words);
}

static void write_changes(const brink_summary *summary, const sheet *s) {
  size_t more = summary->total_changes - CHANGES_SHOWN;
  brink_text words = {0};
  for (size_t k = 0; k < summary->nchanges && k < CHANGES_SHOWN; k++) {
    const brink_change_note *change = &summary->changes[k];
    words.length = 0;
    brink_text_add(&words, "%s from t = %.10g on (%s)", change->to, change->t, change->why);
    write_label(s, "");
    write_wrapped(s, words.data != NULL ? words.data : "", " ");
  }
  if (summary->total_changes > CHANGES_SHOWN)
    brink_text_add(s->text, "%*sand %zu more change%s of the method\n", s->labels, "", more,
                   more == 1 ? "" : "s");
  s->text->failed = s->text->failed || words.failed;
  brink_text_free(&words);
}

static void write_statistics(const cli_simulation *sim, const sheet *s) {
  brink_text *text = s->text;
  const brink_summary *summary = &sim->run->summary;
  const brink_stats *stats = &summary->stats;
  brink_text_add(text, "\n");
  write_label(s, "steps");
  brink_text_add(text,
                 "%" PRId64 " (%" PRId64 " rejected), %" PRId64 " right-hand side%s, %" PRId64
                 " guard%s, %" PRId64 " root search%s\n",
                 stats->steps, stats->rejected, stats->rhs, plural(stats->rhs), stats->guards,
                 plural(stats->guards), stats->roots, stats->roots == 1 ? "" : "es");
  write_constraints(sim, s);
  if (summary->agents != NULL) write_agents(summary->agents, s);
  if (sim->settings.run.sim.audit) write_audit(stats, s);
  write_label(s, "method");
  brink_text_add(text, "%s, events by %s, rtol %g, atol %g\n", summary->method,
                 summary->events_method, summary->rtol, summary->atol);
  if (stats->reason != NULL) brink_text_add(text, "%*schosen: %s\n", s->labels, "", stats->reason);
  write_changes(summary, s);
  write_engine(summary, s);
}

/* What was written, so that it can be found; and what was not, so that it is not missed in vain. */
static void write_files(const cli_simulation *sim, const sheet *s) {
  const brink_run *run = sim->run;
  const brink_columns *shown = brink_run_shown(run);
  const size_t *chosen;
  if (run->results != NULL) {
    int64_t rows = brink_results_kept(run->results, NULL);
    write_label(s, "results");
    brink_text_show(s->text, sim->settings.out);
    brink_text_add(s->text, ", %" PRId64 " row%s\n", rows, plural(rows));
  }
  if (sim->reported) {
    size_t there = brink_display_rows(run->display, &chosen)->ncolumns;
    write_label(s, "report");
    brink_text_show(s->text, sim->settings.report);
    if (there < shown->count)
      brink_text_add(s->text, ", %zu of %zu columns: --keep chooses others", there, shown->count);
    brink_text_add(s->text, "\n");
  }
  if ((run->results == NULL && !sim->reported) || run->kept.left_out == 0) return;
  brink_text words = {0};
  brink_text_add(&words, "%zu columns of %s: --keep '*' records everything that changes",
                 run->kept.left_out, run->kept.left_names != NULL ? run->kept.left_names : "");
  write_label(s, "omitted");
  write_wrapped(s, words.data != NULL ? words.data : "", " ");
  s->text->failed = s->text->failed || words.failed;
  brink_text_free(&words);
}

void cli_summary(const cli_simulation *sim, brink_text *text) {
  const cli_colours *colours = cli_colours_for(sim->settings.color, STDOUT_FILENO);
  write_status(sim, colours, text);
  if (!brink_run_has_begun(sim->run)) return;
  bool judged = sim->run->conditions != NULL && sim->run->conditions->listed;
  if (judged)
    cli_conditions_show(sim->run, colours, text);
  else
    write_events(&sim->run->journal, colours, text);
  cli_comparison_show(sim->run, colours, text);
  write_slides(&sim->run->journal, colours, text);
  write_misses(&sim->run->journal, colours, text);
  write_warnings(&sim->run->summary, colours, text);
  sheet s = {
      .labels = sim->run->journal.nstructures > 0 ? LONG_LABEL : LABEL, .c = colours, .text = text};
  if (!judged && !sim->run->summary.not_started) write_final(sim, &s);
  write_statistics(sim, &s);
  write_files(sim, &s);
}
