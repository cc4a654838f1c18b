/* test_keep.c: which names a pattern means. */
#include "check.h"
#include "run/keep.h"

#include <stdbool.h>
#include <string.h>

typedef struct row {
  const char *pattern, *name;
  bool matches;
} row;

static const row rows[] = {
    {"h", "h", true},
    {"h", "hh", false},
    {"hh", "h", false},
    {"plant.h", "plant.h", true},
    {"plant.h", "plant.hot", false},
    {"plant.*", "plant.h", true},
    {"plant.*", "plant.valve.open", true},
    {"plant.*", "plants.h", false},
    {"*", "plant.h", true},
    {"*.h", "plant.h", true},
    {"*.h", "a.b.h", true},
    {"*.h", "h", false},
    {"*.h", "plant.hh", false},
    {"*h*", "plant.other", true},
    {"a*b*c", "axxbyyc", true},
    {"a*b*c", "axxbyycd", false},
    {"a*b*c", "abcbc", true},
    {"car[3].x", "car[3].x", true},
    {"car[3].x", "car[13].x", false},
    {"car[1..5].x", "car[1].x", true},
    {"car[1..5].x", "car[5].x", true},
    {"car[1..5].x", "car[6].x", false},
    {"car[1..5].x", "car[15].x", false},
    {"car[*].x", "car[6].x", true},
    {"car.x", "car[6].x", true}, /* an index that is left out may be any */
    {"car", "car[6].x", false},
    {"x", "x[2]", true},
    {"x[2]", "x", false},
    {"row[2].cell", "row[2].cell[7]", true},
    {"row.cell[7]", "row[2].cell[7]", true},
    {"row.cell[7]", "row[7].cell[2]", false},
    {"P[2,3]", "P[2,3]", true},
    {"P[2,3]", "P[3,2]", false},
    {"P[2,*]", "P[2,9]", true},
    {"P[1..2,2..3]", "P[2,3]", true},
    {"P[1..2,2..3]", "P[3,3]", false},
    {"P[2]", "P[2,3]", false},
    {"x'", "x'", true},
    {"x'", "x", false},
    {"x'", "x[2]'", true},
    {"x[2]'", "x[2]'", true},
    {"*[2]'", "a.x[2]'", true},
    {"*[2]'", "a.x[3]'", false},
    {"plant@12:7", "plant@12:7", true},
    {"*.x[2..]", "a.x[2]", false}, /* no index at all */
    {"x[", "x[2]", false},
    {"", "x", false},
    {"*", "", true},
};

TEST(patterns_mean_what_they_say) {
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    bool found = brink_pattern_matches(rows[k].pattern, strlen(rows[k].pattern), rows[k].name);
    CHECK_MSG(found == rows[k].matches, "'%s' and '%s'", rows[k].pattern, rows[k].name);
  }
}

int main(void) {
  RUN(patterns_mean_what_they_say);
  return check_done();
}
