/* json.c: the summary of a run as one JSON object (RFC 8259). */
#include "base/show.h"
#include "record/record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- values ---- */

/* The length of the UTF-8 sequence at s, 0 if it is not one (Unicode 15, table 3-7). */
static size_t utf8_length(const unsigned char *s) {
  unsigned char lead = s[0];
  if (lead < 0x80) return 1;
  size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (lead < 0xc2 || lead > 0xf4 || s[1] < low || s[1] > high) return 0;
  for (size_t k = 2; k < length; k++) {
    if ((s[k] & 0xc0) != 0x80) return 0;
  }
  return length;
}

void brink_json_string(brink_text *text, const char *string) {
  brink_text_append(text, "\"", 1);
  const unsigned char *s = (const unsigned char *)string;
  uint32_t code = 0;
  while (*s != '\0') {
    size_t length = utf8_length(s);
    if (length == 0)
      brink_text_append(text, "\xef\xbf\xbd", 3); /* U+FFFD, the replacement character */
    else if (*s == '"' || *s == '\\')
      brink_text_add(text, "\\%c", *s);
    else if (*s == '\n')
      brink_text_add(text, "\\n");
    else if (brink_utf8_decode((const char *)s, (const char *)s + length, &code) > 0 &&
             brink_is_control(
                 code)) /* also those that JSON allows: it may be shown on a terminal */
      brink_text_add(text, "\\u%04x", (unsigned)code);
    else
      brink_text_append(text, (const char *)s, length);
    s += length == 0 ? 1 : length;
  }
  brink_text_append(text, "\"", 1);
}

void brink_json_real(brink_text *text, double value) {
  char buffer[BRINK_DOUBLE_TEXT];
  if (isnan(value)) {
    brink_text_add(text, "\"nan\"");
  } else if (isinf(value)) {
    brink_text_add(text, "\"%s\"", value > 0.0 ? "inf" : "-inf");
  } else {
    brink_double_text(value, buffer);
    brink_text_add(text, "%s%s", buffer, strpbrk(buffer, ".e") == NULL ? ".0" : "");
  }
}

void brink_json_value(brink_text *text, const brink_system *system, brink_value_type type,
                      double value) {
  if (type == BRINK_VALUE_STRING && value >= 0.0 && value < (double)system->nstrings)
    brink_json_string(text, system->strings[(size_t)value]);
  else if (type == BRINK_VALUE_REAL || !isfinite(value))
    brink_json_real(text, value);
  else
    brink_value_text(system, type, value, text);
}

void brink_json_agents(brink_text *text, const brink_system *system,
                       const brink_participants *participants) {
  brink_text name = {.allocator = text->allocator};
  for (size_t side = 0; side < 2; side++) {
    name.length = 0;
    if (side < participants->count)
      brink_system_instance_name(system, participants->group[side], participants->instance[side],
                                 &name);
    brink_text_add(text, side == 0 ? "[" : ",");
    brink_json_string(text, name.data != NULL ? name.data : "");
  }
  brink_text_add(text, "]");
  text->failed = text->failed || name.failed;
  brink_text_free(&name);
}

/* ---- the object ---- */

enum { BRIEFLY = 2000 }; /* final values of a variable */

static void member(brink_text *text, const char *separator, const char *key) {
  brink_text_add(text, "%s\"%s\":", separator, key);
}

static void string_member(brink_text *text, const char *separator, const char *key,
                          const char *value) {
  member(text, separator, key);
  brink_json_string(text, value);
}

static void real_member(brink_text *text, const char *separator, const char *key, double value) {
  member(text, separator, key);
  brink_json_real(text, value);
}

static void count_member(brink_text *text, const char *separator, const char *key, int64_t value) {
  member(text, separator, key);
  brink_text_add(text, "%" PRId64, value);
}

static void strings(brink_text *text, const char *const *items, size_t count) {
  brink_text_add(text, "[");
  for (size_t k = 0; k < count; k++) {
    if (k > 0) brink_text_add(text, ",");
    brink_json_string(text, items[k]);
  }
  brink_text_add(text, "]");
}

