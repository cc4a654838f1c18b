# The published experiments, run by `brink reproduce`: experiments/*.c and experiments/NAME/*.c, and the models
# that they use, which the program carries in itself so that it needs no files.
#
#   brink_lab           all of it but the list of experiments: tests bring lists of their own
#   brink_experiments   the list

file(GLOB experiment_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/experiments/*.c ${PROJECT_SOURCE_DIR}/experiments/*/*.c)
list(REMOVE_ITEM experiment_sources ${PROJECT_SOURCE_DIR}/experiments/list.c)

file(GLOB carried CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/models/*/*.hsml ${PROJECT_SOURCE_DIR}/experiments/*/*.hsml)
list(SORT carried)
set(carried_c ${PROJECT_BINARY_DIR}/experiments/carried.c)
set(carried_embed ${PROJECT_SOURCE_DIR}/experiments/embed.cmake)
list(TRANSFORM carried PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE carried_files)
list(JOIN carried "|" carried_words)
add_custom_command(
  OUTPUT ${carried_c}
  COMMAND ${CMAKE_COMMAND} -D ROOT=${PROJECT_SOURCE_DIR} -D FILES=${carried_words} -D OUT=${carried_c}
    -P ${carried_embed}
  DEPENDS ${carried_files} ${carried_embed}
  COMMENT "Turning models into C"
  VERBATIM)

add_library(brink_lab STATIC ${experiment_sources} ${carried_c})
target_include_directories(brink_lab PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(brink_lab PUBLIC brink_problems brink_internal PRIVATE Threads::Threads m)

add_library(brink_experiments STATIC ${PROJECT_SOURCE_DIR}/experiments/list.c)
target_link_libraries(brink_experiments PUBLIC brink_lab)
