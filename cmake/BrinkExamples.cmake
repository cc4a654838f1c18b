# Every examples/*.c is one program, build/examples/<name>, that uses the library as a user would:
# public headers only. CTest runs it as example_<name>; exit code 0 passes.

# Arguments of those that read a model.
set(brink_example_bumper_cars ${PROJECT_SOURCE_DIR}/models/bumper-cars/model.hsml)
set(brink_example_many_runs ${PROJECT_SOURCE_DIR}/models/corridor/model.hsml)

file(GLOB example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
foreach(source IN LISTS example_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  set_target_properties(example_${name} PROPERTIES
    OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  target_link_libraries(example_${name} PRIVATE Brink::brink m)
  add_dependencies(product example_${name})
  brink_add_test_alone(example_${name} $<TARGET_FILE:example_${name}> ${brink_example_${name}})
  set_tests_properties(example_${name} PROPERTIES LABELS example)
endforeach()
