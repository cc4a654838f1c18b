/* summary.c: the summary for a person: short, aligned, nothing that is not there. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/colour.h"
#include "cli/run.h"
#include "run/conditions.h"

enum { FINAL_SHOWN = 12, WARNINGS_SHOWN = 5, LINE = 90 };

static void write_status(const cli_simulation *sim, const cli_colours *c, brink_text *text) {
  const brink_summary *summary = &sim->run->summary;
  bool interrupted = summary->reason != NULL && strcmp(summary->reason, "interrupted") == 0;
  const char *colour = summary->reason == NULL ? c->good : interrupted ? c->warning : c->error;
  brink_text_add(text, "%s%s%s %s%s%s at t = %.10g", c->bold, summary->model, c->plain, colour,
                 interrupted ? summary->reason : summary->status, c->plain, summary->t);
  if (summary->reason != NULL && !interrupted) brink_text_add(text, " (%s)", summary->reason);
  if (summary->reason == NULL && summary->message != NULL && summary->message[0] != '\0')
    brink_text_add(text, ": %s", summary->message);
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
    brink_text_add(text, "  %-14.10g  %s%-*s%s  %s%s%s\n", line->t, c->name, width, line->flag.data,
                   c->plain, line->direction == BRINK_NEGATIVE ? "negative" : "positive",
                   changes[0] != '\0' ? "   " : "", changes);
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

/* The word before a line, in a column of its own. */
static void write_label(const char *label, const cli_colours *c, brink_text *text) {
  brink_text_add(text, "%s%-8s%s", c->dim, label, c->plain);
}

/* "name = value" into `one`. */
static void describe(const brink_columns *columns, const brink_tracked *tracked, size_t element,
                     const brink_moment *now, brink_text *one) {
  brink_text room = {0};
  brink_value_type type = columns->system->variables[tracked->variable].type;
  double value = brink_columns_value(columns, tracked, element, now);
  one->length = 0;
  brink_text_add(one, "%s = ", brink_columns_name(columns, tracked, element, &room));
  brink_text_free(&room);
  if (type == BRINK_VALUE_REAL)
    brink_text_add(one, "%.7g", value);
  else
    brink_value_text(columns->system, type, value, one);
}

/* The first few final values, in lines that fit. */
static void write_final(const cli_simulation *sim, const cli_colours *c, brink_text *text) {
  const brink_columns *columns = &sim->run->columns;
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
        write_label("final", c, text);
      }
      const char *join = shown == 0 ? "" : breaks ? ",\n        " : ", ";
      brink_text_add(text, "%s%s", join, one.data != NULL ? one.data : "");
      width = (shown == 0 || breaks ? 8 : width + 2) + one.length;
    }
  }
  text->failed = text->failed || one.failed;
  brink_text_free(&one);
  if (columns->count > shown)
    brink_text_add(text, ",\n        and %zu more", columns->count - shown);
  if (shown > 0) brink_text_add(text, "\n");
}

static void write_warnings(const brink_summary *summary, const cli_colours *c, brink_text *text) {
  size_t first = summary->nchosen, count = summary->nwarnings - first; /* others were shown */
  if (count == 0) return;
  write_heading(count, "value outside the declared range", "values outside the declared range",
                c->warning, c, text);
  for (size_t k = 0; k < count && k < WARNINGS_SHOWN; k++)
    brink_text_add(text, "  %s\n", summary->warnings[first + k]);
  if (count > WARNINGS_SHOWN) brink_text_add(text, "  and %zu more\n", count - WARNINGS_SHOWN);
}

/* Seconds as people say them: "0.0614 ms", "99.3 ms", "1.25 s". */
static void write_seconds(double seconds, brink_text *text) {
  if (seconds < 0.9995)
    brink_text_add(text, "%.3g ms", 1e3 * seconds);
  else
    brink_text_add(text, "%.3g s", seconds);
}

