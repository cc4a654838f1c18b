/* journal.c: events, slides and near misses, in order.
 *
 * Events are kept as JSON text, not as structures: a run may have millions. Only the first few are
 * kept for a person. An event is written down when its instant is over, because a rule acts after the
 * event that made its condition true. */
#include "record/record.h"

#include <inttypes.h>
#include <string.h>

/* An event whose instant is not over. */
struct brink_entry {
  double t;
  int iteration;
  brink_direction direction;
  bool is_rule;
  brink_text flag;    /* its name */
  brink_text head;    /* JSON up to and with "after": */
  brink_text after;   /* JSON; not yet there for a rule */
  brink_text tail;    /* the rest */
  brink_text changes; /* for a person; not yet there for a rule */
  double *x;          /* rules: states after the event, before … */
  double *p;          /* … and parameters and modes before it */
  int *mode;
  bool told; /* to a person, too */
};

#define SLIDES_SHOWN ((size_t)10)
#define CHANGES_SHOWN 4

void brink_journal_init(brink_journal *journal, const brink_columns *columns, size_t nx,
                        bool json) {
  *journal = (brink_journal){.columns = columns, .nx = nx, .json = json};
  const brink_allocator allocator = columns->arena.allocator;
  journal->events.allocator = journal->sliding.allocator = journal->misses.allocator = allocator;
  journal->slides.allocator = allocator;
}

static const brink_allocator *allocator_of(const brink_journal *journal) {
  return &journal->columns->arena.allocator;
}

static void free_entry(brink_journal *journal, brink_entry *entry) {
  const brink_system *system = journal->columns->system;
  const brink_allocator *allocator = allocator_of(journal);
  brink_text_free(&entry->flag);
  brink_text_free(&entry->head);
  brink_text_free(&entry->after);
  brink_text_free(&entry->tail);
  brink_text_free(&entry->changes);
  brink_release(allocator, entry->x, journal->nx, sizeof(double));
  brink_release(allocator, entry->p, system->np, sizeof(double));
  brink_release(allocator, entry->mode, system->nmodes, sizeof(int));
}

void brink_journal_free(brink_journal *journal) {
  if (journal->columns == NULL) return;
  for (size_t k = 0; k < journal->open_capacity; k++) free_entry(journal, &journal->open[k]);
  brink_release(allocator_of(journal), journal->open, journal->open_capacity, sizeof(brink_entry));
  for (size_t k = 0; k < journal->nheadlines; k++) {
    brink_text_free(&journal->headline[k].flag);
    brink_text_free(&journal->headline[k].changes);
  }
  brink_text_free(&journal->events);
  brink_text_free(&journal->sliding);
  brink_text_free(&journal->misses);
  brink_text_free(&journal->slides);
  *journal = (brink_journal){0};
}

bool brink_journal_wants(const brink_system *system, uint32_t flag, brink_direction direction) {
  switch (system->flags[flag].kind) {
  case BRINK_FLAG_DECLARED:
  case BRINK_FLAG_GENERATED:
    return true;
  case BRINK_FLAG_RULE:
    return direction == BRINK_POSITIVE;
  case BRINK_FLAG_RANGE:
  case BRINK_FLAG_LEAVE:
  case BRINK_FLAG_LEAF:
    break;
  }
  return false;
}

/* ---- what an event concerns ---- */

typedef struct visitor visitor;
struct visitor {
  brink_journal *journal;
  const brink_moment *moment, *before; /* before: for changes */
  brink_text *text;
  size_t seen;
  void (*visit)(visitor *self, const brink_tracked *tracked, size_t element);
};

static void visit_elements(visitor *v, const brink_tracked *tracked, size_t first, size_t count) {
  for (size_t e = first; e < first + count; e++) v->visit(v, tracked, e);
}

/* All states and modes, or those of the partners of a pair. */
static void visit_concerned(visitor *v, const brink_flag *flag, size_t index) {
  const brink_columns *columns = v->journal->columns;
  if (!flag->is_pair) {
    for (size_t k = 0; k < columns->nheld; k++)
      visit_elements(v, &columns->tracked[k], 0, columns->tracked[k].count);
    return;
  }
  for (int side = 0; side < 2; side++) {
    for (size_t k = 0; k < columns->nheld; k++) {
      size_t first, count;
      if (brink_variable_of(columns->system, columns->tracked[k].variable,
                            flag->partner_group[side], flag->partner[side][index], &first, &count))
        visit_elements(v, &columns->tracked[k], first, count);
    }
  }
}

