/* formats.c: the messages that a module can report, read from its sources. */
#include "support/formats.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---- */

char *read_whole_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  size_t capacity = 65536, used = 0, got;
  char *text = malloc(capacity + 1);
  while (text != NULL && (got = fread(text + used, 1, capacity - used, file)) > 0) {
    used += got;
    if (used < capacity) continue;
    capacity *= 2;
    char *larger = realloc(text, capacity + 1);
    if (larger == NULL) free(text);
    text = larger;
  }
  fclose(file);
  if (text != NULL) text[used] = '\0';
  if (length != NULL) *length = used;
  return text;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_with(const char *text, const char *ending) {
  size_t n = strlen(text), m = strlen(ending);
  return n >= m && strcmp(text + n - m, ending) == 0;
}

bool make_temporary_folder(char *path, size_t size) {
  const char *parent = getenv("TMPDIR");
  if (parent == NULL || parent[0] != '/') parent = "/tmp";
  int length = snprintf(path, size, "%s/brink-test-XXXXXX", parent);
  return length > 0 && (size_t)length < size && mkdtemp(path) != NULL;
}

char **list_directory(const char *directory, const char *ending, size_t *count) {
  DIR *dir = opendir(directory);
  char **names = NULL;
  size_t capacity = 0;
  *count = 0;
  if (dir == NULL) return NULL;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    if (!ends_with(entry->d_name, ending)) continue;
    if (*count == capacity) {
      capacity = capacity == 0 ? 64 : 2 * capacity;
      char **larger = realloc(names, capacity * sizeof *names);
      if (larger == NULL) break;
      names = larger;
    }
    char *name = malloc(strlen(entry->d_name) + 1);
    if (name == NULL) break;
    strcpy(name, entry->d_name);
    names[(*count)++] = name;
  }
  closedir(dir);
  if (*count > 0) qsort(names, *count, sizeof *names, compare_names);
  return names;
}

/* ---- C, as far as needed ---- */

static void add_format(format_list *list, const char *code, const char *text, size_t length,
                       const char *place) {
  for (size_t k = 0; k < list->count; k++)
    if (strcmp(list->item[k].code, code) == 0 && strlen(list->item[k].text) == length &&
        memcmp(list->item[k].text, text, length) == 0)
      return;
  if (list->count == list->capacity) {
    size_t larger = list->capacity == 0 ? 64 : 2 * list->capacity;
    message_format *item = realloc(list->item, larger * sizeof *item);
    if (item == NULL) return;
    list->item = item;
    list->capacity = larger;
  }
  message_format *format = &list->item[list->count];
  *format = (message_format){.text = malloc(length + 1)};
  if (format->text == NULL) return;
  memcpy(format->text, text, length);
  format->text[length] = '\0';
  snprintf(format->place, sizeof format->place, "%s", place);
  snprintf(format->code, sizeof format->code, "%s", code);
  list->count++;
}

/* The literal at `p` ('"'), appended to `text` without escapes; returns what is behind it. */
static const char *read_literal(const char *p, char *text, size_t *length, size_t capacity) {
  for (p++; *p != '"' && *p != '\0'; p++) {
    if (*p == '\\' && p[1] != '\0') p++;
    if (*length + 1 < capacity) text[(*length)++] = *p;
  }
  return *p == '"' ? p + 1 : p;
}

static const char *skip_space(const char *p) {
  while (isspace((unsigned char)*p)) p++;
  return p;
}

/* The literals at `p`, which are one text. None: it is the function itself. */
static void collect_format(format_list *list, const char *code, const char *p, const char *place) {
  char text[1024];
  size_t length = 0;
  p = skip_space(p);
  if (*p != '"') return;
  while (*p == '"') p = skip_space(read_literal(p, text, &length, sizeof text));
  add_format(list, code, text, length, place);
}

/* BRINK_MSG_UNKNOWN_NAME is "unknown-name"; false: it is something else. */
static bool read_code(const char *p, char code[64]) {
  static const char prefix[] = "BRINK_MSG_";
  size_t length = 0;
  p = skip_space(p);
  if (strncmp(p, prefix, sizeof prefix - 1) != 0) return false;
  for (p += sizeof prefix - 1; (isalnum((unsigned char)*p) || *p == '_') && length < 63; p++)
    code[length++] = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
  code[length] = '\0';
  return true;
}

