# Every bench/*.c is one program, <build>/bench/<name>, compared with CVODE of SUNDIALS;
# bench/support/*.c is linked into each of them. `make bench` runs them all.

include(cmake/FindSundialsStatic.cmake)
if(NOT SUNDIALS_FOUND)
  message(FATAL_ERROR "BRINK_BENCH needs SUNDIALS (Debian package libsundials-dev)")
endif()

file(GLOB bench_support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/support/*.c)
file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
foreach(source IN LISTS bench_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} ${source} ${bench_support_sources})
  set_target_properties(bench_${name} PROPERTIES
    OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_include_directories(bench_${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bench)
  target_compile_definitions(bench_${name} PRIVATE BRINK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_include_directories(bench_${name} SYSTEM PRIVATE ${KLU_INCLUDE_DIR})
  target_link_libraries(bench_${name} PRIVATE
    brink_problems brink_internal Sundials::cvode ${KLU_LINK} Threads::Threads m)
  if(TARGET brink_program)
    target_compile_definitions(bench_${name} PRIVATE BRINK_PROGRAM="$<TARGET_FILE:brink_program>")
    add_dependencies(bench_${name} brink_program)
  endif()
endforeach()

# IDA, where it is installed.
find_library(SUNDIALS_ida_LIBRARY NAMES libsundials_ida.a sundials_ida)
mark_as_advanced(SUNDIALS_ida_LIBRARY)
if(SUNDIALS_ida_LIBRARY)
  target_link_libraries(bench_constraints PRIVATE ${SUNDIALS_ida_LIBRARY} Sundials::cvode)
  target_compile_definitions(bench_constraints PRIVATE BRINK_WITH_IDA)
endif()