static brink_value_type type_of(const brink_columns *columns, const brink_tracked *tracked) {
  return columns->system->variables[tracked->variable].type;
}

static bool is_mode(const brink_columns *columns, const brink_tracked *tracked) {
  return columns->system->variables[tracked->variable].kind == BRINK_VARIABLE_MODE;
}

static void write_member(visitor *v, const brink_tracked *tracked, size_t element) {
  const brink_columns *columns = v->journal->columns;
  if (v->seen++ > 0) brink_text_append(v->text, ",", 1);
  brink_json_string(v->text, columns->name[tracked->first + element]);
  brink_text_append(v->text, ":", 1);
  brink_json_value(v->text, columns->system, type_of(columns, tracked),
                   brink_columns_value(columns, tracked, element, v->moment));
}

static void write_state(visitor *v, const brink_tracked *tracked, size_t element) {
  if (!is_mode(v->journal->columns, tracked)) write_member(v, tracked, element);
}

static void write_change(visitor *v, const brink_tracked *tracked, size_t element) {
  const brink_columns *columns = v->journal->columns;
  double before = brink_columns_value(columns, tracked, element, v->before);
  double after = brink_columns_value(columns, tracked, element, v->moment);
  if (!(before < after || before > after)) return;
  if (v->seen < CHANGES_SHOWN) {
    brink_text_add(v->text, "%s%s = ", v->seen > 0 ? ", " : "",
                   columns->name[tracked->first + element]);
    if (type_of(columns, tracked) == BRINK_VALUE_REAL)
      brink_text_add(v->text, "%.6g", after);
    else
      brink_value_text(columns->system, type_of(columns, tracked), after, v->text);
  } else if (v->seen == CHANGES_SHOWN) {
    brink_text_add(v->text, ", …");
  }
  v->seen++;
}

/* ---- events ---- */

static brink_entry *new_entry(brink_journal *journal) {
  if (journal->nopen == journal->open_capacity) {
    const brink_allocator *allocator = allocator_of(journal);
    size_t larger = journal->open_capacity == 0 ? 4 : 2 * journal->open_capacity;
    brink_entry *moved = brink_allocate(allocator, larger, sizeof *moved);
    if (moved == NULL) return NULL;
    if (journal->nopen > 0) memcpy(moved, journal->open, journal->nopen * sizeof *moved);
    brink_release(allocator, journal->open, journal->open_capacity, sizeof *moved);
    for (size_t k = journal->nopen; k < larger; k++) {
      brink_entry *e = &moved[k];
      e->flag.allocator = e->head.allocator = e->after.allocator = *allocator;
      e->tail.allocator = e->changes.allocator = *allocator;
    }
    journal->open = moved;
    journal->open_capacity = larger;
  }
  brink_entry *entry = &journal->open[journal->nopen++];
  entry->flag.length = entry->head.length = entry->after.length = 0;
  entry->tail.length = entry->changes.length = 0;
  return entry;
}

static void write_remarks(brink_journal *journal, const brink_happening *h, brink_text *text) {
  brink_text_add(text, ",\"condition\":null,\"note\":%s", h->nremarks == 0 ? "null}" : "[");
  for (size_t k = 0; k < h->nremarks; k++) {
    const brink_remark *remark = &h->remarks[k];
    brink_text_add(text, "%s[", k > 0 ? "," : "");
    brink_json_string(text, remark->label);
    for (size_t j = 0; j < remark->nvalues; j++) {
      brink_text_append(text, ",", 1);
      brink_json_value(text, journal->columns->system, remark->types[j], remark->values[j]);
    }
    brink_text_append(text, "]", 1);
  }
  if (h->nremarks > 0) brink_text_add(text, "]}");
}

