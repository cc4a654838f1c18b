/* checkpoint_file.h: the bytes of a checkpoint: compressed, with a checksum, in a file that is there as a whole or not at
 * all. What is in them is the business of run/checkpoint.c. */
#ifndef BRINK_RECORD_CHECKPOINT_FILE_H
#define BRINK_RECORD_CHECKPOINT_FILE_H

#include "base/base.h"

/* Adds a header, the checksum and the compressed bytes to `packed`. False: out of memory. */
bool brink_checkpoint_pack(const void *bytes, size_t length, brink_text *packed);

/* The bytes that were packed. OK; FILE: `diag` says what is wrong with them; MEMORY. */
brink_status brink_checkpoint_unpack(const void *packed, size_t size, brink_text *bytes,
                                     brink_diag *diag);

/* Can it be written there? OK, FILE, MEMORY. What is there stays, but for what killed runs have left beside it. */
brink_status brink_checkpoint_probe(const char *path, brink_diag *diag);
/* Replaces the file as a whole: see base/replace.h. OK, FILE, MEMORY. */
brink_status brink_checkpoint_write(const char *path, const void *packed, size_t size,
                                    brink_diag *diag);
brink_status brink_checkpoint_read(const char *path, brink_text *packed, brink_diag *diag);

#endif