/* Members "name":value of the elements of something tracked, `most` at most. */
static void values_of(brink_text *text, const brink_columns *columns, const brink_tracked *tracked,
                      const brink_moment *moment, size_t most, size_t *written) {
  brink_text room = {.allocator = text->allocator};
  for (size_t e = 0; e < tracked->count && e < most; e++) {
    if ((*written)++ > 0) brink_text_add(text, ",");
    brink_json_string(text, brink_columns_name(columns, tracked, e, &room));
    brink_text_add(text, ":");
    brink_json_value(text, columns->system, tracked->as->type,
                     brink_columns_value(columns, tracked, e, moment));
  }
  text->failed = text->failed || room.failed;
  brink_text_free(&room);
}

static bool is_always_there(const brink_tracked *tracked) {
  brink_variable_kind kind = tracked->as->kind;
  return tracked->look == BRINK_LOOK_VARIABLE &&
         (kind == BRINK_VARIABLE_STATE || kind == BRINK_VARIABLE_MODE ||
          kind == BRINK_VARIABLE_OUTPUT);
}

/* States, modes and outputs; and what else is recorded and changes. At most so many of each variable. */
static void final_values(brink_text *text, const brink_columns *columns, const brink_columns *kept,
                         const brink_moment *moment, size_t most) {
  size_t written = 0;
  brink_columns_visit(columns, moment);
  for (size_t k = 0; k < columns->ntracked; k++)
    values_of(text, columns, &columns->tracked[k], moment, most, &written);
  if (kept == NULL) return;
  brink_columns_visit(kept, moment);
  for (size_t k = 0; k < kept->nvarying; k++) {
    if (!is_always_there(&kept->tracked[k]))
      values_of(text, kept, &kept->tracked[k], moment, most, &written);
  }
}

enum { CONSTANTS = 1000 }; /* with more, only those that were asked for by name */

/* Parameters, and inputs that nothing drives: once. */
static void constants(brink_text *text, const brink_columns *kept, const brink_moment *moment) {
  brink_columns given;
  size_t written = 0;
  if (brink_columns_init_given(&given, kept->system, &text->allocator) != BRINK_OK) {
    text->failed = true;
    return;
  }
  const brink_columns *from = given.count <= CONSTANTS ? &given : kept;
  for (size_t k = from == kept ? kept->nvarying : 0; k < from->ntracked; k++) {
    if (written == 0) {
      member(text, ",\n ", "parameters");
      brink_text_add(text, "{");
    }
    values_of(text, from, &from->tracked[k], moment, SIZE_MAX, &written);
  }
  if (written > 0) brink_text_add(text, "}");
  brink_columns_free(&given);
}

/* What would be among the results of a smaller model. */
static void left_out(brink_text *text, const brink_columns *kept) {
  if (kept->left_out == 0) return;
  member(text, ",\n ", "left_out");
  count_member(text, "{", "columns", (int64_t)kept->left_out);
  string_member(text, ",", "names", kept->left_names != NULL ? kept->left_names : "");
  brink_text_add(text, "}");
}

static void list_member(brink_text *text, const char *key, const brink_text *items) {
  member(text, ",\n ", key);
  brink_text_add(text, "[");
  if (items != NULL) brink_text_append(text, items->data, items->length);
  brink_text_add(text, "]");
}

static void happenings(brink_text *text, const brink_summary *summary,
                       const brink_journal *journal) {
  if (!summary->brief) list_member(text, "events", journal != NULL ? &journal->events : NULL);
  if (journal != NULL && journal->nslides > 0) list_member(text, "sliding", &journal->sliding);
  if (journal != NULL && journal->nstructures > 0)
    list_member(text, "structure", &journal->structures);
  if (journal != NULL && journal->nmisses > 0 && !summary->brief)
    list_member(text, "near_misses", &journal->misses);
  if (journal != NULL && journal->closest.length > 0 && !summary->brief)
    list_member(text, "closest_approaches", &journal->closest);
  if (summary->against != NULL && !summary->brief) {
    member(text, ",\n ", "against");
    brink_text_add(text, "%s", summary->against);
  }
  if (!summary->zeno) return;
  member(text, ",\n ", "zeno");
  real_member(text, "{", "t", summary->zeno_t);
  member(text, ",", "flags");
  strings(text, summary->zeno_flags, summary->nzeno_flags);
  brink_text_add(text, "}");
}

