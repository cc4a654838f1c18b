/* The runs that a report shows: all of few, an even choice of many. */
#include "check.h"
#include "sweep/page_rows.h"

#include <stdio.h>
#include <string.h>

TEST(few_runs_are_all_shown) {
  brink_page_rows rows;
  CHECK(brink_page_rows_init(&rows, 10, BRINK_PAGE_ROWS));
  CHECK(rows.every == 1);
  for (uint64_t run = 0; run < BRINK_PAGE_ROWS; run++) CHECK(brink_page_rows_shows(&rows, run));
  brink_page_rows_free(&rows);
}

/* Of every 100 runs one: the knob that varies fastest, with 100 values, must not be stuck at one of them. */
TEST(of_many_runs_one_of_each_block_is_shown_and_all_values_of_a_grid_occur) {
  enum { EVERY = 100 };
  const uint64_t runs = (uint64_t)BRINK_PAGE_ROWS * EVERY;
  brink_page_rows rows;
  size_t seen[EVERY] = {0}, crowded = 0, in_block = 0;
  CHECK(brink_page_rows_init(&rows, 10, runs));
  CHECK(rows.every == EVERY);
  for (uint64_t run = 0; run < runs; run++) {
    if (run % EVERY == 0) in_block = 0;
    if (!brink_page_rows_shows(&rows, run)) continue;
    crowded += in_block++ > 0;
    seen[run % EVERY]++;
    CHECK(brink_page_rows_add(&rows) != NULL);
  }
  CHECK(crowded == 0);
  CHECK(rows.count == BRINK_PAGE_ROWS);
  /* 1000 are expected of each; six standard deviations are 190. */
  for (size_t k = 0; k < EVERY; k++) CHECK_MSG(seen[k] > 800 && seen[k] < 1200, "%zu", seen[k]);
  brink_page_rows_free(&rows);
}

TEST(with_many_columns_there_are_fewer_rows) {
  brink_page_rows rows;
  CHECK(brink_page_rows_init(&rows, 1000, 100000));
  CHECK(rows.every == 25);
  CHECK(rows.capacity * 1000 <= BRINK_PAGE_VALUES + 1000);
  brink_page_rows_free(&rows);
}

/* Every failed run may have a message of its own. */
TEST(texts_are_kept_once_and_keep_their_numbers) {
  enum { COUNT = 5000 };
  brink_page_rows rows;
  char text[32];
  CHECK(brink_page_rows_init(&rows, 3, 10));
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < COUNT; k++) {
      snprintf(text, sizeof text, "h = %d", k);
      CHECK(brink_page_rows_text(&rows, text) == (double)k);
    }
  }
  CHECK(rows.ntexts == COUNT);
  CHECK(strcmp(rows.texts[4321], "h = 4321") == 0);
  brink_page_rows_free(&rows);
}

int main(void) {
  RUN(few_runs_are_all_shown);
  RUN(of_many_runs_one_of_each_block_is_shown_and_all_values_of_a_grid_occur);
  RUN(with_many_columns_there_are_fewer_rows);
  RUN(texts_are_kept_once_and_keep_their_numbers);
  return check_done();
}
