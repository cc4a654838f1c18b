# The Python package, for `cmake --install` (component python). `make python` builds it in place, without this.
#
#   BRINK_PYTHON       ON, OFF, or AUTO: if a Python with all that it takes is there; $PYTHON, else see scripts/python
#   BRINK_PYTHON_DIR   where it goes; empty: as Python says for the prefix, such as lib/python3/dist-packages
set(BRINK_PYTHON OFF CACHE STRING "Build and install the Python package: ON, OFF, AUTO")
set(BRINK_PYTHON_DIR "" CACHE STRING "Where the Python package is installed")
if(NOT BRINK_PYTHON)
  return()
endif()

set(python_source ${PROJECT_SOURCE_DIR}/python)
set(python_made ${PROJECT_BINARY_DIR}/python)

execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/python --which
  OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND "${python}" -B brink_build.py --missing
  WORKING_DIRECTORY ${python_source}
  RESULT_VARIABLE python_lacks OUTPUT_VARIABLE python_says ERROR_VARIABLE python_says)
if(NOT python)
  set(python_says "missing: python3")
endif()
if(NOT python_lacks EQUAL 0)
  string(STRIP "${python_says}" python_says)
  if(NOT BRINK_PYTHON STREQUAL "AUTO")
    message(FATAL_ERROR "BRINK_PYTHON: ${python_says}")
  endif()
  message(STATUS "The Python package is left out: ${python_says}")
  return()
endif()

if(BRINK_PYTHON_DIR)
  set(python_dir ${BRINK_PYTHON_DIR})
else()
  execute_process(COMMAND "${python}" -B brink_build.py --site ${CMAKE_INSTALL_PREFIX}
    WORKING_DIRECTORY ${python_source}
    OUTPUT_VARIABLE python_dir OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  # Relative, so that `cmake --install --prefix` and a tree that is moved hold.
  file(RELATIVE_PATH python_dir ${CMAKE_INSTALL_PREFIX} ${python_dir})
endif()

# Always with a static library: the module is the same whatever BUILD_SHARED_LIBS says.
file(GLOB python_inputs CONFIGURE_DEPENDS
  ${python_source}/*.py ${python_source}/cdef/*.h ${python_source}/src/* ${PROJECT_SOURCE_DIR}/include/brink/*.h)
add_custom_command(
  OUTPUT ${python_made}/_native.abi3.so
  COMMAND ${CMAKE_COMMAND} -E env BRINK_LIBRARY=$<TARGET_FILE:brink_internal>
    BRINK_INCLUDE=${PROJECT_SOURCE_DIR}/include
    "${python}" -B ${python_source}/brink_build.py --output ${python_made}/_native.abi3.so
  COMMAND "${python}" -B ${python_source}/brink_backend.py ${python_made}/dist-info ${PROJECT_VERSION}
  DEPENDS brink_internal ${python_inputs}
  COMMENT "Building the Python package"
  VERBATIM)
add_custom_target(python_package ALL DEPENDS ${python_made}/_native.abi3.so)
add_dependencies(product python_package)

install(DIRECTORY ${python_source}/brink DESTINATION ${python_dir} COMPONENT python
  FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
install(FILES ${python_made}/_native.abi3.so DESTINATION ${python_dir}/brink COMPONENT python)
install(DIRECTORY ${python_made}/dist-info/ DESTINATION ${python_dir}/brink-${PROJECT_VERSION}.dist-info
  COMPONENT python)
