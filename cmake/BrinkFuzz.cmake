# Every fuzz/fuzz_*.c is a target. With BRINK_FUZZ (clang) it is linked with libFuzzer; always, it is
# also built as a plain program that replays the corpus, and that is a test.

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c)
if(NOT BRINK_FIT)
  list(FILTER fuzz_sources EXCLUDE REGEX "/fuzz_fit\\.c$")
endif()
if(NOT TARGET brink_cli)
  list(FILTER fuzz_sources EXCLUDE REGEX "/fuzz_options\\.c$")
endif()

# Inputs of these are short, or quickly run: so many damaged copies of each are replayed, too.
set(fuzz_copies_fit 20)
set(fuzz_copies_tables 10)
set(fuzz_copies_options 20)
set(fuzz_copies_checkpoint 5)
set(fuzz_copies_sim 20)
set(fuzz_copies_calls 5)
set(fuzz_copies_build 20)

foreach(source IN LISTS fuzz_sources)
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE "fuzz_" "" corpus ${name})
  set(targets ${name}_replay)
  add_executable(${name}_replay ${source} ${PROJECT_SOURCE_DIR}/fuzz/fuzz.c
    ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
  set(mutate "")
  if(fuzz_copies_${corpus})
    set(mutate --mutate ${fuzz_copies_${corpus}})
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
    target_compile_definitions(${target} PRIVATE BRINK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${target} PRIVATE brink_internal Threads::Threads m)
    if(name STREQUAL "fuzz_options") # the program without its main
      target_sources(${target} PRIVATE
        $<FILTER:$<TARGET_OBJECTS:brink_cli>,EXCLUDE,/main\\.c\\.o$>)
      target_link_libraries(${target} PRIVATE brink_experiments brink_lab)
    endif()
  endforeach()
endforeach()
