/* fuzz.h: what the fuzz targets share: a file that is in memory, and memory that has an end. */
#ifndef BRINK_FUZZ_FUZZ_H
#define BRINK_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "lang/ast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_input {
  const uint8_t *data;
  size_t size;
  size_t left; /* bytes that may still be allocated */
} fuzz_input;

brink_reader fuzz_reader(fuzz_input *input);       /* any path reads the input; imports fail */
brink_allocator fuzz_allocator(fuzz_input *input); /* fails when `left` is used up */

#endif
