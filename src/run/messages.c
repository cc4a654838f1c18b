/* messages.c: diagnostics as callers of the library see them. */
#include "base/show.h"
#include "run/hsml.h"

void brink_hsml_forget_messages(brink_hsml *model) {
  brink_arena_free(&model->said);
  model->messages = model->extra = NULL;
  model->nmessages = model->nextra = model->extra_capacity = 0;
}

bool brink_hsml_message_make(brink_arena *arena, brink_severity severity, const char *code,
                             const char *file, size_t line, size_t column, const char *text,
                             brink_hsml_message *message) {
  brink_text rendered = {0}, words = {0};
  brink_text_show_message(&words, text);
  brink_text_show_message(&rendered, file);
  brink_text_add(&rendered, ":%zu:", line);
  if (column > 0) brink_text_add(&rendered, "%zu:", column);
  brink_text_add(&rendered, " %s: %s\n", severity == BRINK_ERROR ? "error" : "warning",
                 words.data != NULL ? words.data : "");
  *message =
      (brink_hsml_message){.code = code,
                           .severity = severity,
                           .file = brink_arena_text(arena, file),
                           .line = (uint32_t)line,
                           .column = (uint32_t)column,
                           .text = brink_arena_text(arena, words.data != NULL ? words.data : "")};
  message->rendered = rendered.data != NULL ? brink_arena_text(arena, rendered.data) : NULL;
  bool complete = !rendered.failed && !words.failed;
  brink_text_free(&rendered);
  brink_text_free(&words);
  return complete && !arena->failed && message->rendered != NULL;
}

void brink_hsml_complain(brink_hsml *model, const char *code, const char *file, size_t line,
                         size_t column, const char *text) {
  brink_arena *arena = &model->said;
  brink_hsml_message *message =
      brink_arena_push(arena, model->extra, model->nextra, model->extra_capacity);
  if (message == NULL) return;
  if (!brink_hsml_message_make(arena, BRINK_ERROR, code, file, line, column, text, message))
    model->nextra--; /* the diagnostic has it, too */
  model->messages = NULL;
}

/* Item k of the compiler's report, which is sorted. */
static brink_hsml_message message_of(brink_hsml *model, size_t k) {
  const brink_unit *unit = model->unit;
  brink_report_entry entry;
  brink_text text = {0};
  brink_report_read(unit, k, &entry);
  brink_report_render(unit, &unit->items[k], &text);
  const char *rendered = text.data != NULL ? brink_arena_text(&model->said, text.data) : NULL;
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
  const brink_inputs *inputs = model->inputs;
  size_t nnotes = inputs != NULL ? inputs->nnotes : 0;
  model->messages = brink_arena_take(&model->said, unit->nitems + model->nextra + nnotes + 1,
                                     sizeof *model->messages);
  if (model->messages == NULL) return false;
  brink_report_sort(unit);
  for (size_t k = 0; k < unit->nitems; k++)
    model->messages[model->nmessages++] = message_of(model, k);
  for (size_t k = 0; k < nnotes; k++) model->messages[model->nmessages++] = inputs->notes[k];
  for (size_t k = 0; k < model->nextra; k++) model->messages[model->nmessages++] = model->extra[k];
  return true;
}

size_t brink_hsml_messages(brink_hsml *model, const brink_hsml_message **messages) {
  if (messages == NULL) return 0;
  *messages = NULL;
  if (model == NULL) return 0;
  pthread_mutex_lock(&model->flattening);
  bool listed = model->messages != NULL || list_report(model);
  pthread_mutex_unlock(&model->flattening);
  if (!listed) return 0;
  *messages = model->messages;
  return model->nmessages;
}
