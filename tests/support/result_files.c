/* result_files.c: see result_files.h. */
#include "support/result_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *read_bytes(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  unsigned char *bytes = NULL;
  size_t capacity = 0;
  *size = 0;
  do {
    if (*size == capacity) {
      capacity = capacity == 0 ? 1 << 16 : 2 * capacity;
      bytes = realloc(bytes, capacity + 1);
      if (bytes == NULL) abort();
    }
    *size += fread(bytes + *size, 1, capacity - *size, file);
  } while (*size == capacity);
  bytes[*size] = '\0';
  fclose(file);
  return bytes;
}

/* ---- MAT ---- */

/* Bytes of an element: the tens of the type. */
static size_t element_size(int32_t type) {
  static const size_t sizes[] = {8, 4, 4, 2, 2, 1};
  int32_t kind = type / 10 % 10;
  return kind >= 0 && kind < 6 && type < 100 ? sizes[kind] : 0;
}

bool mat_read(const char *path, mat_file *file) {
  *file = (mat_file){0};
  file->bytes = read_bytes(path, &file->size);
  if (file->bytes == NULL) return false;
  size_t at = 0;
  while (at < file->size) {
    int32_t head[5];
    if (file->size - at < sizeof head) return false;
    memcpy(head, file->bytes + at, sizeof head);
    size_t element = element_size(head[0]);
    at += sizeof head;
    if (element == 0 || head[1] < 0 || head[2] < 0 || head[3] != 0 || head[4] < 1 || head[4] > 64)
      return false;
    size_t size = element * (size_t)head[1] * (size_t)head[2], name = (size_t)head[4];
    if (file->size - at < name || file->size - at - name < size) return false;
    if (file->bytes[at + name - 1] != '\0') return false;
    if (file->count < 16) {
      mat_matrix *m = &file->matrix[file->count++];
      *m = (mat_matrix){.type = head[0], .rows = head[1], .columns = head[2], .size = size};
      memcpy(m->name, file->bytes + at, name);
      m->data = file->bytes + at + name;
    }
    at += name + size;
  }
  return true;
}

void mat_free(mat_file *file) {
  free(file->bytes);
  *file = (mat_file){0};
}

const mat_matrix *mat_find(const mat_file *file, const char *name) {
  for (size_t k = 0; k < file->count; k++) {
    if (strcmp(file->matrix[k].name, name) == 0) return &file->matrix[k];
  }
  return NULL;
}

double mat_number(const mat_matrix *matrix, size_t row, size_t column) {
  double value;
  memcpy(&value, matrix->data + (column * (size_t)matrix->rows + row) * sizeof value, sizeof value);
  return value;
}

void mat_text(const mat_matrix *matrix, size_t column, char *out, size_t size) {
  size_t length = (size_t)matrix->rows < size - 1 ? (size_t)matrix->rows : size - 1;
  memcpy(out, matrix->data + column * (size_t)matrix->rows, length);
  out[length] = '\0';
}

/* ---- CSV ---- */

long csv_read(const char *path, size_t columns, double *values, long most) {
  size_t size;
  char *text = (char *)read_bytes(path, &size), *line = text;
  if (text == NULL) return -1;
  long rows = -1; /* the names */
  for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1, rows++) {
    if (rows < 0 || rows >= most) continue;
    for (size_t k = 0; k < columns; k++) {
      values[(size_t)rows * columns + k] = strtod(line, &line);
      line += *line == ',';
    }
  }
  free(text);
  return rows < 0 ? 0 : rows;
}

/* ---- HDF5 ---- */

bool h5dump_is_there(void) {
  return system("h5dump --version >/dev/null 2>&1") == 0;
}

long h5_read(const char *path, const char *dataset, double *values, long most) {
  char command[400];
  snprintf(command, sizeof command, "h5dump -y -w 1 -m %%.17g -A 0 -d %s %s 2>/dev/null", dataset,
           path);
  FILE *pipe = popen(command, "r");
  if (pipe == NULL) return -1;
  char line[512];
  long count = 0;
  bool inside = false;
  while (fgets(line, sizeof line, pipe) != NULL) {
    if (strstr(line, "DATA {") != NULL) {
      inside = true;
    } else if (strchr(line, '}') != NULL) {
      inside = false;
    } else if (inside && count < most) {
      char *end;
      values[count] = strtod(line, &end);
      if (end != line) count++;
    }
  }
  return pclose(pipe) == 0 ? count : -1;
}
