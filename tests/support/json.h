/* json.h: reads one JSON text (RFC 8259) into a tree, strictly: no trailing commas, no duplicate
 * keys, nothing after the value. For tests that look at what the program prints. */
#ifndef BRINK_TESTS_JSON_H
#define BRINK_TESTS_JSON_H

#include <stddef.h>

typedef enum json_kind {
  JSON_NULL,
  JSON_FALSE,
  JSON_TRUE,
  JSON_NUMBER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT
} json_kind;

typedef struct json {
  json_kind kind;
  char *key;          /* of a member of an object, else NULL */
  char *text;         /* of a string, without quotes; of a number, as written; else NULL */
  double number;      /* of a number */
  struct json *first; /* of an array or an object */
  struct json *next;  /* sibling */
} json;

/* The tree, to be freed by json_free; NULL if the text is not JSON, with the reason in *error (a
 * constant) and the offset at which it was noticed in *offset. Neither may be NULL. */
json *json_parse(const char *text, const char **error, size_t *offset);
void json_free(json *value); /* NULL is fine */

/* NULL if there is none, or if `value` is NULL or has no members. */
const json *json_member(const json *value, const char *key);
const json *json_at(const json *value, size_t index); /* from 0 */

#endif
