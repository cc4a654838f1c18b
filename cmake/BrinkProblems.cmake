# problems/*.c: hybrid systems whose answers are known, for experiments, tests and benchmarks.

file(GLOB problem_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/problems/*.c)
add_library(brink_problems STATIC EXCLUDE_FROM_ALL ${problem_sources})
target_include_directories(brink_problems PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(brink_problems PUBLIC brink_internal PRIVATE m)
