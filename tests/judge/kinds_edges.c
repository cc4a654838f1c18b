#include "judge/generate.h"
const generate_kind generate_edges[] = {{"edges", 0, false, false}};
const size_t generate_edges_count = 0;
