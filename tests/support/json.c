/* json.c: a recursive descent over the text, one function a grammar rule. */
#include "support/json.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct reader {
  const char *at;
  const char *error; /* the first one; NULL: none yet */
  int depth;
} reader;

static json *read_value(reader *r);

static json *fail(reader *r, const char *why) {
  if (r->error == NULL) r->error = why;
  return NULL;
}

/* The text may be long. Functions of <string.h> read it only where they must: a sanitizer that checks strings strictly looks for
 * the end of the text in each call. */

static void skip_blanks(reader *r) {
  while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n') r->at++;
}

static bool begins_with(const char *at, const char *word) {
  while (*word != '\0' && *at == *word) at++, word++;
  return *word == '\0';
}

static size_t count_hex(const char *at) {
  size_t count = 0;
  while (count < 4 && isxdigit((unsigned char)at[count])) count++;
  return count;
}

static bool take(reader *r, char c) {
  skip_blanks(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static json *make(json_kind kind) {
  json *value = calloc(1, sizeof *value);
  if (value == NULL) abort();
  value->kind = kind;
  return value;
}

static char *copy(const char *from, size_t length) {
  char *text = malloc(length + 1);
  if (text == NULL) abort();
  memcpy(text, from, length);
  text[length] = '\0';
  return text;
}

/* After the backslash. Names and messages need no escapes beyond ASCII: those are refused. */
static bool read_escape(reader *r, char *out, size_t *length) {
  static const char letter[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
  const char *known = *r->at != '\0' ? strchr(letter, *r->at) : NULL;
  if (known != NULL) return out[(*length)++] = meaning[known - letter], r->at++, true;
  if (*r->at != 'u' || count_hex(r->at + 1) < 4) return false;
  char hex[5] = {r->at[1], r->at[2], r->at[3], r->at[4], '\0'};
  unsigned long code = strtoul(hex, NULL, 16);
  if (code == 0 || code > 127) return false;
  out[(*length)++] = (char)code;
  r->at += 5;
  return true;
}

/* string = '"' characters '"'. NULL on an error. */
static char *read_text(reader *r) {
  if (!take(r, '"')) return fail(r, "a string was expected"), NULL;
  const char *end = r->at;
  while (*end != '"' && (unsigned char)*end >= 0x20) end += *end == '\\' && end[1] != '\0' ? 2 : 1;
  char *text = copy(r->at, (size_t)(end - r->at)); /* long enough: escapes only shrink */
  size_t length = 0;
  bool good = *end == '"';
  while (good && r->at < end) {
    if (*r->at != '\\') {
      text[length++] = *r->at++;
    } else {
      r->at++;
      good = read_escape(r, text, &length);
    }
  }
  if (!good) return fail(r, "bad character in a string"), free(text), NULL;
  r->at++;
  text[length] = '\0';
  return text;
}

static size_t digits(const char *at) {
  size_t count = 0;
  while (isdigit((unsigned char)at[count])) count++;
  return count;
}

/* number = ["-"] ("0" | digits) ["." digits] [("e" | "E") ["+" | "-"] digits] */
static json *read_number(reader *r) {
  const char *at = r->at + (*r->at == '-');
  size_t whole = digits(at);
  if (whole == 0 || (whole > 1 && *at == '0')) return fail(r, "a value was expected");
  at += whole;
  if (*at == '.') {
    if (digits(at + 1) == 0) return fail(r, "a digit was expected after the point");
    at += 1 + digits(at + 1);
  }
  if (*at == 'e' || *at == 'E') {
    at += 1 + (at[1] == '+' || at[1] == '-');
    if (digits(at) == 0) return fail(r, "a digit was expected in the exponent");
    at += digits(at);
  }
  json *value = make(JSON_NUMBER);
  value->text = copy(r->at, (size_t)(at - r->at));
  value->number = strtod(value->text, NULL);
  r->at = at;
  return value;
}

/* member = string ":" value */
static json *read_member(reader *r) {
  char *key = read_text(r);
  if (key == NULL) return NULL;
  json *value = take(r, ':') ? read_value(r) : fail(r, "a colon was expected");
  if (value == NULL) return free(key), NULL;
  value->key = key;
  return value;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, keys that are equal are neighbours: objects of a thousand members are common. */
static bool keys_differ(const json *object, size_t count) {
  char **key = malloc((count + 1) * sizeof *key);
  if (key == NULL) abort();
  size_t k = 0;
  for (const json *member = object->first; member != NULL; member = member->next)
    key[k++] = member->key;
  qsort(key, count, sizeof *key, by_text);
  for (k = 1; k < count && strcmp(key[k - 1], key[k]) != 0;) k++;
  free(key);
  return k >= count;
}

/* array = "[" [value {"," value}] "]";  object = "{" [member {"," member}] "}" */
static json *read_list(reader *r, json_kind kind, char close) {
  json *list = make(kind), **end = &list->first;
  size_t count = 0;
  if (take(r, close)) return list;
  do {
    *end = kind == JSON_OBJECT ? read_member(r) : read_value(r);
    if (*end == NULL) return json_free(list), NULL;
    end = &(*end)->next;
    count++;
  } while (take(r, ','));
  const char *wrong = NULL;
  if (!take(r, close))
    wrong = "a comma or the end of a list was expected";
  else if (kind == JSON_OBJECT && !keys_differ(list, count))
    wrong = "a key comes twice";
  return wrong != NULL ? (json_free(list), fail(r, wrong)) : list;
}

static json *read_value(reader *r) {
  static const char *const word[] = {"null", "false", "true"}; /* in the order of json_kind */
  if (++r->depth > DEEPEST) return fail(r, "nested too deep");
  json *value = NULL;
  skip_blanks(r);
  for (int k = 0; k < 3 && value == NULL; k++) {
    if (!begins_with(r->at, word[k])) continue;
    r->at += strlen(word[k]);
    value = make((json_kind)k);
  }
  if (value == NULL && *r->at == '"') {
    char *text = read_text(r);
    if (text != NULL) (value = make(JSON_STRING))->text = text;
  } else if (value == NULL) {
    value = take(r, '[')   ? read_list(r, JSON_ARRAY, ']')
            : take(r, '{') ? read_list(r, JSON_OBJECT, '}')
                           : read_number(r);
  }
  r->depth--;
  return value;
}

json *json_parse(const char *text, const char **error, size_t *offset) {
  reader r = {.at = text};
  json *value = read_value(&r);
  skip_blanks(&r);
  if (value != NULL && *r.at != '\0') {
    json_free(value);
    value = fail(&r, "something follows the value");
  }
  *error = r.error;
  *offset = (size_t)(r.at - text);
  return value;
}

void json_free(json *value) {
  while (value != NULL) {
    json *next = value->next;
    json_free(value->first);
    free(value->key);
    free(value->text);
    free(value);
    value = next;
  }
}

const json *json_member(const json *value, const char *key) {
  if (value == NULL || value->kind != JSON_OBJECT) return NULL;
  const json *member = value->first;
  while (member != NULL && (member->key == NULL || strcmp(member->key, key) != 0))
    member = member->next;
  return member;
}

const json *json_at(const json *value, size_t index) {
  const json *item = value != NULL ? value->first : NULL;
  while (item != NULL && index-- > 0) item = item->next;
  return item;
}
