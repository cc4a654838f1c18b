#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

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
