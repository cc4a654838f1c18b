/* replay.c: runs a fuzz target over the files of directories, without a fuzzer.
 *
 *   fuzz_X_replay [--mutate N] DIRECTORY...     N: also with so many damaged copies of each file, the same ones each time */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* xorshift64 (Marsaglia 2003). */
static size_t draw(uint64_t *state, size_t below) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (size_t)(*state >> 11) % below;
}

/* One to eight small damages: a byte that is another, is missing or is there twice, a part that is missing or is repeated. The
 * first byte stays: it may say what the input is. Room for 64 bytes more. */
static size_t damage(uint8_t *data, size_t size, uint64_t *state) {
  static const char likely[] = "0123456789.,;:=+-*/^()[]<>\"'#eE \t\r\n";
  size_t full = size + 64;
  for (size_t left = 1 + draw(state, 8); left > 0 && size > 1; left--) {
    size_t at = 1 + draw(state, size - 1), length = 1 + draw(state, size - at < 8 ? size - at : 8);
    switch (draw(state, 4)) {
    case 0:
      data[at] = (uint8_t)draw(state, 256);
      break;
    case 1:
      data[at] = (uint8_t)likely[draw(state, sizeof likely - 1)];
      break;
    case 2:
      memmove(data + at, data + at + length, size - at - length);
      size -= length;
      break;
    default:
      if (size + length > full) break;
      memmove(data + at + length, data + at, size - at);
      size += length;
    }
  }
  return size;
}

static int replay(const char *path, size_t mutations) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 1;
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  size_t size = length > 0 ? (size_t)length : 0;
  uint8_t *data = malloc(size + 1), *copy = malloc(size + 64);
  int failed = data == NULL || copy == NULL || fread(data, 1, size, file) != size;
  uint64_t state = 0x9e3779b97f4a7c15u;
  fclose(file);
  if (!failed) LLVMFuzzerTestOneInput(data, size);
  for (size_t k = 0; k < mutations && !failed; k++) {
    memcpy(copy, data, size);
    size_t damaged = damage(copy, size, &state);
    LLVMFuzzerTestOneInput(copy, damaged);
  }
  free(copy);
  free(data);
  return failed;
}

int main(int argc, char **argv) {
  size_t count = 0;
  size_t mutations = 0;
  int first = 1;
  if (argc > 2 && strcmp(argv[1], "--mutate") == 0) {
    mutations = strtoul(argv[2], NULL, 10);
    first = 3;
  }
  for (int k = first; k < argc; k++) {
    DIR *directory = opendir(argv[k]);
    if (directory == NULL) {
      fprintf(stderr, "%s: not a directory\n", argv[k]);
      return 1;
    }
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
      char path[4096];
      if (entry->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", argv[k], entry->d_name);
      if (replay(path, mutations) != 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        closedir(directory);
        return 1;
      }
      count++;
    }
    closedir(directory);
  }
  printf("%zu inputs replayed\n", count);
  return count > 0 ? 0 : 1;
}
