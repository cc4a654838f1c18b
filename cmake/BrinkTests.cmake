# tests/ has the folders of src/, and whole/ for what concerns all of them. Every tests/FOLDER/test_*.c is one
# program and one CTest test of the same name; likewise
#   oracle_*.c   compared with arbitrary precision arithmetic (Arb); skipped without it
#   tsan_*.c     for data races: built only with -DBRINK_SANITIZE=thread
# and tests/support/*.c is linked into each of them. A test that mentions BRINK_PROGRAM is told where
# the program and the models are, and waits for the program to be built; without one it is left out, unless it
# says by #ifdef BRINK_PROGRAM what it can do by itself. BRINK_SOURCE_DIR is the root
# of the sources, for tests that read files.

set(BRINK_ORACLE_PERCENT "" CACHE STRING
  "Share of the random cases that oracle tests run (environment variable of the same name)")

set(brink_test_libraries brink_internal Threads::Threads m)

file(GLOB support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.c)
if(support_sources)
  # What experiments and tests share: the published algorithm for agents.
  file(GLOB shared_sources CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/experiments/two-agents/published*.c)
  add_library(brink_test_support STATIC ${support_sources} ${shared_sources})
  target_include_directories(brink_test_support
    PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR})
  target_link_libraries(brink_test_support PUBLIC brink_problems brink_internal)
  list(PREPEND brink_test_libraries brink_test_support)
endif()

# The tests that look for races; the only ones the tsan preset builds and runs.
add_custom_target(thread_tests)