static void write_engine(const brink_summary *summary, const cli_colours *c, brink_text *text) {
  write_label("time", c, text);
  write_seconds(summary->wall_seconds, text);
  if (strcmp(summary->engine, "interpreter") == 0) {
    brink_text_add(text, ", interpreted%s%s", summary->engine_reason[0] != '\0' ? ": " : "",
                   summary->engine_reason);
  } else if (strcmp(summary->engine, "cache") == 0) {
    brink_text_add(text, ", native code from the cache");
  } else {
    brink_text_add(text, ", native code by %s in ", summary->engine);
    write_seconds(summary->compile_seconds, text);
  }
  brink_text_add(text, "\n");
}

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

static void write_audit(const brink_stats *stats, const cli_colours *c, brink_text *text) {
  write_label("audit", c, text);
  brink_text_add(text, "%s%" PRId64 "%s evaluation%s past a unilateral surface\n",
                 stats->rhs_past_guard == 0 ? c->good : c->error, stats->rhs_past_guard, c->plain,
                 plural(stats->rhs_past_guard));
}

static void write_agents(const brink_agent_counts *counts, const cli_colours *c, brink_text *text) {
  write_label("agents", c, text);
  brink_text_add(text,
                 "%zu with clocks of their own, %" PRId64 " window%s, %" PRId64
                 " pair%s searched of %" PRId64 " compared\n",
                 counts->agents, counts->windows, plural(counts->windows), counts->searched,
                 plural(counts->searched), counts->compared);
}

/* Which constraints held, and how far states had to be moved onto them. */
static void write_constraints(const cli_simulation *sim, const cli_colours *c, brink_text *text) {
  const brink_journal *journal = &sim->run->journal;
  const brink_stats *stats = &sim->run->summary.stats;
  if (journal->nstructures == 0) return;
  brink_text_add(text, "%sconstraints%s  ", c->dim, c->plain);
  brink_text_append(text, journal->indices.data, journal->indices.length);
  if (stats->projections > 0)
    brink_text_add(text, "; largest correction %.2g tolerances", stats->largest_correction);
  brink_text_add(text, "\n");
}

#define CHANGES_SHOWN 3

static void write_changes(const brink_summary *summary, brink_text *text) {
  for (size_t k = 0; k < summary->nchanges && k < CHANGES_SHOWN; k++) {
    const brink_change_note *change = &summary->changes[k];
    brink_text_add(text, "        %s from t = %.10g on (%s)\n", change->to, change->t, change->why);
  }
  if (summary->total_changes > CHANGES_SHOWN)
    brink_text_add(text, "        and %zu more changes of the method\n",
                   summary->total_changes - CHANGES_SHOWN);
}

static void write_statistics(const cli_simulation *sim, const cli_colours *c, brink_text *text) {
  const brink_summary *summary = &sim->run->summary;
  const brink_stats *stats = &summary->stats;
  brink_text_add(text, "\n");
  write_label("steps", c, text);
  brink_text_add(text,
                 "%" PRId64 " (%" PRId64 " rejected), %" PRId64 " right-hand side%s, %" PRId64
                 " guard%s, %" PRId64 " root search%s\n",
                 stats->steps, stats->rejected, stats->rhs, plural(stats->rhs), stats->guards,
                 plural(stats->guards), stats->roots, stats->roots == 1 ? "" : "es");
  write_constraints(sim, c, text);
  if (summary->agents != NULL) write_agents(summary->agents, c, text);
  if (sim->settings.run.sim.audit) write_audit(stats, c, text);
  write_label("method", c, text);
  brink_text_add(text, "%s, events by %s, rtol %g, atol %g\n", summary->method,
                 summary->events_method, summary->rtol, summary->atol);
  if (stats->reason != NULL) brink_text_add(text, "        chosen: %s\n", stats->reason);
  write_changes(summary, text);
  write_engine(summary, c, text);
}

/* What was written, so that it can be found. */
static void write_files(const cli_simulation *sim, const cli_colours *c, brink_text *text) {
  if (sim->run->results != NULL) {
    int64_t rows = brink_results_kept(sim->run->results, NULL);
    write_label("results", c, text);
    brink_text_add(text, "%s, %" PRId64 " row%s\n", sim->settings.out, rows, plural(rows));
  }
  if (sim->reported) {
    write_label("report", c, text);
    brink_text_add(text, "%s\n", sim->settings.report);
  }
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
  if (!judged) write_final(sim, colours, text);
  write_statistics(sim, colours, text);
  write_files(sim, colours, text);
}
