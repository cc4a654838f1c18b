/* place.h: a place in the text of a model. */
#ifndef BRINK_BASE_PLACE_H
#define BRINK_BASE_PLACE_H

#include <stdint.h>

typedef struct brink_place {
  uint32_t
      file; /* number of the file: 0 is the model's own, others are imported (brink_unit.files) */
  uint32_t line;   /* from 1; 0: no place */
  uint32_t column; /* from 1, in bytes */
  uint32_t length; /* of what the carets underline, in bytes; at least 1 */
} brink_place;

#endif
