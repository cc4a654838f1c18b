/* checkpoint_file.c: the bytes of a checkpoint (see checkpoint_file.h).
 *
 *     "brinkckp"      8 bytes
 *     order           4 bytes, 0x01020304 as this machine writes it
 *     format          4 bytes
 *     stored, length  8 bytes each: of what follows the header, and of what it becomes
 *     kind            4 bytes: 0 as they are, 1 deflated (RFC 1950); 4 bytes of zeros
 *     checksum        SHA-256 of the 40 bytes above and of what follows
 *
 * The checksum finds damage. It does not protect from malice: all that is read later is checked by itself. */
#include "record/checkpoint_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BRINK_WITH_ZLIB
#include <zlib.h>
#endif

#include "base/file.h"
#include "base/replace.h"
#include "base/sha256.h"

#define FORMAT 1u
#define ORDER 0x01020304u
#define MOST_RATIO 1100 /* deflate makes at most 1032 bytes of one */
#define FEWEST 64

typedef struct header {
  char magic[8];
  uint32_t order, format;
  uint64_t stored, length;
  uint32_t kind, zeros;
} header;

enum { PLAIN, DEFLATED, CHECKSUM = BRINK_SHA256_BYTES };
static const char magic[8] = {'b', 'r', 'i', 'n', 'k', 'c', 'k', 'p'};

static void checksum(const header *head, const void *stored, size_t size,
                     unsigned char digest[CHECKSUM]) {
  brink_sha256 hash;
  brink_sha256_init(&hash);
  brink_sha256_add(&hash, head, sizeof *head);
  brink_sha256_add(&hash, stored, size);
  brink_sha256_finish(&hash, digest);
}

/* ---- packing ---- */

/* Deflated, if that is possible; *size 0: it is not. */
static bool deflate_bytes(const void *bytes, size_t length, brink_text *room, size_t *size) {
  *size = 0;
#ifdef BRINK_WITH_ZLIB
  if (length > ULONG_MAX / 2) return true;
  uLongf most = compressBound((uLong)length);
  char *out = malloc(most);
  if (out == NULL) return false;
  /* Most of it are doubles: more effort makes little difference. */
  if (compress2((Bytef *)out, &most, bytes, (uLong)length, Z_BEST_SPEED) == Z_OK) {
    brink_text_append(room, out, most);
    *size = most;
  }
  free(out);
#else
  (void)bytes, (void)length;
#endif
  return !room->failed;
}

bool brink_checkpoint_pack(const void *bytes, size_t length, brink_text *packed) {
  brink_text room = {.allocator = packed->allocator};
  size_t size;
  unsigned char digest[CHECKSUM];
  bool fine = deflate_bytes(bytes, length, &room, &size);
  bool smaller = fine && size > 0 && size < length;
  const void *stored = smaller ? room.data : bytes;
  header head = {.order = ORDER,
                 .format = FORMAT,
                 .stored = smaller ? size : length,
                 .length = length,
                 .kind = smaller ? DEFLATED : PLAIN};
  memcpy(head.magic, magic, sizeof magic);
  checksum(&head, stored, head.stored, digest);
  brink_text_append(packed, (const char *)&head, sizeof head);
  brink_text_append(packed, (const char *)digest, sizeof digest);
  brink_text_append(packed, stored, head.stored);
  brink_text_free(&room);
  return fine && !packed->failed;
}

/* ---- unpacking ---- */

static brink_status refuse(brink_diag *diag, const char *why) {
  return brink_diag_set(diag, BRINK_ERR_FILE, "the checkpoint %s", why);
}

static brink_status check_header(const header *head, size_t size, brink_diag *diag) {
  if (memcmp(head->magic, magic, sizeof magic) != 0)
    return brink_diag_set(diag, BRINK_ERR_FILE, "this is not a checkpoint of brink");
  if (head->order != ORDER) return refuse(diag, "was written on a machine with another byte order");
  if (head->format != FORMAT) return refuse(diag, "was written by another version of brink");
  if (head->stored != size - sizeof *head - CHECKSUM)
    return refuse(diag, "is not complete: it was cut off, or something was added");
  bool plausible = head->kind == PLAIN ? head->length == head->stored
                                       : head->kind == DEFLATED &&
                                             head->length / MOST_RATIO <= head->stored + FEWEST;
  return plausible ? BRINK_OK : refuse(diag, "is damaged");
}

