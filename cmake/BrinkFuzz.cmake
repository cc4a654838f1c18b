# Every fuzz/fuzz_*.c is a target. With BRINK_FUZZ (clang) it is linked with libFuzzer; always, it is
# also built as a plain program that replays the corpus, and that is a test.

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c)
if(NOT BRINK_FIT)
  list(FILTER fuzz_sources EXCLUDE REGEX "/fuzz_fit\\.c$")
endif()
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE "fuzz_" "" corpus ${name})
  set(targets ${name}_replay)
  add_executable(${name}_replay ${source} ${PROJECT_SOURCE_DIR}/fuzz/fuzz.c
    ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
  set(mutate "")
  if(name STREQUAL "fuzz_fit") # its inputs are short: damaged copies of them are read, too
    set(mutate --mutate 20)
  endif()
  brink_add_test_alone(${name}_replay $<TARGET_FILE:${name}_replay> ${mutate}
    ${PROJECT_SOURCE_DIR}/fuzz/corpus/${corpus})
  if(BRINK_FUZZ)
    list(APPEND targets ${name})
    add_executable(${name} ${source} ${PROJECT_SOURCE_DIR}/fuzz/fuzz.c)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
  foreach(target IN LISTS targets)
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE brink_internal Threads::Threads m)
  endforeach()
endforeach()
