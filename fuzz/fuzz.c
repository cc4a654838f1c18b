#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for memfd_create */
#endif
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- files and memory ---- */

static char *read_input(const char *path, size_t *length, const char **reason, void *user) {
  const fuzz_input *input = user;
  if (strcmp(path, "fuzz.hsml") != 0) {
    *reason = "no such file";
    return NULL;
  }
  char *text = malloc(input->size + 1);
  if (text == NULL) {
    *reason = "out of memory";
    return NULL;
  }
  if (input->size > 0) memcpy(text, input->data, input->size);
  text[input->size] = '\0';
  *length = input->size;
  return text;
}

brink_reader fuzz_reader(fuzz_input *input) {
  return (brink_reader){.read = read_input, .user = input};
}

static void *take(size_t size, void *user) {
  fuzz_input *input = user;
  if (size > input->left) return NULL;
  input->left -= size;
  return malloc(size);
}

static void give(void *memory, size_t size, void *user) {
  fuzz_input *input = user;
  input->left += size;
  free(memory);
}

brink_allocator fuzz_allocator(fuzz_input *input) {
  return (brink_allocator){.allocate = take, .release = give, .user = input};
}

int fuzz_file(const void *data, size_t size, char path[FUZZ_PATH]) {
  int file = memfd_create("fuzz", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
  snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", file);
  return file;
}

void fuzz_check_refusal(brink_status status, const brink_diag *diag) {
  if (status >= 0) return;
  if (diag->message[0] == '\0' || memchr(diag->message, '\0', sizeof diag->message) == NULL)
    abort();
}

/* ---- choices ---- */

bool fuzz_more(const fuzz_choices *choices) {
  return choices->at < choices->end;
}

static uint8_t next_byte(fuzz_choices *choices) {
  return choices->at < choices->end ? *choices->at++ : 0;
}

size_t fuzz_choose(fuzz_choices *choices, size_t below) {
  size_t chosen = next_byte(choices);
  if (below > 256) chosen = 256 * chosen + next_byte(choices);
  return chosen % below;
}

double fuzz_number(fuzz_choices *choices) {
  static const double edges[] = {0.0,       -0.0,  1.0, -1.0,   0.5,    1e-9,   NAN,    INFINITY,
                                 -INFINITY, 1e300, 1e9, 1e-300, 5e-324, -1e300, 0x1p53, 0.1};
  uint8_t how = next_byte(choices);
  if (how < 240) return ((double)how - 120.0) / 24.0;
  if (how < 254) return edges[how % (sizeof edges / sizeof edges[0])];
  unsigned char bytes[sizeof(double)];
  double value;
  for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = next_byte(choices);
  memcpy(&value, bytes, sizeof value);
  return value;
}