static void write_agents(const brink_system *system, const brink_flag *flag, size_t index,
                         brink_text *text) {
  brink_text name = {.allocator = text->allocator};
  for (int side = 0; side < 2; side++) {
    name.length = 0;
    brink_system_instance_name(system, flag->partner_group[side], flag->partner[side][index],
                               &name);
    brink_text_add(text, side == 0 ? ",\"agents\":[" : ",");
    brink_json_string(text, name.data != NULL ? name.data : "");
  }
  brink_text_add(text, "]");
  text->failed = text->failed || name.failed;
  brink_text_free(&name);
}

/* {"t":4.0,"flag":"empty","direction":"negative","state":{"h":1e-06},"after": */
static void write_head(brink_journal *journal, const brink_happening *h, const brink_moment *before,
                       brink_entry *entry) {
  const brink_system *system = journal->columns->system;
  const brink_flag *flag = &system->flags[h->flag];
  brink_text *text = &entry->head;
  brink_text_add(text, "{\"t\":");
  brink_json_real(text, entry->t);
  brink_text_add(text, ",\"flag\":");
  brink_json_string(text, entry->flag.data);
  brink_text_add(text, ",\"direction\":\"%s\"",
                 entry->direction == BRINK_NEGATIVE ? "negative" : "positive");
  if (flag->kind == BRINK_FLAG_GENERATED) brink_text_add(text, ",\"generated\":true");
  if (flag->is_pair) write_agents(system, flag, h->index, text);
  brink_text_add(text, ",\n   \"state\":{");
  visitor v = {.journal = journal, .moment = before, .text = text, .visit = write_state};
  visit_concerned(&v, flag, h->index);
  brink_text_add(text, "},\n   \"after\":");
}

static void write_after(brink_journal *journal, const brink_flag *flag, size_t index,
                        const brink_moment *before, const brink_moment *after, brink_entry *entry) {
  if (journal->json) {
    visitor v = {.journal = journal, .moment = after, .text = &entry->after, .visit = write_member};
    brink_text_append(&entry->after, "{", 1);
    visit_concerned(&v, flag, index);
    brink_text_append(&entry->after, "}", 1);
  }
  if (!entry->told) return;
  visitor v = {.journal = journal,
               .moment = after,
               .before = before,
               .text = &entry->changes,
               .visit = write_change};
  visit_concerned(&v, flag, index);
}

static void *keep(brink_journal *journal, void *room, const void *from, size_t count, size_t size) {
  if (room == NULL) room = brink_allocate(allocator_of(journal), count, size);
  if (room == NULL)
    journal->failed = true;
  else if (count > 0)
    memcpy(room, from, count * size);
  return room;
}

/* What the end of the instant will be compared with. */
static void keep_for_rule(brink_journal *journal, const brink_event_record *record,
                          brink_entry *entry) {
  const brink_system *system = journal->columns->system;
  entry->x = keep(journal, entry->x, record->x_after, journal->nx, sizeof(double));
  entry->p = keep(journal, entry->p, record->p_before, system->np, sizeof(double));
  entry->mode = keep(journal, entry->mode, record->mode_before, system->nmodes, sizeof(int));
}

void brink_journal_event(brink_journal *journal, const brink_happening *h) {
  const brink_event_record *record = h->record;
  const brink_event *event = &record->event;
  if (journal->nopen > 0) {
    const brink_entry *last = &journal->open[journal->nopen - 1];
    if (last->t != event->t || last->iteration < event->iteration)
      brink_journal_settle(journal, record->p_before, record->mode_before);
  }
  bool told = journal->nevents++ < BRINK_HEADLINES;
  if (!told && !journal->json) return;
  brink_entry *entry = new_entry(journal);
  if (entry == NULL) {
    journal->failed = true;
    return;
  }
  const brink_system *system = journal->columns->system;
  const brink_flag *flag = &system->flags[h->flag];
  entry->t = event->t;
  entry->iteration = event->iteration;
  entry->direction = event->direction;
  entry->is_rule = flag->kind == BRINK_FLAG_RULE;
  entry->told = told;
  brink_moment before = {
      .t = event->t, .x = record->x_before, .p = record->p_before, .mode = record->mode_before};
  brink_moment after = {
      .t = event->t, .x = record->x_after, .p = record->p_after, .mode = record->mode_after};
  brink_system_flag_name(system, h->flag, h->index, &entry->flag);
  if (entry->flag.data == NULL) brink_text_append(&entry->flag, "", 0);
  if (journal->json) {
    write_head(journal, h, &before, entry);
    write_remarks(journal, h, &entry->tail);
  }
  if (entry->is_rule)
    keep_for_rule(journal, record, entry);
  else
    write_after(journal, flag, h->index, &before, &after, entry);
}

