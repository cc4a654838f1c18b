/* fuzz_front.c: any text through lexer, parser, checker, renderer and formatter. A file without syntax
 * errors must be formatted into one without, and that one into itself. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void render_all(brink_unit *unit) {
  brink_report_sort(unit);
  for (size_t k = 0; k < unit->nitems; k++) {
    brink_text text = {0};
    brink_report_render(unit, &unit->items[k], &text);
    brink_text_free(&text);
  }
}

/* The formatted text, or an empty one where there is none. */
static brink_text format(const uint8_t *data, size_t size, bool check) {
  fuzz_input input = {.data = data, .size = size, .left = (size_t)256 << 20};
  brink_reader reader = fuzz_reader(&input);
  brink_allocator allocator = fuzz_allocator(&input);
  bool unreadable = false;
  const char *reason = NULL;
  brink_text text = {0};
  brink_unit *unit = brink_unit_parse("fuzz.hsml", &reader, &allocator, &unreadable, &reason);
  if (unit == NULL) return text;
  if (!unreadable && unit->nerrors == 0 && !unit->out_of_memory) {
    if (!brink_unit_format_source(unit, &text)) brink_text_free(&text);
  }
  if (check && !unreadable) brink_unit_check(unit);
  if (check) render_all(unit);
  brink_unit_destroy(unit);
  return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  brink_text once = format(data, size, true);
  if (once.data != NULL) {
    brink_text twice = format((const uint8_t *)once.data, once.length, false);
    if (twice.data == NULL || twice.length != once.length ||
        memcmp(once.data, twice.data, once.length) != 0)
      abort(); /* the canonical layout is not canonical */
    brink_text_free(&twice);
  }
  brink_text_free(&once);
  return 0;
}
