/* journal.c: events, slides and near misses, in order.
 *
 * Events are kept as JSON text, not as structures: a run may have millions. Only the first few are
 * kept for a person. An event is written down when its instant is over, because a rule acts after the
 * event that made its condition true. */
#include "record/journal_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CHANGES_SHOWN 4
#define WHOLE_STATE                                                                                \
  32 /* an event that concerns more values is written with those that it changed */

void brink_journal_init(brink_journal *journal, const brink_columns *columns, size_t nx,
                        bool json) {
  *journal = (brink_journal){.columns = columns, .nx = nx, .json = json};
  const brink_allocator allocator = columns->arena.allocator;
  journal->events.allocator = journal->sliding.allocator = journal->misses.allocator = allocator;
  journal->slides.allocator = journal->near.allocator = journal->closest.allocator = allocator;
  journal->structures.allocator = journal->indices.allocator = allocator;
  journal->room.allocator = allocator;
}

static const brink_allocator *allocator_of(const brink_journal *journal) {
  return &journal->columns->arena.allocator;
}

static void free_entry(brink_journal *journal, brink_entry *entry) {
  const brink_system *system = journal->columns->system;
  const brink_allocator *allocator = allocator_of(journal);
  brink_text_free(&entry->name);
  brink_text_free(&entry->head);
  brink_text_free(&entry->values);
  brink_text_free(&entry->notes);
  brink_text_free(&entry->details);
  brink_text_free(&entry->changes);
  brink_release(allocator, entry->x, journal->nx, sizeof(double));
  brink_release(allocator, entry->p, system->np, sizeof(double));
  brink_release(allocator, entry->mode, system->nmodes, sizeof(int));
  brink_release(allocator, entry->before_x, journal->nx, sizeof(double));
  brink_release(allocator, entry->was, entry->was_capacity, sizeof(double));
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
  brink_text_free(&journal->near);
  brink_text_free(&journal->closest);
  brink_text_free(&journal->structures);
  brink_text_free(&journal->indices);
  brink_release(allocator_of(journal), journal->impulse, journal->columns->system->nz,
                sizeof(double));
  brink_text_free(&journal->room);
  *journal = (brink_journal){0};
}

