/* names.c: what things are called in the language, and which name is near another. */
#include <string.h>

#include "lang/ast.h"

const char *brink_type_name(brink_type type) {
  switch (type) {
  case BRINK_TYPE_SIGNAL:
    return "signal";
  case BRINK_TYPE_REAL:
    return "real";
  case BRINK_TYPE_INTEGER:
    return "integer";
  case BRINK_TYPE_BOOLEAN:
    return "boolean";
  case BRINK_TYPE_STRING:
    return "string";
  case BRINK_TYPE_UNKNOWN:
    break;
  }
  return "unknown";
}

const char *brink_component_kind_name(brink_component_kind kind) {
  switch (kind) {
  case BRINK_CTC:
    return "ctc";
  case BRINK_DTC:
    return "dtc";
  case BRINK_LBC:
    return "lbc";
  case BRINK_COMPOSITE:
    return "composite";
  case BRINK_SYSTEM:
    return "system";
  }
  return "unknown";
}

const char *brink_section_name(brink_section_kind kind) {
  static const char *const names[BRINK_SECTION_COUNT] = {
      [BRINK_SECTION_INTERFACE] = "interface",     [BRINK_SECTION_DECLARATIONS] = "declarations",
      [BRINK_SECTION_INITIAL] = "initial",         [BRINK_SECTION_DYNAMICS] = "dynamics",
      [BRINK_SECTION_CONSTRAINTS] = "constraints", [BRINK_SECTION_OUTPUT] = "output",
      [BRINK_SECTION_UPDATE] = "update",           [BRINK_SECTION_RULES] = "rules",
      [BRINK_SECTION_COMPONENTS] = "components",   [BRINK_SECTION_CONNECTIONS] = "connections",
      [BRINK_SECTION_AGENTS] = "agents",           [BRINK_SECTION_SIMULATION] = "simulation",
      [BRINK_SECTION_ASSIGNMENTS] = "assignments", [BRINK_SECTION_EVENT] = "event",
  };
  return (unsigned)kind < BRINK_SECTION_COUNT ? names[kind] : "unknown";
}

const char *brink_function_name(brink_function function) {
  static const char *const names[] = {
#define BRINK_FUNCTION_NAME(text, id, least, most) [BRINK_FN_##id] = text,
      BRINK_FUNCTION_LIST(BRINK_FUNCTION_NAME)
#undef BRINK_FUNCTION_NAME
  };
  return (unsigned)function < sizeof names / sizeof names[0] ? names[function] : "function";
}

/* ---- near names ---- */

#define NEAR_LENGTH ((size_t)40) /* longer names are not compared */

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int least(int a, int b) {
  return a < b ? a : b;
}

/* Edits that turn a into b: a letter more, less, another, or two exchanged. Case does not count. */
static int distance(const char *a, const char *b) {
  size_t na = strlen(a), nb = strlen(b);
  int row[3][NEAR_LENGTH + 1]; /* of a[..i-2], a[..i-1], a[..i] */
  for (size_t j = 0; j <= nb; j++) row[1][j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int *now = row[(i + 1) % 3], *last = row[i % 3], *before = row[(i + 2) % 3];
    now[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      char x = lower(a[i - 1]), y = lower(b[j - 1]);
      now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x != y));
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
        now[j] = least(now[j], before[j - 2] + 1);
    }
  }
  return row[(na + 1) % 3][nb];
}

/* A third of the letters may be wrong, three at most: in x and y nothing is alike. */
static int tolerated(size_t length) {
  return length >= 9 ? 3 : (int)(length / 3);
}

/* hh is h, typed twice. */
static bool is_doubled(const char *longer, const char *shorter) {
  char letter = lower(shorter[0]);
  return letter != '\0' && shorter[1] == '\0' && lower(longer[0]) == letter &&
         lower(longer[1]) == letter && longer[2] == '\0';
}

const char *brink_nearest(const char *name, const char *candidate, const char *best) {
  size_t length = strlen(name), other = strlen(candidate);
  if (length > NEAR_LENGTH || other > NEAR_LENGTH) return best;
  if (length > other + 3 || other > length + 3) return best;
  int here = distance(name, candidate);
  bool doubled = is_doubled(name, candidate) || is_doubled(candidate, name);
  if (!doubled && here > tolerated(length > other ? length : other)) return best;
  return best == NULL || here < distance(name, best) ? candidate : best;
}