static void agent_counts(brink_text *text, const brink_agent_counts *counts) {
  count_member(text, ",\n          ", "agents", (int64_t)counts->agents);
  count_member(text, ",", "windows", counts->windows);
  member(text, ",", "pairs");
  count_member(text, "{", "compared", counts->compared);
  count_member(text, ",", "searched", counts->searched);
  count_member(text, ",", "met", counts->pair_events);
  brink_text_add(text, "}");
}

static void method_changes(brink_text *text, const brink_summary *summary) {
  if (summary->nchanges == 0) return;
  member(text, ",\n ", "method_changes");
  for (size_t k = 0; k < summary->nchanges; k++) {
    const brink_change_note *change = &summary->changes[k];
    brink_text_add(text, k == 0 ? "[" : ",\n  ");
    real_member(text, "{", "t", change->t);
    string_member(text, ",", "from", change->from);
    string_member(text, ",", "to", change->to);
    string_member(text, ",", "why", change->why);
    brink_text_add(text, "}");
  }
  brink_text_add(text, "]");
}

static void statistics(brink_text *text, const brink_summary *summary) {
  const brink_stats *stats = &summary->stats;
  member(text, ",\n ", "stats");
  count_member(text, "{", "steps", stats->steps);
  count_member(text, ",", "rejected", stats->rejected);
  count_member(text, ",", "rhs", stats->rhs);
  count_member(text, ",", "guards", stats->guards);
  count_member(text, ",", "roots", stats->roots);
  count_member(text, ",", "rhs_past_guard", stats->rhs_past_guard);
  count_member(text, ",\n          ", "vetoed", stats->refused_outside);
  count_member(text, ",", "restarts", stats->restarts);
  string_member(text, ",", "method", brink_method_name(stats->method));
  if (stats->reason != NULL) string_member(text, ",", "chosen_because", stats->reason);
  if (stats->newton > 0 || summary->constraints) {
    count_member(text, ",\n          ", "newton", stats->newton);
    count_member(text, ",", "jacobians", stats->jacobians);
    count_member(text, ",", "factorisations", stats->factorisations);
  }
  if (summary->constraints) {
    count_member(text, ",", "projections", stats->projections);
    real_member(text, ",", "largest_correction", stats->largest_correction);
  }
  if (summary->total_changes > summary->nchanges)
    count_member(text, ",", "method_changes", (int64_t)summary->total_changes);
  if (summary->agents != NULL) agent_counts(text, summary->agents);
  string_member(text, ",\n          ", "engine", summary->engine);
  if (summary->engine_reason != NULL && summary->engine_reason[0] != '\0')
    string_member(text, ",", "engine_reason", summary->engine_reason);
  if (summary->changed_over) real_member(text, ",", "native_from", summary->native_from);
  real_member(text, ",", "compile_s", summary->compile_seconds);
  real_member(text, ",", "wall_s", summary->wall_seconds);
  brink_text_add(text, "}");
}

void brink_json_summary(brink_text *text, const brink_summary *summary,
                        const brink_journal *journal, const brink_moment *final) {
  string_member(text, "{", "model", summary->model);
  string_member(text, ",", "status", summary->status);
  if (summary->reason != NULL) string_member(text, ",", "reason", summary->reason);
  if (summary->message != NULL) string_member(text, ",", "message", summary->message);
  real_member(text, ",", "t", summary->t);
  if (summary->from != 0.0) real_member(text, ",", "from", summary->from);
  member(text, ",", "seed");
  brink_text_add(text, "%" PRIu64, summary->seed);
  string_member(text, ",\n ", "method", summary->method);
  string_member(text, ",", "events_method", summary->events_method);
  real_member(text, ",", "rtol", summary->rtol);
  real_member(text, ",", "atol", summary->atol);
  member(text, ",\n ", "final");
  brink_text_add(text, "{");
  if (journal != NULL && final != NULL)
    final_values(text, journal->columns, summary->kept, final, summary->brief ? BRIEFLY : SIZE_MAX);
  brink_text_add(text, "}");
  if (journal != NULL && final != NULL && summary->kept != NULL) {
    if (!summary->brief) constants(text, summary->kept, final);
    left_out(text, summary->kept);
  }
  happenings(text, summary, journal);
  member(text, ",\n ", "warnings");
  strings(text, summary->warnings, summary->nwarnings);
  method_changes(text, summary);
  statistics(text, summary);
  brink_text_add(text, "}\n");
}