bool brink_journal_wants(const brink_system *system, uint32_t flag, brink_direction direction) {
  if (system->flags[flag].silent) return false;
  switch (system->flags[flag].kind) {
  case BRINK_FLAG_DECLARED:
  case BRINK_FLAG_GENERATED:
  case BRINK_FLAG_TIMER:
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
  const brink_moment *moment, *before; /* before: for changes; NULL: `was` */
  double *was;                         /* values before, in the order of the visit … */
  size_t at;                           /* … which is here */
  brink_text *text;
  size_t seen;
  void (*visit)(visitor *self, const brink_tracked *tracked, size_t element);
};

static void visit_elements(visitor *v, const brink_tracked *tracked, size_t first, size_t count) {
  for (size_t e = first; e < first + count; e++, v->at++) v->visit(v, tracked, e);
}

/* All states and modes, or those of the agents that it is about. */
static void visit_participants(visitor *v, const brink_participants *participants) {
  const brink_columns *columns = v->journal->columns;
  for (size_t k = 0; participants->count == 0 && k < columns->nheld; k++)
    visit_elements(v, &columns->tracked[k], 0, columns->tracked[k].count);
  for (size_t one = 0; one < participants->count; one++) {
    for (size_t k = 0; k < columns->nheld; k++) {
      size_t first, count;
      if (brink_variable_of(columns->system, columns->tracked[k].variable, participants->group[one],
                            participants->instance[one], &first, &count))
        visit_elements(v, &columns->tracked[k], first, count);
    }
  }
}

brink_participants brink_participants_of(const brink_flag *flag, size_t index) {
  brink_participants participants = {.count = flag->is_pair ? 2 : 0};
  for (size_t side = 0; side < participants.count; side++) {
    participants.group[side] = flag->partner_group[side];
    participants.instance[side] = flag->partner[side][index];
  }
  return participants;
}

static double value_now(const visitor *v, const brink_tracked *tracked, size_t element) {
  return brink_columns_value(v->journal->columns, tracked, element, v->moment);
}

static double value_before(const visitor *v, const brink_tracked *tracked, size_t element) {
  if (v->before == NULL) return v->was[v->at];
  return brink_columns_value(v->journal->columns, tracked, element, v->before);
}

static void write_named(visitor *v, const brink_tracked *tracked, size_t element, double value) {
  const brink_columns *columns = v->journal->columns;
  if (v->seen++ > 0) brink_text_append(v->text, ",", 1);
  brink_json_string(v->text, brink_columns_name(columns, tracked, element, &v->journal->room));
  brink_text_append(v->text, ":", 1);
  brink_json_value(v->text, columns->system, tracked->as->type, value);
}

static void write_member(visitor *v, const brink_tracked *tracked, size_t element) {
  write_named(v, tracked, element, value_now(v, tracked, element));
}

static void write_state(visitor *v, const brink_tracked *tracked, size_t element) {
  if (tracked->as->kind != BRINK_VARIABLE_MODE)
    write_named(v, tracked, element, value_before(v, tracked, element));
}

static bool is_changed(const visitor *v, const brink_tracked *tracked, size_t element) {
  double before = value_before(v, tracked, element), after = value_now(v, tracked, element);
  return before < after || before > after || isnan(before) != isnan(after);
}

static void write_changed_state(visitor *v, const brink_tracked *tracked, size_t element) {
  if (is_changed(v, tracked, element)) write_state(v, tracked, element);
}

static void write_changed_member(visitor *v, const brink_tracked *tracked, size_t element) {
  if (is_changed(v, tracked, element)) write_member(v, tracked, element);
}

static void write_changed_name(visitor *v, const brink_tracked *tracked, size_t element) {
  if (!is_changed(v, tracked, element)) return;
  if (v->seen++ > 0) brink_text_append(v->text, ",", 1);
  brink_json_string(v->text,
                    brink_columns_name(v->journal->columns, tracked, element, &v->journal->room));
}

static void count_one(visitor *v, const brink_tracked *tracked, size_t element) {
  (void)v, (void)tracked, (void)element; /* v->at goes on */
}

static void keep_value(visitor *v, const brink_tracked *tracked, size_t element) {
  v->was[v->at] = value_now(v, tracked, element);
}

static void write_change(visitor *v, const brink_tracked *tracked, size_t element) {
  const brink_columns *columns = v->journal->columns;
  if (!is_changed(v, tracked, element)) return;
  double after = value_now(v, tracked, element);
  if (v->seen < CHANGES_SHOWN) {
    brink_text_add(v->text, "%s%s = ", v->text->length > 0 ? ", " : "",
                   brink_columns_name(columns, tracked, element, &v->journal->room));
    if (tracked->as->type == BRINK_VALUE_REAL)
      brink_text_add(v->text, "%.6g", after);
    else
      brink_value_text(columns->system, tracked->as->type, after, v->text);
  } else if (v->seen == CHANGES_SHOWN) {
    brink_text_add(v->text, ", …");
  }
  v->seen++;
}

/* ---- events ---- */

brink_entry *brink_journal_new_entry(brink_journal *journal) {
  if (journal->nopen == journal->open_capacity) {
    const brink_allocator *allocator = allocator_of(journal);
    size_t larger = journal->open_capacity == 0 ? 4 : 2 * journal->open_capacity;
    brink_entry *moved = brink_allocate(allocator, larger, sizeof *moved);
    if (moved == NULL) return NULL;
    if (journal->nopen > 0) memcpy(moved, journal->open, journal->nopen * sizeof *moved);
    brink_release(allocator, journal->open, journal->open_capacity, sizeof *moved);
    for (size_t k = journal->nopen; k < larger; k++) {
      brink_entry *e = &moved[k];
      e->name.allocator = e->head.allocator = e->values.allocator = *allocator;
      e->notes.allocator = e->changes.allocator = e->details.allocator = *allocator;
    }
    journal->open = moved;
    journal->open_capacity = larger;
  }
  brink_entry *entry = &journal->open[journal->nopen++];
  entry->name.length = entry->head.length = entry->values.length = 0;
  entry->notes.length = entry->changes.length = entry->details.length = 0;
  entry->judged = false;
  return entry;
}

/* ["label",1.0],… into the entry. */
static void write_notes(brink_journal *journal, const brink_log_note *notes, size_t count,
                        brink_text *text) {
  for (size_t k = 0; k < count; k++) {
    brink_text_add(text, "%s[", text->length > 0 ? "," : "");
    brink_json_string(text, notes[k].label);
    for (size_t j = 0; j < notes[k].nvalues; j++) {
      brink_text_append(text, ",", 1);
      brink_json_value(text, journal->columns->system, notes[k].types[j], notes[k].values[j]);
    }
    brink_text_append(text, "]", 1);
  }
}

/* The expression that the compiler made a flag of, beside its stable name. */
static void write_text(const brink_flag *flag, brink_text *text) {
  if (flag->text == NULL) return;
  brink_text_add(text, ",\"text\":");
  brink_json_string(text, flag->text);
}

/* As the model counts time. */
static double outside(const brink_journal *journal, double t) {
  return brink_system_time(journal->columns->system, t);
}

/* {"t":4.0,"flag":"empty","direction":"negative" */
static void write_head(brink_journal *journal, brink_entry *entry) {
  const brink_system *system = journal->columns->system;
  const brink_flag *flag = &system->flags[entry->flag];
  brink_text *text = &entry->head;
  brink_text_add(text, "{\"t\":");
  brink_json_real(text, outside(journal, entry->t));
  brink_text_add(text, ",\"flag\":");
  brink_json_string(text, entry->name.data);
  brink_text_add(text, ",\"direction\":\"%s\"",
                 entry->direction == BRINK_NEGATIVE ? "negative" : "positive");
  if (flag->kind == BRINK_FLAG_GENERATED) brink_text_add(text, ",\"generated\":true");
  write_text(flag, text);
  if (flag->is_pair) {
    brink_text_add(text, ",\"agents\":");
    brink_json_agents(text, system, &entry->participants);
  }
}

static void visit_with(visitor *v, const brink_entry *entry,
                       void (*visit)(visitor *self, const brink_tracked *tracked, size_t element)) {
  v->visit = visit;
  v->seen = v->at = 0;
  visit_participants(v, &entry->participants);
}

size_t brink_journal_concerns(brink_journal *journal, const brink_entry *entry) {
  visitor v = {.journal = journal};
  visit_with(&v, entry, count_one);
  return v.at;
}

/* The values that the event concerns, as they are before it. False: out of memory. */
static bool keep_values(brink_journal *journal, const brink_moment *before, brink_entry *entry) {
  const brink_allocator *allocator = allocator_of(journal);
  visitor v = {.journal = journal, .moment = before};
  entry->nwas = brink_journal_concerns(journal, entry);
  if (entry->nwas > entry->was_capacity) {
    brink_release(allocator, entry->was, entry->was_capacity, sizeof *entry->was);
    entry->was = brink_allocate(allocator, entry->nwas, sizeof *entry->was);
    entry->was_capacity = entry->was != NULL ? entry->nwas : 0;
    journal->failed = journal->failed || entry->was == NULL;
  }
  v.was = entry->was;
  if (entry->nwas <= entry->was_capacity) visit_with(&v, entry, keep_value);
  return entry->nwas <= entry->was_capacity;
}

/* ,"state":{"h":1e-06},"after":{"h":1e-06,"phase":"empty"},"changed":["phase"], compared with what was before the
 * event, in place of what is there. An event that concerns many values has those that it changed. */
static void write_values(brink_journal *journal, const brink_moment *after, brink_entry *entry) {
  visitor v = {.journal = journal, .moment = after, .was = entry->was, .text = &entry->values};
  bool whole = journal->states || entry->nwas <= WHOLE_STATE;
  v.text->length = 0;
  brink_text_add(v.text, ",\n   \"state\":{");
  visit_with(&v, entry, whole ? write_state : write_changed_state);
  brink_text_add(v.text, "},\n   \"after\":{");
  visit_with(&v, entry, whole ? write_member : write_changed_member);
  brink_text_add(v.text, "},\"changed\":[");
  visit_with(&v, entry, write_changed_name);
  brink_text_add(v.text, "]");
}

static void write_after(brink_journal *journal, const brink_moment *before,
                        const brink_moment *after, brink_entry *entry) {
  bool kept = entry->nwas <= entry->was_capacity;
  if (journal->json && kept) write_values(journal, after, entry);
  if (!entry->detailed) return;
  visitor v = {.journal = journal, .moment = after, .before = before, .text = &entry->changes};
  visit_with(&v, entry, write_change);
}

static void *keep(brink_journal *journal, void *room, const void *from, size_t count, size_t size) {
  if (room == NULL) room = brink_allocate(allocator_of(journal), count, size);
  if (room == NULL)
    journal->failed = true;
  else if (count > 0)
    memcpy(room, from, count * size);
  return room;
}

/* What the end of the round, or what constraints do, will be compared with. */
static bool keep_before(brink_journal *journal, const brink_event_record *record,
                        brink_entry *entry) {
  const brink_system *system = journal->columns->system;
  entry->p = keep(journal, entry->p, record->p_before, system->np, sizeof(double));
  entry->mode = keep(journal, entry->mode, record->mode_before, system->nmodes, sizeof(int));
  if (system->nz > 0)
    entry->before_x = keep(journal, entry->before_x, record->x_before, journal->nx, sizeof(double));
  return entry->p != NULL && entry->mode != NULL && (system->nz == 0 || entry->before_x != NULL);
}

static void wait_for_rule(brink_journal *journal, const brink_event_record *record,
                          brink_entry *entry) {
  entry->x = keep(journal, entry->x, record->x_after, journal->nx, sizeof(double));
  entry->waits = keep_before(journal, record, entry) && entry->x != NULL;
}

/* May a rule, whose flag came to zero, have fired? One whose condition stays on its surface does not hold when the
 * rules have run, and has changed nothing. (One that fired may have made its own condition false.) */
static bool may_have_fired(const brink_system *system, const brink_entry *entry, const double *p,
                           const int *mode) {
  if (memcmp(entry->p, p, system->np * sizeof *p) != 0 ||
      memcmp(entry->mode, mode, system->nmodes * sizeof *mode) != 0)
    return true;
  for (size_t r = 0; r < system->nrules; r++) {
    const brink_rule *rule = &system->rules[r];
    if (rule->flag == entry->flag) return mode[rule->was + entry->index] != 0;
  }
  return true;
}

static void drop_entry(brink_journal *journal, size_t which) {
  brink_entry dropped = journal->open[which]; /* its texts are used again */
  for (size_t k = which + 1; k < journal->nopen; k++) journal->open[k - 1] = journal->open[k];
  journal->open[--journal->nopen] = dropped;
  journal->nevents--;
}

/* The rules have run: p and mode are what they left. */
static void finish_waiting(brink_journal *journal, const double *p, const int *mode) {
  for (size_t k = 0; k < journal->nopen; k++) {
    brink_entry *entry = &journal->open[k];
    if (!entry->waits) continue;
    entry->waits = false;
    if (!may_have_fired(journal->columns->system, entry, p, mode)) {
      drop_entry(journal, k--);
      continue;
    }
    const double *x = entry->before_x != NULL ? entry->before_x : entry->x;
    brink_moment before = {.t = entry->t, .x = x, .p = entry->p, .mode = entry->mode};
    brink_moment after = {.t = entry->t, .x = entry->x, .p = p, .mode = mode};
    write_after(journal, &before, &after, entry);
  }
}

static brink_moment before_of(const brink_event_record *record) {
  return (brink_moment){.t = record->event.t,
                        .x = record->x_before,
                        .p = record->p_before,
                        .mode = record->mode_before};
}

static brink_moment after_of(const brink_event_record *record) {
  return (brink_moment){
      .t = record->event.t, .x = record->x_after, .p = record->p_after, .mode = record->mode_after};
}

/* The state came to rest on a surface: what happened then belongs to the event that brought it
 * there. (At the start there is none: that is told as a slide.) */
static void extend_entry(brink_journal *journal, const brink_event_input *h) {
  for (size_t k = journal->nopen; k-- > 0;) {
    brink_entry *entry = &journal->open[k];
    if (entry->flag != h->flag || entry->index != h->index) continue;
    brink_moment before = before_of(h->record), after = after_of(h->record);
    write_after(journal, &before, &after, entry);
    if (journal->json) write_notes(journal, h->notes, h->nnotes, &entry->notes);
    return;
  }
}

static void open_entry(brink_journal *journal, const brink_event_input *h) {
  const brink_event *event = &h->record->event;
  const brink_system *system = journal->columns->system;
  size_t number = journal->nevents++;
  bool headline = number < BRINK_HEADLINES;
  if (!headline && !journal->json && journal->listen == NULL) return;
  brink_entry *entry = brink_journal_new_entry(journal);
  if (entry == NULL) {
    journal->failed = true;
    return;
  }
  entry->t = event->t;
  entry->iteration = event->iteration;
  entry->direction = event->direction;
  entry->flag = h->flag;
  entry->index = h->index;
  entry->participants = h->participants;
  entry->row = h->row;
  entry->headline = headline;
  entry->detailed = headline || number < journal->detailed;
  entry->waits = false;
  brink_moment before = before_of(h->record), after = after_of(h->record);
  brink_system_flag_name(system, h->flag, h->index, &entry->name);
  brink_text_append(&entry->name, "", 0); /* never NULL, unless it failed */
  if (entry->name.failed) {
    journal->failed = true;
    return;
  }
  if (journal->json) {
    write_head(journal, entry);
    write_notes(journal, h->notes, h->nnotes, &entry->notes);
    if (!keep_values(journal, &before, entry)) return;
  }
  if (system->flags[h->flag].kind == BRINK_FLAG_RULE)
    wait_for_rule(journal, h->record, entry);
  else
    write_after(journal, &before, &after, entry);
  if (system->nz > 0) keep_before(journal, h->record, entry);
}

void brink_journal_event(brink_journal *journal, const brink_event_input *h) {
  const brink_event_record *record = h->record;
  if (journal->nopen > 0) {
    const brink_entry *last = &journal->open[journal->nopen - 1];
    if (last->t != record->event.t)
      brink_journal_settle(journal, record->p_before, record->mode_before, NULL, 0);
    else if (last->iteration < record->event.iteration)
      finish_waiting(journal, record->p_before, record->mode_before);
  }
  if (record->event.kind == BRINK_HELD)
    extend_entry(journal, h);
  else
    open_entry(journal, h);
}

/* ---- constraints ---- */

static void add_impulses(brink_journal *journal, const double *impulse) {
  size_t nz = journal->columns->system->nz;
  if (impulse == NULL) return;
  if (journal->impulse == NULL)
    journal->impulse = brink_allocate(allocator_of(journal), nz, sizeof *journal->impulse);
  if (journal->impulse == NULL) {
    journal->failed = true;
    return;
  }
  if (!journal->has_impulse) memset(journal->impulse, 0, nz * sizeof *journal->impulse);
  for (size_t k = 0; k < nz; k++) journal->impulse[k] += impulse[k];
  journal->has_impulse = true;
}

void brink_journal_transfer(brink_journal *journal, const brink_transfer_record *record,
                            const double *p, const int *mode) {
  brink_entry *last = journal->nopen > 0 ? &journal->open[journal->nopen - 1] : NULL;
  if (last == NULL || last->t != record->t || last->before_x == NULL) return;
  if (last->p == NULL || last->mode == NULL) return; /* there was no memory for them */
  add_impulses(journal, record->impulse);
  if (last->waits) {
    memcpy(last->x, record->x_after, journal->nx * sizeof *last->x);
    return;
  }
  brink_moment before = {.t = last->t, .x = last->before_x, .p = last->p, .mode = last->mode};
  brink_moment after = {.t = last->t, .x = record->x_after, .p = p, .mode = mode};
  last->changes.length = 0;
  write_after(journal, &before, &after, last);
}

/* ---- the end of an instant ---- */

/* Of a pair: which one. */
static void add_partners(const brink_journal *journal, const brink_entry *entry, brink_text *text) {
  const brink_system *system = journal->columns->system;
  const brink_flag *flag = &system->flags[entry->flag];
  brink_participants both = entry->participants;
  if (both.count == 0 && flag->is_pair) both = brink_participants_of(flag, entry->index);
  if (both.count != 2) return;
  for (size_t side = 0; side < 2; side++) {
    brink_text_add(text, side == 0 ? " (" : ", ");
    brink_system_instance_name(system, both.group[side], both.instance[side], text);
  }
  brink_text_add(text, ")");
}

static void add_headline(brink_journal *journal, const brink_entry *entry) {
  if (journal->nheadlines == BRINK_HEADLINES)
    return; /* a journal that was read may count otherwise */
  brink_headline *headline = &journal->headline[journal->nheadlines++];
  *headline = (brink_headline){.t = outside(journal, entry->t), .direction = entry->direction};
  headline->flag.allocator = headline->changes.allocator = *allocator_of(journal);
  brink_system_flag_label(journal->columns->system, entry->flag, entry->index, &headline->flag);
  add_partners(journal, entry, &headline->flag);
  brink_text_append(&headline->changes, entry->changes.data, entry->changes.length);
  journal->failed = journal->failed || headline->flag.failed || headline->changes.failed;
}

/* The impulses of an instant belong to its last event. */
static bool has_impulse(const brink_journal *journal, const brink_entry *entry) {
  return journal->has_impulse && entry == &journal->open[journal->nopen - 1];
}

static void call_listener(brink_journal *journal, const brink_entry *entry) {
  brink_logged_event logged = {.t = outside(journal, entry->t),
                               .flag = entry->flag,
                               .index = entry->index,
                               .participants = &entry->participants,
                               .name = entry->name.data,
                               .direction = entry->direction,
                               .row = entry->row,
                               .changes = entry->changes.length > 0 ? entry->changes.data : "",
                               .impulse = has_impulse(journal, entry) ? journal->impulse : NULL,
                               .condition = entry->judged ? entry->condition : (double)NAN};
  journal->listen(&logged, journal->listener);
}

/* The event is complete, and goes to its place. */
static void close_entry(brink_journal *journal, const brink_entry *entry) {
  journal->failed = journal->failed || entry->name.failed || entry->head.failed ||
                    entry->values.failed || entry->notes.failed || entry->changes.failed ||
                    entry->details.failed;
  if (journal->failed) return;
  if (entry->headline) add_headline(journal, entry);
  if (journal->listen != NULL) call_listener(journal, entry);
  if (!journal->json) return;
  brink_text *text = &journal->events;
  brink_text_add(text, "%s", text->length > 0 ? ",\n  " : "\n  ");
  brink_text_append(text, entry->head.data, entry->head.length);
  brink_text_append(text, entry->values.data, entry->values.length);
  if (has_impulse(journal, entry)) {
    brink_text_add(text, ",\n   \"impulse\":");
    brink_journal_impulses(journal, text);
  }
  bool notes = entry->notes.length > 0;
  brink_text_add(text, ",\"condition\":");
  if (entry->judged && !isnan(entry->condition))
    brink_json_real(text, entry->condition);
  else
    brink_text_add(text, "null");
  if (entry->details.length > 0)
    brink_text_add(text, ",\n   \"conditioning\":%s,\n   ", entry->details.data);
  else
    brink_text_add(text, ",");
  brink_text_add(text, "\"note\":%s", notes ? "[" : "null}");
  brink_text_append(text, entry->notes.data, entry->notes.length);
  if (notes) brink_text_append(text, "]}", 2);
  journal->failed = journal->failed || text->failed;
}

void brink_journal_settle(brink_journal *journal, const double *p, const int *mode,
                          const brink_log_note *notes, size_t nnotes) {
  if (journal->nopen == 0) return;
  finish_waiting(journal, p, mode);
  if (journal->json && journal->nopen > 0)
    write_notes(journal, notes, nnotes, &journal->open[journal->nopen - 1].notes);
  for (size_t k = 0; k < journal->nopen; k++) close_entry(journal, &journal->open[k]);
  journal->nopen = 0;
  journal->has_impulse = false;
}

/* ---- the rest ---- */

static void begin_item(brink_journal *journal, brink_text *text, uint32_t flag, size_t index) {
  brink_text name = {.allocator = text->allocator};
  brink_system_flag_name(journal->columns->system, flag, index, &name);
  brink_text_add(text, "%s{\"flag\":", text->length > 0 ? ",\n  " : "\n  ");
  brink_json_string(text, name.data != NULL ? name.data : "");
  write_text(&journal->columns->system->flags[flag], text);
  text->failed = text->failed || name.failed;
  brink_text_free(&name);
}

void brink_journal_slide(brink_journal *journal, uint32_t flag, size_t index, double first,
                         double last) {
  double from = fmin(outside(journal, first), outside(journal, last));
  double to = fmax(outside(journal, first), outside(journal, last));
  if (journal->nslides++ < BRINK_HEADLINES) {
    brink_text *line = &journal->slides;
    brink_text_add(line, "  %-14.10g  %-14.10g  ", from, to);
    brink_system_flag_label(journal->columns->system, flag, index, line);
    brink_text_add(line, "\n");
  }
  if (!journal->json && journal->nslides > journal->listed) return;
  brink_text *text = &journal->sliding;
  begin_item(journal, text, flag, index);
  brink_text_add(text, ",\"from\":");
  brink_json_real(text, from);
  brink_text_add(text, ",\"to\":");
  brink_json_real(text, to);
  brink_text_add(text, "}");
  journal->failed = journal->failed || text->failed;
}

void brink_journal_miss(brink_journal *journal, uint32_t flag, size_t index,
                        const brink_near_miss *miss) {
  if (journal->nmisses++ < BRINK_HEADLINES) {
    brink_text *line = &journal->near;
    brink_text_add(line, "  %-14.10g  %-13.6g  ", outside(journal, miss->t), miss->value);
    if (isnan(miss->distance))
      brink_text_add(line, "%-13s  ", "-"); /* the guard is flat there */
    else
      brink_text_add(line, "%-13.6g  ", miss->distance);
    brink_system_flag_label(journal->columns->system, flag, index, line);
    brink_text_add(line, "\n");
  }
  if (!journal->json && journal->nmisses > journal->listed) return;
  brink_text *text = &journal->misses;
  begin_item(journal, text, flag, index);
  brink_text_add(text, ",\"t\":");
  brink_json_real(text, outside(journal, miss->t));
  brink_text_add(text, ",\"value\":");
  brink_json_real(text, miss->value);
  brink_text_add(text, ",\"tolerance\":");
  brink_json_real(text, miss->tolerance);
  brink_text_add(text, ",\"distance\":");
  brink_json_real(text, miss->distance);
  brink_text_add(text, "}");
  journal->failed = journal->failed || text->failed;
}

/* ---- conditions ---- */

void brink_journal_condition(brink_journal *journal, uint32_t flag, size_t index, double condition,
                             const char *details) {
  for (size_t k = 0; k < journal->nopen; k++) {
    brink_entry *entry = &journal->open[k];
    if (entry->judged || entry->flag != flag || entry->index != index) continue;
    entry->judged = true;
    entry->condition = condition;
    if (details != NULL && journal->json)
      brink_text_append(&entry->details, details, strlen(details));
    return;
  }
}

void brink_journal_closest(brink_journal *journal, uint32_t flag, size_t index,
                           const char *members) {
  if (!journal->json) return;
  begin_item(journal, &journal->closest, flag, index);
  brink_text_add(&journal->closest, ",%s}", members);
  journal->failed = journal->failed || journal->closest.failed;
}
