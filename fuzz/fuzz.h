/* fuzz.h: what the fuzz targets share: files that are in memory, memory that has an end, and bytes that are choices. */
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

/* A file that is in memory: its path is written to `path`. Returns its number, for close(). Aborts without memory. */
enum { FUZZ_PATH = 64 };
int fuzz_file(const void *data, size_t size, char path[FUZZ_PATH]);

/* Refused without words, or with words that have no end, aborts. OK and outcomes are fine. */
void fuzz_check_refusal(brink_status status, const brink_diag *diag);

/* An input as choices, taken byte by byte; zeros when there are no more. */
typedef struct fuzz_choices {
  const uint8_t *at, *end;
} fuzz_choices;

bool fuzz_more(const fuzz_choices *choices);
size_t fuzz_choose(fuzz_choices *choices, size_t below); /* below > 0 */
/* Mostly tame; sometimes at an edge of the numbers, or any eight bytes. */
double fuzz_number(fuzz_choices *choices);

#endif