static brink_status inflate_bytes(const char *stored, const header *head, brink_text *bytes,
                                  brink_diag *diag) {
#ifdef BRINK_WITH_ZLIB
  if (head->length > ULONG_MAX / 2) return refuse(diag, "is damaged");
  uLongf length = (uLongf)head->length;
  char *out = malloc(head->length + 1);
  if (out == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  int outcome = uncompress((Bytef *)out, &length, (const Bytef *)stored, (uLong)head->stored);
  bool whole = outcome == Z_OK && length == head->length;
  if (whole) brink_text_append(bytes, out, length);
  free(out);
  return whole ? BRINK_OK : refuse(diag, "is damaged");
#else
  (void)stored, (void)head, (void)bytes;
  return refuse(diag, "is compressed, and this library was built without zlib");
#endif
}

brink_status brink_checkpoint_unpack(const void *packed, size_t size, brink_text *bytes,
                                     brink_diag *diag) {
  header head;
  unsigned char digest[CHECKSUM];
  if (size < sizeof head + CHECKSUM) return refuse(diag, "is not complete: it was cut off");
  memcpy(&head, packed, sizeof head);
  brink_status status = check_header(&head, size, diag);
  if (status != BRINK_OK) return status;
  const char *given = (const char *)packed + sizeof head, *stored = given + CHECKSUM;
  checksum(&head, stored, head.stored, digest);
  if (memcmp(digest, given, CHECKSUM) != 0)
    return refuse(diag, "is damaged: its checksum is another");
  if (head.kind == PLAIN)
    brink_text_append(bytes, stored, head.stored);
  else
    status = inflate_bytes(stored, &head, bytes, diag);
  if (status == BRINK_OK && bytes->failed)
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  return status;
}

/* ---- files ---- */

static brink_status fail_to_write(brink_diag *diag, const char *path, brink_status status,
                                  const char *reason) {
  if (status == BRINK_ERR_MEMORY) return brink_diag_set(diag, status, "out of memory");
  return brink_diag_set(diag, status, "cannot write the checkpoint %s: %s", path, reason);
}

brink_status brink_checkpoint_probe(const char *path, brink_diag *diag) {
  brink_replacement file;
  brink_status status = brink_replacement_begin(&file, path);
  if (status == BRINK_OK)
    brink_replacement_tidy(&file);
  else
    fail_to_write(diag, path, status, file.reason);
  brink_replacement_end(&file);
  return status;
}

brink_status brink_checkpoint_write(const char *path, const void *packed, size_t size,
                                    brink_diag *diag) {
  brink_replacement file;
  brink_status status = brink_replacement_begin(&file, path);
  if (status == BRINK_OK) status = brink_replacement_write(&file, packed, size);
  if (status == BRINK_OK) status = brink_replacement_put(&file);
  if (status != BRINK_OK) fail_to_write(diag, path, status, file.reason);
  brink_replacement_end(&file);
  return status;
}

brink_status brink_checkpoint_read(const char *path, brink_text *packed, brink_diag *diag) {
  char bytes[65536];
  const char *reason = NULL;
  FILE *file = brink_file_open(path, &reason);
  if (file == NULL)
    return brink_diag_set(diag, BRINK_ERR_FILE, "cannot read the checkpoint %s: %s", path, reason);
  size_t count;
  while ((count = fread(bytes, 1, sizeof bytes, file)) > 0) brink_text_append(packed, bytes, count);
  brink_status status = BRINK_OK;
  if (ferror(file) != 0)
    status = brink_diag_set(diag, BRINK_ERR_FILE, "cannot read the checkpoint %s: %s", path,
                            strerror(errno));
  fclose(file);
  if (status == BRINK_OK && packed->failed)
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  return status;
}