/* The beginning of argument `wanted` of a call whose '(' is behind us; NULL: it has none. */
static const char *find_argument(const char *p, int wanted) {
  for (int depth = 0; wanted > 0; p++) {
    if (*p == '\0' || (*p == ')' && depth == 0)) return NULL;
    if (*p == '(' || *p == '{') depth++;
    if (*p == ')' || *p == '}') depth--;
    if (*p == ',' && depth == 0) wanted--;
    if (*p == '"') {
      size_t length = 0;
      p = read_literal(p, NULL, &length, 0) - 1;
    }
  }
  return p;
}

static void collect_file(format_list *list, const char *name, const char *text, reporter wanted) {
  size_t length = strlen(wanted.name);
  unsigned line = 1;
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '\n') line++;
    if (strncmp(p, wanted.name, length) != 0 || p[length] != '(') continue;
    if (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_')) continue;
    char place[64];
    snprintf(place, sizeof place, "%.40s:%u", name, line);
    char code[64];
    const char *first = find_argument(p + length + 1, wanted.code);
    const char *format = find_argument(p + length + 1, wanted.format);
    size_t before = list->count;
    if (first != NULL && format != NULL && read_code(first, code))
      collect_format(list, code, format, place);
    if (list->count > before)
      list->item[before].of_setting = strcmp(wanted.name, "flat_setting_error") == 0;
  }
}

bool formats_collect(format_list *list, const char *directory, const reporter *reporters,
                     size_t count) {
  size_t nfiles;
  char **files = list_directory(directory, ".c", &nfiles);
  if (files == NULL) return false;
  for (size_t k = 0; k < nfiles; k++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", directory, files[k]);
    char *text = read_whole_file(path, NULL);
    for (size_t r = 0; text != NULL && r < count; r++)
      collect_file(list, files[k], text, reporters[r]);
    free(text);
    free(files[k]);
  }
  free(files);
  return true;
}

bool formats_collect_lang(format_list *list, const char *source_directory) {
  static const reporter reporters[] = {
      {"brink_check_error", 1, 4}, {"brink_check_warning", 1, 4}, {"brink_parse_error", 1, 4},
      {"brink_parse_panic", 1, 4}, {"brink_report", 2, 5},        {"brink_lexer_error", 1, 5},
      {"flat_error", 1, 4},        {"flat_setting_error", 1, 5},
  };
  char path[1024];
  snprintf(path, sizeof path, "%s/src/lang", source_directory);
  return formats_collect(list, path, reporters, sizeof reporters / sizeof *reporters);
}

/* ---- could this format have made this message? ---- */

/* Behind a conversion: flags, width, precision, length, letter. */
static const char *behind_conversion(const char *format) {
  format++;
  while (*format != '\0' && strchr("-+ #0123456789.*zlhjt", *format) != NULL) format++;
  return *format == '\0' ? format : format + 1;
}

static bool matches(const char *format, const char *message) {
  for (; *format != '\0'; format++, message++) {
    if (*format == '%' && format[1] == '%') {
      format++;
    } else if (*format == '%') {
      const char *rest = behind_conversion(format);
      for (;; message++) {
        if (matches(rest, message)) return true;
        if (*message == '\0') return false;
      }
    }
    if (*format != *message) return false;
  }
  return *message == '\0';
}

bool formats_see(format_list *list, const char *code, const char *message) {
  bool any = false;
  for (size_t k = 0; k < list->count; k++) {
    message_format *format = &list->item[k];
    if (strcmp(format->code, code) != 0 || !matches(format->text, message)) continue;
    format->seen = any = true;
  }
  return any;
}

size_t format_arguments(const message_format *format) {
  size_t count = 0;
  for (const char *p = strchr(format->text, '%'); p != NULL; p = strchr(p, '%')) {
    count += p[1] != '%';
    p = p[1] == '%' ? p + 2 : behind_conversion(p);
  }
  return count;
}

void formats_free(format_list *list) {
  for (size_t k = 0; k < list->count; k++) free(list->item[k].text);
  free(list->item);
  *list = (format_list){0};
}
