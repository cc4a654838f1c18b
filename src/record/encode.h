/* encode.h: arrays of numbers as text for a page: small, and quick to restore there. */
#ifndef BRINK_RECORD_ENCODE_H
#define BRINK_RECORD_ENCODE_H

#include "base/base.h"

/* What the numbers are written as. */
typedef enum brink_element {
  BRINK_ELEMENT_F8, /* as they are */
  BRINK_ELEMENT_F4, /* rounded to single precision: for what is drawn only */
} brink_element;

/* {"type":"f8","count":N,"data":"…"}: little-endian numbers, their bytes shuffled (all first bytes, then
 * all second ones, …: neighbours in time differ in few of them), deflated (RFC 1950), in base64. Number
 * k is values[k*stride]. */
void brink_encode_array(brink_text *text, brink_element element, const double *values, size_t count,
                        size_t stride);

#endif
