# Every fuzz/fuzz_*.c is a target. With BRINK_FUZZ (clang) it is linked with libFuzzer; always, it is
# also built as a plain program that replays the corpus, and that is a test.

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE "fuzz_" "" corpus ${name})
  set(targets ${name}_replay)
  add_executable(${name}_replay ${source} ${PROJECT_SOURCE_DIR}/fuzz/fuzz.c
    ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
  brink_add_test_alone(${name}_replay $<TARGET_FILE:${name}_replay> ${PROJECT_SOURCE_DIR}/fuzz/corpus/${corpus})
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
