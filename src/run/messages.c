/* messages.c: diagnostics as callers of the library see them. */
#include <string.h>

#include "run/hsml.h"

void brink_hsml_forget_messages(brink_hsml *model) {
  model->messages = NULL;
  model->nmessages = 0;
  model->nextra = 0;
}

void brink_hsml_complain(brink_hsml *model, const char *code, const char *file, size_t line,
                         const char *text) {
  brink_text rendered = {0};
  brink_arena *arena = &model->arena;
  brink_hsml_message *message =
      brink_arena_push(arena, model->extra, model->nextra, model->extra_capacity);
  if (message == NULL) return;
  brink_text_add(&rendered, "%s:%zu: error: %s\n", file, line, text);
  *message = (brink_hsml_message){.code = code,
                                  .severity = BRINK_ERROR,
                                  .file = brink_arena_text(arena, file),
                                  .line = (uint32_t)line,
                                  .text = brink_arena_text(arena, text)};
  message->rendered = rendered.data != NULL ? brink_arena_text(arena, rendered.data) : NULL;
  brink_text_free(&rendered);
  if (arena->failed || message->rendered == NULL) model->nextra--; /* the diagnostic has it, too */
  model->messages = NULL;
}

/* One item of the compiler's report. */
static brink_hsml_message message_of(brink_hsml *model, const brink_report_item *item) {
  const brink_unit *unit = model->unit;
  const brink_place *place = &item->place;
  brink_text text = {0};
  brink_report_render(unit, item, &text);
  const char *rendered = text.data != NULL ? brink_arena_text(&model->arena, text.data) : NULL;
  brink_text_free(&text);
  return (brink_hsml_message){.code = "",
                              .severity = item->severity,
                              .file =
                                  place->file < unit->nfiles ? unit->files[place->file].path : NULL,
                              .line = place->line,
                              .column = place->column,
                              .length = place->length,
                              .text = item->message,
                              .hint = item->hint,
                              .rendered = rendered != NULL ? rendered : item->message};
}

/* In the order of the text. The report itself stays in the order in which it was found: building takes the newest
 * items away again. */
static bool list_report(brink_hsml *model) {
  brink_unit *unit = model->unit;
  size_t count = unit->nitems;
  brink_report_item *found = brink_arena_copy(&model->arena, unit->items, count, sizeof *found);
  model->messages =
      brink_arena_take(&model->arena, count + model->nextra + 1, sizeof *model->messages);
  if (model->messages == NULL || found == NULL) return false;
  brink_report_sort(unit);
  for (size_t k = 0; k < count; k++) model->messages[k] = message_of(model, &unit->items[k]);
  if (count > 0) memcpy(unit->items, found, count * sizeof *found);
  model->nmessages = count;
  return true;
}

size_t brink_hsml_messages(brink_hsml *model, const brink_hsml_message **messages) {
  *messages = NULL;
  if (model == NULL) return 0;
  if (model->messages == NULL) {
    if (!list_report(model)) {
      model->messages = NULL;
      return 0;
    }
    for (size_t k = 0; k < model->nextra; k++)
      model->messages[model->nmessages++] = model->extra[k];
  }
  *messages = model->messages;
  return model->nmessages;
}
