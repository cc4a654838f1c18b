/* messages.c: diagnostics as callers of the library see them. */
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

/* Item k of the compiler's report, which is sorted. */
static brink_hsml_message message_of(brink_hsml *model, size_t k) {
  const brink_unit *unit = model->unit;
  brink_report_entry entry;
  brink_text text = {0};
  brink_report_read(unit, k, &entry);
  brink_report_render(unit, &unit->items[k], &text);
  const char *rendered = text.data != NULL ? brink_arena_text(&model->arena, text.data) : NULL;
  brink_text_free(&text);
  return (brink_hsml_message){.code = entry.code,
                              .severity = entry.severity,
                              .file = entry.file,
                              .line = entry.line,
                              .column = entry.column,
                              .length = entry.length,
                              .arguments = entry.arguments,
                              .narguments = entry.narguments,
                              .text = entry.message,
                              .hint = entry.hint,
                              .rendered = rendered != NULL ? rendered : entry.message};
}

static bool list_report(brink_hsml *model) {
  brink_unit *unit = model->unit;
  model->nmessages = 0;
  model->messages =
      brink_arena_take(&model->arena, unit->nitems + model->nextra + 1, sizeof *model->messages);
  if (model->messages == NULL) return false;
  brink_report_sort(unit);
  for (size_t k = 0; k < unit->nitems; k++)
    model->messages[model->nmessages++] = message_of(model, k);
  for (size_t k = 0; k < model->nextra; k++) model->messages[model->nmessages++] = model->extra[k];
  return true;
}

size_t brink_hsml_messages(brink_hsml *model, const brink_hsml_message **messages) {
  if (messages == NULL) return 0;
  *messages = NULL;
  if (model == NULL || (model->messages == NULL && !list_report(model))) return 0;
  *messages = model->messages;
  return model->nmessages;
}
