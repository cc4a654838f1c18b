#include "judge/generate.h"
const generate_kind generate_parts[] = {{"parts", 0, false, false}};
const size_t generate_parts_count = 0;
