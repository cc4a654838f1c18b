/* replay.c: runs a fuzz target over the files of directories, without a fuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static int replay(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 1;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  uint8_t *data = malloc((size_t)size + 1);
  int failed = data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size;
  fclose(file);
  if (!failed) LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  return failed;
}

int main(int argc, char **argv) {
  size_t count = 0;
  for (int k = 1; k < argc; k++) {
    DIR *directory = opendir(argv[k]);
    if (directory == NULL) {
      fprintf(stderr, "%s: not a directory\n", argv[k]);
      return 1;
    }
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
      char path[4096];
      if (entry->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", argv[k], entry->d_name);
      if (replay(path) != 0) {
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
