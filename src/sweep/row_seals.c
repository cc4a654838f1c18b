/* row_seals.c: is the table that a sweep goes on with still the one that was written? See sweep_parts.h.
 *
 * Problem: rows that somebody changed since would stay in the table as if they were results.
 *
 * Method: behind the description of the sweep, FILE.resume has seals: so many bytes from the start of the table, and
 * their hash. One is written whenever rows were, over an older one: the n-th goes to the line whose number is that of the
 * zeros at the end of n in binary. So there are seals of the last rows, and of the table 1, 2, 4, 8, … seals ago: if the
 * machine fails and the end of the table is lost, one of them still fits. Rows behind the last seal are made again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_parts.h"

enum { SEAL = 91, SEALS = 64 }; /* bytes of a line; lines at most */

typedef struct seal {
  long long length; /* bytes of the table */
  const char *hash; /* BRINK_SHA256_TEXT - 1 characters */
} seal;

static brink_status cannot_write(const char *path, brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_FILE, "cannot write %s: %s", path, strerror(errno));
}

static brink_status write_seal(brink_sweep *sweep, size_t number, brink_diag *diag) {
  brink_row_file *output = &sweep->output;
  brink_sha256 hash = output->written; /* a copy: it goes on */
  unsigned long long length = hash.length;
  char words[BRINK_SHA256_TEXT];
  brink_sha256_finish_text(&hash, words);
  bool fine = fseeko(output->seals, output->seals_at + (long long)number * SEAL, SEEK_SET) == 0 &&
              fprintf(output->seals, "seal %020llu %s\n", length, words) == SEAL &&
              fflush(output->seals) == 0;
  return fine ? BRINK_OK : cannot_write(output->beside, diag);
}

brink_status brink_row_seals_open(brink_sweep *sweep, brink_diag *diag) {
  brink_row_file *output = &sweep->output;
  brink_text description = {0};
  brink_row_file_describe(sweep, &description);
  output->seals_at = (long long)description.length;
  bool failed = description.failed;
  brink_text_free(&description);
  if (failed) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  output->seals = fopen(output->beside, "r+b");
  return output->seals != NULL ? BRINK_OK : cannot_write(output->beside, diag);
}

brink_status brink_row_seals_add(brink_sweep *sweep, brink_diag *diag) {
  brink_row_file *output = &sweep->output;
  if (output->seals == NULL) return BRINK_OK;
  uint64_t n = ++output->nsealed;
  size_t number = 0;
  for (; n % 2 == 0; n /= 2) number++;
  return write_seal(sweep, number, diag);
}

/* ---- reading ---- */

/* One line; false: it is none, or torn. */
static bool read_seal(const char *line, seal *found) {
  char *end;
  if (strnlen(line, SEAL) < SEAL || memcmp(line, "seal ", 5) != 0 || line[SEAL - 1] != '\n')
    return false;
  errno = 0;
  found->length = strtoll(line + 5, &end, 10);
  found->hash = line + SEAL - BRINK_SHA256_TEXT;
  return errno == 0 && found->length >= 0 && end == line + 25 && *end == ' ';
}

static int by_length(const void *a, const void *b) {
  const seal *x = a, *y = b;
  return (x->length > y->length) - (x->length < y->length);
}

static size_t read_seals(const char *text, seal found[SEALS]) {
  size_t count = 0;
  for (size_t k = 0; k < SEALS && strnlen(text, SEAL) == SEAL; k++, text += SEAL) {
    if (read_seal(text, &found[count])) count++;
  }
  qsort(found, count, sizeof *found, by_length);
  return count;
}

/* Hashes the table up to a length; false: it is shorter. */
static bool hash_up_to(FILE *table, brink_sha256 *hash, long long length) {
  char block[16384];
  while (hash->length < (uint64_t)length) {
    uint64_t left = (uint64_t)length - hash->length;
    size_t got = fread(block, 1, left < sizeof block ? (size_t)left : sizeof block, table);
    if (got == 0) return false;
    brink_sha256_add(hash, block, got);
  }
  return true;
}

brink_status brink_row_seals_check(const char *path, FILE *table, const char *seals,
                                   long long *sealed, brink_diag *diag) {
  seal found[SEALS];
  size_t count = read_seals(seals, found);
  brink_sha256 hash;
  brink_sha256_init(&hash);
  *sealed = 0;
  for (size_t k = 0; k < count && hash_up_to(table, &hash, found[k].length); k++) {
    brink_sha256 so_far = hash;
    char words[BRINK_SHA256_TEXT];
    brink_sha256_finish_text(&so_far, words);
    if (memcmp(words, found[k].hash, BRINK_SHA256_TEXT - 1) != 0)
      return brink_diag_set(diag, BRINK_ERR_FILE,
                            "%s was altered since the sweep wrote it, between bytes %lld and %lld: "
                            "begin the sweep again",
                            path, *sealed, found[k].length);
    *sealed = found[k].length;
  }
  return BRINK_OK;
}

brink_status brink_row_seals_renew(brink_sweep *sweep, brink_diag *diag) {
  brink_row_file *output = &sweep->output;
  brink_status status = BRINK_OK;
  char line[SEAL + 1];
  for (size_t k = 0; k < SEALS && status == BRINK_OK; k++) {
    seal old;
    if (fseeko(output->seals, output->seals_at + (long long)k * SEAL, SEEK_SET) != 0 ||
        fread(line, 1, SEAL, output->seals) != SEAL)
      break;
    line[SEAL] = '\0';
    bool stale = !read_seal(line, &old) || (uint64_t)old.length > output->written.length;
    if (stale) status = write_seal(sweep, k, diag);
  }
  return status;
}