static void add_headline(brink_journal *journal, const brink_entry *entry) {
  brink_headline *headline = &journal->headline[journal->nheadlines++];
  *headline = (brink_headline){.t = entry->t, .direction = entry->direction};
  headline->flag.allocator = headline->changes.allocator = *allocator_of(journal);
  brink_text_append(&headline->flag, entry->flag.data, entry->flag.length);
  brink_text_append(&headline->changes, entry->changes.data, entry->changes.length);
  journal->failed = journal->failed || headline->flag.failed || headline->changes.failed;
}

static void settle_entry(brink_journal *journal, brink_entry *entry, const double *p,
                         const int *mode) {
  static const brink_flag everything; /* no pair: all states and modes */
  if (entry->is_rule && entry->x != NULL && entry->p != NULL && entry->mode != NULL) {
    brink_moment before = {.t = entry->t, .x = entry->x, .p = entry->p, .mode = entry->mode};
    brink_moment after = {.t = entry->t, .x = entry->x, .p = p, .mode = mode};
    write_after(journal, &everything, 0, &before, &after, entry);
  }
  journal->failed = journal->failed || entry->flag.failed || entry->head.failed ||
                    entry->after.failed || entry->tail.failed || entry->changes.failed;
  if (journal->failed) return;
  if (entry->told) add_headline(journal, entry);
  if (!journal->json) return;
  brink_text *text = &journal->events;
  brink_text_append(text, text->length > 0 ? ",\n  " : "\n  ", text->length > 0 ? 4 : 3);
  brink_text_append(text, entry->head.data, entry->head.length);
  brink_text_append(text, entry->after.data, entry->after.length);
  brink_text_append(text, entry->tail.data, entry->tail.length);
  journal->failed = text->failed;
}

void brink_journal_settle(brink_journal *journal, const double *p, const int *mode) {
  for (size_t k = 0; k < journal->nopen; k++) settle_entry(journal, &journal->open[k], p, mode);
  journal->nopen = 0;
}

/* ---- the rest ---- */

static void begin_item(brink_journal *journal, brink_text *text, uint32_t flag, size_t index) {
  brink_text name = {.allocator = text->allocator};
  brink_system_flag_name(journal->columns->system, flag, index, &name);
  brink_text_add(text, "%s{\"flag\":", text->length > 0 ? ",\n  " : "\n  ");
  brink_json_string(text, name.data != NULL ? name.data : "");
  text->failed = text->failed || name.failed;
  brink_text_free(&name);
}

void brink_journal_slide(brink_journal *journal, uint32_t flag, size_t index, double from,
                         double to) {
  if (journal->nslides++ < SLIDES_SHOWN) {
    brink_text *line = &journal->slides;
    brink_text_add(line, "  ");
    brink_system_flag_name(journal->columns->system, flag, index, line);
    brink_text_add(line, " from t = %.9g to %.9g\n", from, to);
  }
  if (!journal->json) return;
  brink_text *text = &journal->sliding;
  begin_item(journal, text, flag, index);
  brink_text_add(text, ",\"from\":");
  brink_json_real(text, from);
  brink_text_add(text, ",\"to\":");
  brink_json_real(text, to);
  brink_text_add(text, "}");
  journal->failed = journal->failed || text->failed;
}

void brink_journal_miss(brink_journal *journal, uint32_t flag, size_t index, double t, double value,
                        double tolerance) {
  journal->nmisses++;
  if (!journal->json) return;
  brink_text *text = &journal->misses;
  begin_item(journal, text, flag, index);
  brink_text_add(text, ",\"t\":");
  brink_json_real(text, t);
  brink_text_add(text, ",\"value\":");
  brink_json_real(text, value);
  brink_text_add(text, ",\"tolerance\":");
  brink_json_real(text, tolerance);
  brink_text_add(text, "}");
  journal->failed = journal->failed || text->failed;
}
