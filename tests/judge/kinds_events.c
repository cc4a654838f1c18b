#include "judge/generate.h"
const generate_kind generate_events[] = {{"events", 0, false, false}};
const size_t generate_events_count = 0;
