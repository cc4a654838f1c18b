/* instance_archive.c: what callbacks remember of a run, to bytes and back (base/archive.h): the list of instance_copy.c. */
#include <string.h>

#include "native/instance.h"

/* A label belongs to the system; one that was read belongs to the instance. */
static void archive_label(brink_instance *instance, const char **label, brink_archive *a) {
  brink_text text = {0};
  if (!a->reads) brink_text_append(&text, *label, strlen(*label));
  brink_archive_text(a, &text);
  if (a->reads && !a->failed) {
    *label = brink_arena_text(&instance->arena, text.data != NULL ? text.data : "");
    if (*label == NULL) brink_archive_no_memory(a);
  }
  brink_text_free(&text);
}

/* Values of all notes are one behind another. */
static void archive_notes(brink_instance *instance, brink_archive *a) {
  brink_notebook *book = &instance->notes;
  size_t used = 0;
  brink_archive_mark(a, "notes");
  brink_archive_count(a, &book->count, book->capacity);
  brink_archive_count(a, &book->nvalues, book->values_capacity);
  for (size_t k = 0; k < book->nvalues; k++) {
    brink_note_value *value = &book->values[k];
    value->type = (brink_value_type)brink_archive_enum(a, (int)value->type, BRINK_VALUE_REAL,
                                                       BRINK_VALUE_STRING);
    brink_archive_double(a, &value->value);
  }
  for (size_t k = 0; k < book->count && !a->failed; k++) {
    brink_note *note = &book->notes[k];
    archive_label(instance, &note->label, a);
    brink_archive_count(a, &note->nvalues, book->nvalues - used);
    if (a->reads) note->values = book->values + used;
    used += note->nvalues;
  }
  if (a->failed && a->reads) book->count = book->nvalues = 0;
}

static void archive_warnings(brink_instance *instance, brink_archive *a) {
  brink_archive_mark(a, "warnings");
  brink_archive_count(a, &instance->nwarnings, instance->options.range_warns ? BRINK_WARNINGS : 0);
  brink_archive_count(a, &instance->dropped_warnings, SIZE_MAX / 4);
  for (size_t k = 0; k < instance->nwarnings; k++) {
    brink_warning *warning = &instance->warnings[k];
    brink_archive_double(a, &warning->t);
    brink_archive_u32(a, &warning->variable);
    brink_archive_count(a, &warning->element, SIZE_MAX / 4);
    brink_archive_chars(a, warning->text, sizeof warning->text);
    brink_archive_check(a, warning->variable < instance->system->nvariables);
    instance->warning_texts[k] = warning->text;
  }
}

static void archive_calls(brink_instance *instance, brink_archive *a) {
  brink_archive_same(a, instance->calls != NULL);
  for (size_t k = 0; instance->calls != NULL && k < instance->system->nexternals; k++) {
    brink_time_calls *calls = &instance->calls[k];
    brink_archive_bool(a, &calls->known);
    brink_archive_double(a, &calls->t);
    brink_archive_double(a, &calls->u);
    brink_archive_bool(a, &calls->failed);
    brink_archive_int(a, &calls->code, INT32_MIN, INT32_MAX);
    brink_archive_double(a, &calls->failed_t);
    brink_archive_bool(a, &calls->undefined);
    brink_archive_double(a, &calls->undefined_t);
    brink_archive_double(a, &calls->undefined_u);
  }
}

void brink_instance_archive(brink_instance *instance, brink_archive *a) {
  const brink_system *system = instance->system;
  brink_archive_mark(a, "instance");
  brink_archive_bool(a, &instance->rest.any);
  brink_archive_bools(a, instance->rest.state, system->nx);
  for (size_t k = 0; k < instance->room.fired; k++) brink_archive_u32(a, &instance->fired[k]);
  brink_archive_doubles(a, instance->tick_time, system->nclocks);
  brink_archive_double(a, &instance->rules_time);
  brink_archive_bool(a, &instance->doubts);
  brink_archive_bools(a, instance->doubted, system->nguards);
  archive_calls(instance, a);
  archive_notes(instance, a);
  archive_warnings(instance, a);
  instance->ending = (brink_ending)brink_archive_enum(a, (int)instance->ending, BRINK_ENDING_NONE,
                                                      BRINK_ENDING_RULES);
  brink_archive_chars(a, instance->message, sizeof instance->message);
  if (a->reads) instance->seen.valid = false;
}
