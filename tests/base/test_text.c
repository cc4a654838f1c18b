/* Texts that grow: what is added is there, whatever its length, and stays as it was where memory is out. */
#include "base/base.h"

#include "check.h"
#include "support/counting.h"

/* Adds "0,1,2,…" and checks all of it after each step, across every size of room. */
TEST(a_text_holds_all_that_was_added) {
  brink_text text = {0};
  char expected[8192] = "";
  size_t length = 0;
  for (int k = 0; k < 1500; k++) {
    brink_text_add(&text, "%d,", k);
    length += (size_t)snprintf(expected + length, sizeof expected - length, "%d,", k);
    CHECK(text.length == length && strcmp(text.data, expected) == 0);
  }
  CHECK(!text.failed);
  brink_text_free(&text);
}

/* Pieces that fill the room exactly, miss it by one, and are many times as long. */
TEST(pieces_of_any_length_are_added_whole) {
  static char long_piece[5000];
  memset(long_piece, 'x', sizeof long_piece - 1);
  for (size_t piece = 0; piece < 600; piece++) {
    brink_text text = {0};
    brink_text_add(&text, "ab");
    brink_text_add(&text, "%.*s", (int)piece, long_piece);
    brink_text_add(&text, "%s", "");
    CHECK(text.length == piece + 2 && strlen(text.data) == piece + 2);
    brink_text_add(&text, "%s|", long_piece);
    CHECK(text.length == piece + 2 + sizeof long_piece && text.data[text.length - 1] == '|');
    brink_text_free(&text);
  }
}

TEST(a_text_without_memory_stays_as_it_was) {
  counting state = {.fail_at = 2, .fail_on = true};
  brink_text text = {.allocator = counting_allocator(&state)};
  char before[300];
  brink_text_add(&text, "%0*d", 200, 7);
  snprintf(before, sizeof before, "%s", text.data);
  brink_text_add(&text, "%0*d", 200, 8); /* there is room for a part of it */
  CHECK(text.failed && text.length == 200 && strcmp(text.data, before) == 0);
  brink_text_add(&text, "9"); /* there would be room for this one */
  CHECK(text.length == 200 && strcmp(text.data, before) == 0);
  brink_text_free(&text);
  CHECK_INT(state.live, 0);
}

int main(void) {
  RUN(a_text_holds_all_that_was_added);
  RUN(pieces_of_any_length_are_added_whole);
  RUN(a_text_without_memory_stays_as_it_was);
  return check_done();
}
