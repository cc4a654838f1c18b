# brink_add_test_alone(NAME COMMAND...): a CTest test in a room of its own (tests/support/alone), in
# build/tests/rooms/NAME: its own home, cache, temporary and working directory. All tests are added by this.

function(brink_add_test_alone name)
  add_test(NAME ${name}
    COMMAND ${PROJECT_SOURCE_DIR}/tests/support/alone ${PROJECT_BINARY_DIR}/tests/rooms/${name} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endfunction()

# brink_add_homes_test(NAME COMMAND...): the test homes_NAME, the same command whatever the user's home is
# (tests/whole/homes.sh). For tests that start partner programs, which look for their files there.
function(brink_add_homes_test name)
  add_test(NAME homes_${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/whole/homes.sh
    ${PROJECT_BINARY_DIR}/tests/rooms/homes_${name} ${ARGN})
  set_tests_properties(homes_${name} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 LABELS homes)
endfunction()