function(brink_add_test source)
  get_filename_component(name ${source} NAME_WE)
  file(STRINGS ${source} runs_program REGEX "BRINK_PROGRAM")
  file(STRINGS ${source} can_do_without REGEX "#ifdef BRINK_PROGRAM")
  if(runs_program AND NOT can_do_without AND NOT TARGET brink_program)
    message(STATUS "The program is not built: ${name} is skipped")
    return()
  endif()
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${brink_test_libraries} ${ARGN})
  target_compile_definitions(${name} PRIVATE BRINK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(runs_program AND TARGET brink_program)
    target_compile_definitions(${name} PRIVATE
      BRINK_PROGRAM="$<TARGET_FILE:brink_program>" BRINK_MODELS="${PROJECT_SOURCE_DIR}/models")
    add_dependencies(${name} brink_program)
  endif()
  brink_add_test_alone(${name} $<TARGET_FILE:${name}>)
  if(name MATCHES "^(test_threads|test_agents_threads|test_instance_clone|test_change_over|test_crew|tsan_.*)$")
    set_tests_properties(${name} PROPERTIES LABELS thread)
    add_dependencies(thread_tests ${name})
  elseif(name MATCHES "^oracle_")
    set_tests_properties(${name} PROPERTIES LABELS oracle)
    if(BRINK_ORACLE_PERCENT)
      set_property(TEST ${name} APPEND PROPERTY
        ENVIRONMENT "BRINK_ORACLE_PERCENT=${BRINK_ORACLE_PERCENT}")
    endif()
  endif()
endfunction()

file(GLOB test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/test_*.c)
if(NOT BRINK_FIT)
  message(STATUS "There is no brink fit: its tests are left out")
  list(FILTER test_sources EXCLUDE REGEX "/test_fit[^/]*\\.c$")
endif()
foreach(source IN LISTS test_sources)
  brink_add_test(${source})
endforeach()

# Its calls of calloc can fail.
if(TARGET test_fit_memory)
  target_link_options(test_fit_memory PRIVATE -Wl,--wrap=calloc)
endif()

# The library that models of test_external call.
add_library(brink_test_library MODULE ${PROJECT_SOURCE_DIR}/tests/external/library.c)
set_target_properties(brink_test_library PROPERTIES
  OUTPUT_NAME testlibrary
  C_VISIBILITY_PRESET default
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_link_libraries(brink_test_library PRIVATE m)
foreach(name IN ITEMS test_external test_lang_errors)
  target_compile_definitions(${name} PRIVATE
    BRINK_EXTERNAL_DIRECTORY="$<TARGET_FILE_DIR:brink_test_library>")
  add_dependencies(${name} brink_test_library)
endforeach()

# Beside CVODE, where it is installed.
include(cmake/FindSundialsStatic.cmake)
if(SUNDIALS_FOUND)
  target_link_libraries(test_bdf_accuracy PRIVATE Sundials::cvode)
  target_compile_definitions(test_bdf_accuracy PRIVATE BRINK_WITH_SUNDIALS)
else()
  message(STATUS "SUNDIALS not found: bdf is tested without CVODE beside it (Debian package libsundials-dev)")
endif()

file(GLOB tsan_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/tsan_*.c)
if(NOT BRINK_FIT)
  list(FILTER tsan_sources EXCLUDE REGEX "/tsan_fit\\.c$")
endif()
if(BRINK_SANITIZE MATCHES "thread")
  foreach(source IN LISTS tsan_sources)
    brink_add_test(${source})
  endforeach()
endif()

file(GLOB oracle_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/oracle_*.c)
if(oracle_sources)
  include(cmake/FindArb.cmake)
  if(ARB_FOUND)
    foreach(source IN LISTS oracle_sources)
      brink_add_test(${source} Arb::arb)
    endforeach()
  else()
    message(STATUS "Arb not found: the oracle tests are skipped "
      "(Debian packages libflint-arb-dev and libflint-dev)")
  endif()
endif()

# brink reproduce with experiments that are not as published, for its exit codes.
if(TARGET brink_program)
  add_executable(brink_differing ${PROJECT_SOURCE_DIR}/tests/experiments/list.c)
  set_target_properties(brink_differing PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(brink_differing PRIVATE brink_cli)
  target_compile_definitions(test_reproduce PRIVATE BRINK_DIFFERING="$<TARGET_FILE:brink_differing>")
  add_dependencies(test_reproduce brink_differing)
endif()

# The program is killed, resumed, and its results compared.
if(TARGET brink_program)
  brink_add_test_alone(kill_resume ${PROJECT_SOURCE_DIR}/scripts/kill-resume --quick
    --program $<TARGET_FILE:brink_program>)
  set_tests_properties(kill_resume PROPERTIES SKIP_RETURN_CODE 77)
endif()

# Allocations and system calls fail, the disk is full, the memory is limited, the program is killed: a few of each.
if(TARGET brink_program AND NOT BRINK_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_library(faults_preload MODULE ${PROJECT_SOURCE_DIR}/tests/faults/preload.c)
  set_target_properties(faults_preload PROPERTIES
    PREFIX ""
    C_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_executable(faults_tracer ${PROJECT_SOURCE_DIR}/tests/faults/tracer.c)
  set_target_properties(faults_tracer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  set(faults ${PROJECT_SOURCE_DIR}/scripts/faults
    --program $<TARGET_FILE:brink_program> --tools ${PROJECT_BINARY_DIR}/tests)
  brink_add_test_alone(faults ${faults} --shortened --count 3)
  brink_add_test_alone(faults_of_memory ${faults} --class allocations --case json)
  set_tests_properties(faults faults_of_memory PROPERTIES SKIP_RETURN_CODE 77)
endif()

# The program is interrupted at long work; it has much to do. Both are much longer by their scripts.
if(TARGET brink_program AND NOT BRINK_SANITIZE)
  brink_add_test_alone(interrupts ${PROJECT_SOURCE_DIR}/scripts/interrupts --quick --limit 2
    --program $<TARGET_FILE:brink_program>)
  brink_add_test_alone(load ${PROJECT_SOURCE_DIR}/scripts/load --factor 0.0002 --program $<TARGET_FILE:brink_program>)
  set_tests_properties(interrupts load PROPERTIES SKIP_RETURN_CODE 77)
endif()

# The program without a home, with a decimal comma, on a full disk, as another user, …
if(TARGET brink_program AND NOT BRINK_SANITIZE)
  brink_add_test_alone(odd_machines ${PROJECT_SOURCE_DIR}/scripts/test-odd-machines --quick
    --program $<TARGET_FILE:brink_program>)
endif()

# The library keeps what programs depend on that were compiled with an earlier version.
if(NOT BRINK_SANITIZE)
  brink_add_test_alone(abi ${PROJECT_SOURCE_DIR}/scripts/abi --check $<TARGET_FILE:brink>)
  brink_add_test_alone(abi_self_test ${PROJECT_SOURCE_DIR}/scripts/abi --self-test)
  set_tests_properties(abi PROPERTIES SKIP_RETURN_CODE 77)
endif()

# The hardening flags are on what was built, and on the code of models.
if(TARGET brink_program AND BRINK_HARDEN AND NOT BRINK_SANITIZE AND NOT BRINK_FUZZ)
  set(module "")
  if(TARGET brink_mpi)
    set(module $<TARGET_FILE:brink_mpi>)
  endif()
  brink_add_test_alone(hardening ${PROJECT_SOURCE_DIR}/scripts/check-hardening --program $<TARGET_FILE:brink_program>
    ${module})
  brink_add_test_alone(hardening_self_test ${PROJECT_SOURCE_DIR}/scripts/check-hardening --self-test)
  set_tests_properties(hardening hardening_self_test PROPERTIES SKIP_RETURN_CODE 77)
endif()

# Every model of models/, one after another: sanitized, and on a busy machine, that takes long.
if(TEST test_models)
  set_tests_properties(test_models PROPERTIES TIMEOUT 1200)
endif()

# What starts partner programs, or looks at the user's home: with every kind of home.
if(TARGET brink_program AND NOT BRINK_SANITIZE)
  foreach(name IN ITEMS test_tutorial test_condition_program test_cli_doctor)
    brink_add_homes_test(${name} $<TARGET_FILE:${name}>)
  endforeach()
endif()

# Result files as other programs read them. 77: such a program is not installed.
find_program(BRINK_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(BRINK_PYTHON)
if(BRINK_PYTHON AND TARGET brink_program AND NOT BRINK_SANITIZE)
  foreach(what IN ITEMS octave scipy h5dump killed limits)
    set(command ${BRINK_PYTHON} ${PROJECT_SOURCE_DIR}/tests/results/read_back.py ${what}
      $<TARGET_FILE:brink_program> ${PROJECT_SOURCE_DIR}/models)
    brink_add_test_alone(results_${what} ${command})
    set_tests_properties(results_${what} PROPERTIES SKIP_RETURN_CODE 77)
    if(what MATCHES "^(octave|scipy|h5dump)$")
      brink_add_homes_test(results_${what} ${command})
    endif()
  endforeach()
elseif(NOT BRINK_PYTHON)
  message(STATUS "python3 not found: results are not read by other programs")
endif()

# How work grows with a model, by counts of instructions. scripts/growth does it for each kind of thing. (Valgrind 3.19 cannot read
# what clang 14 says of its code.)
find_program(BRINK_VALGRIND NAMES valgrind)
mark_as_advanced(BRINK_VALGRIND)
if(BRINK_PYTHON AND BRINK_VALGRIND AND TARGET brink_program AND NOT BRINK_SANITIZE
   AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  add_test(NAME growth COMMAND ${BRINK_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/growth --short
    --program $<TARGET_FILE:brink_program>)
elseif(NOT BRINK_VALGRIND)
  message(STATUS "valgrind not found: how work grows with a model is not tested")
endif()

# brink.m in Octave. 77: it is not installed.
if(TARGET brink_program AND NOT BRINK_SANITIZE)
  brink_add_test_alone(octave ${PROJECT_SOURCE_DIR}/octave/test $<TARGET_FILE:brink_program>)
  set_tests_properties(octave PROPERTIES SKIP_RETURN_CODE 77)
endif()

# The judge: a second, plain simulator of the language (tests/judge), its own tests, and the campaign that compares
# Brink with it on random models. BRINK_ORACLE_PERCENT is the share of the models, too.
file(GLOB judge_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/judge/*.c)
list(FILTER judge_sources EXCLUDE REGEX "/campaign\\.c$")
add_library(brink_judge STATIC ${judge_sources})
target_link_libraries(brink_judge PUBLIC ${brink_test_libraries})
target_link_libraries(test_judge PRIVATE brink_judge)
add_executable(judge_campaign ${PROJECT_SOURCE_DIR}/tests/judge/campaign.c)
set_target_properties(judge_campaign PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_link_libraries(judge_campaign PRIVATE brink_judge)
if(TARGET brink_program)
  target_compile_definitions(judge_campaign PRIVATE BRINK_PROGRAM="$<TARGET_FILE:brink_program>")
  add_dependencies(judge_campaign brink_program)
endif()
brink_add_test_alone(judge_campaign $<TARGET_FILE:judge_campaign> --count 1000 --native 2 --jobs 2
  --save ${PROJECT_BINARY_DIR}/tests/judge)
set_tests_properties(judge_campaign PROPERTIES TIMEOUT 900 PROCESSORS 2)
if(BRINK_ORACLE_PERCENT)
  set_tests_properties(judge_campaign PROPERTIES
    ENVIRONMENT "BRINK_ORACLE_PERCENT=${BRINK_ORACLE_PERCENT}")
endif()

# Models, changed as their authors might have (fuzz/mutants.c, scripts/mutants): a few of them.
add_executable(mutants ${PROJECT_SOURCE_DIR}/fuzz/mutants.c ${PROJECT_SOURCE_DIR}/fuzz/ways.c)
set_target_properties(mutants PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
target_link_libraries(mutants PRIVATE ${brink_test_libraries})
brink_add_test_alone(mutants $<TARGET_FILE:mutants> --count 400 --native 2 --ways 10 --save ${PROJECT_BINARY_DIR}/tests/mutants
  ${PROJECT_SOURCE_DIR}/tests/lang/run ${PROJECT_SOURCE_DIR}/tests/witness)

# Instructions of a step and of an event, counted by valgrind: figures of an optimised build by one compiler. 77: there is none.
if(NOT BRINK_SANITIZE)
  add_executable(count_instructions ${PROJECT_SOURCE_DIR}/bench/instructions/count.c
    ${PROJECT_SOURCE_DIR}/bench/support/taylor_models.c)
  set_target_properties(count_instructions PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_include_directories(count_instructions PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bench)
  target_link_libraries(count_instructions PRIVATE brink_internal Threads::Threads m)
  if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    brink_add_test_alone(instructions ${PROJECT_SOURCE_DIR}/scripts/instructions --check
      --program $<TARGET_FILE:count_instructions>)
    set_tests_properties(instructions PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endif()

# Sweeps by shares and by ranks, and a run by ranks. Under sanitizers mpirun is left out: Open MPI itself leaks memory, and has races of its own.
if(TARGET brink_program)
  foreach(name IN ITEMS shares launch)
    brink_add_test_alone(cluster_${name} ${PROJECT_SOURCE_DIR}/tests/cluster/${name}.sh
      $<TARGET_FILE:brink_program>)
  endforeach()
  if(TARGET brink_mpi AND MPIEXEC_EXECUTABLE AND NOT BRINK_SANITIZE)
    brink_add_test_alone(cluster_mpi ${PROJECT_SOURCE_DIR}/tests/cluster/mpi.sh
      $<TARGET_FILE:brink_program> ${MPIEXEC_EXECUTABLE})
    brink_add_test_alone(cluster_run ${PROJECT_SOURCE_DIR}/tests/cluster/run.sh
      $<TARGET_FILE:brink_program> ${MPIEXEC_EXECUTABLE})
    set_tests_properties(cluster_mpi cluster_run PROPERTIES PROCESSORS 2)
  else()
    message(STATUS "MPI not found, or a build with sanitizers: the tests cluster_mpi and cluster_run are skipped "
      "(Debian packages libopenmpi-dev and openmpi-bin)")
  endif()
endif()
