/* replay.c: runs a fuzz target over the files of directories, without a fuzzer.
 *
 *   fuzz_X_replay [--mutate N] [--seed S] DIRECTORY...
 *
 *   N   also with so many damaged copies of each file; the same ones each time with the same seed
 *
 * An input that ends the process by a signal is written to replay-found, in the present directory. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

/* Seconds that an input may take: one that hangs is found, too. */
enum { PATIENCE = 60 };

/* The input under way, for the signal handler. */
static const uint8_t *volatile present;
static volatile size_t present_size;

static void save_present(int signal_number) {
  int file = open("replay-found", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0 && write(file, present, present_size) >= 0) close(file);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void run(const uint8_t *data, size_t size) {
  present = data;
  present_size = size;
  alarm(PATIENCE);
  LLVMFuzzerTestOneInput(data, size);
}

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

static int replay(const char *path, size_t mutations, uint64_t seed) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 1;
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  size_t size = length > 0 ? (size_t)length : 0;
  uint8_t *data = malloc(size + 1), *copy = malloc(size + 64);
  int failed = data == NULL || copy == NULL || fread(data, 1, size, file) != size;
  uint64_t state = 0x9e3779b97f4a7c15u ^ seed;
  fclose(file);
  if (!failed) run(data, size);
  for (size_t k = 0; k < mutations && !failed; k++) {
    memcpy(copy, data, size);
    size_t damaged = damage(copy, size, &state);
    run(copy, damaged);
  }
  free(copy);
  free(data);
  return failed;
}

int main(int argc, char **argv) {
  size_t count = 0;
  size_t mutations = 0;
  uint64_t seed = 0;
  int first = 1;
  for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
    if (strcmp(argv[first], "--mutate") == 0) mutations = strtoul(argv[first + 1], NULL, 10);
    if (strcmp(argv[first], "--seed") == 0) seed = strtoul(argv[first + 1], NULL, 10);
  }
  static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
  for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) signal(signals[k], save_present);
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
      if (replay(path, mutations, seed) != 0) {
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
