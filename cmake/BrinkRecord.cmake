# Optional parts of the library (docs/decisions/0011-front-door.md). Without them it needs nothing but the C library:
#
#   BRINK_HDF5   .h5 result files. Needs the headers of HDF5; the library itself is loaded when a caller asks for such a
#                file, so that nobody has to have it
#   BRINK_ZLIB   reports are compressed
#   BRINK_KLU    sparse matrices for the method bdf (docs/decisions/0015-stiff.md). Without it they are dense, and models
#                of up to 2000 states can be solved. Debian's archives are not position-independent: a static library takes
#                them, a shared one needs libklu.so
#   BRINK_FIT    brink fit. Needs the headers of CMINPACK and NLopt; the libraries are loaded when something is fitted
#                (docs/decisions/0021-fitting.md)
#   BRINK_PAGE   reports have plots (BrinkPage.cmake)

find_package(ZLIB)
find_path(BRINK_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(BRINK_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(BRINK_HDF5_INCLUDE_DIR BRINK_HDF5_LIBRARY)
set(brink_has_hdf5 OFF)
if(BRINK_HDF5_INCLUDE_DIR AND BRINK_HDF5_LIBRARY)
  set(brink_has_hdf5 ON)
endif()
option(BRINK_HDF5 "Write .h5 files (needs the headers of HDF5)" ${brink_has_hdf5})
option(BRINK_ZLIB "Compress reports (needs zlib)" ${ZLIB_FOUND})
include(cmake/FindKlu.cmake)
option(BRINK_KLU "Sparse matrices for stiff models (needs KLU of SuiteSparse)" ${KLU_FOUND})
if(BRINK_KLU AND NOT KLU_FOUND)
  message(FATAL_ERROR "BRINK_KLU needs KLU (Debian package libsuitesparse-dev)")
endif()
if(BRINK_PROGRAM AND NOT BRINK_KLU)
  message(STATUS "KLU not found, or turned off: stiff models may have 2000 states (Debian package libsuitesparse-dev)")
endif()
if(BRINK_PROGRAM AND NOT (BRINK_ZLIB AND BRINK_HDF5))
  message(STATUS "zlib or HDF5 not found, or turned off: reports are larger, or there are no .h5 files "
    "(Debian packages zlib1g-dev and libhdf5-dev)")
endif()

find_path(BRINK_CMINPACK_INCLUDE_DIR cminpack.h PATH_SUFFIXES cminpack-1)
find_library(BRINK_CMINPACK_LIBRARY NAMES cminpack)
find_path(BRINK_NLOPT_INCLUDE_DIR nlopt.h)
find_library(BRINK_NLOPT_LIBRARY NAMES nlopt)
mark_as_advanced(BRINK_CMINPACK_INCLUDE_DIR BRINK_CMINPACK_LIBRARY BRINK_NLOPT_INCLUDE_DIR BRINK_NLOPT_LIBRARY)
set(brink_has_fit OFF)
if(BRINK_CMINPACK_INCLUDE_DIR AND BRINK_CMINPACK_LIBRARY AND BRINK_NLOPT_INCLUDE_DIR AND BRINK_NLOPT_LIBRARY)
  set(brink_has_fit ON)
endif()
option(BRINK_FIT "Fit models to data (needs the headers of CMINPACK and NLopt)" ${brink_has_fit})
if(BRINK_PROGRAM AND NOT BRINK_FIT)
  message(STATUS "CMINPACK or NLopt not found, or turned off: there is no brink fit "
    "(Debian packages libcminpack-dev and libnlopt-dev)")
endif()

# libx.so -> libx.so.1.0.48: to be loaded as libx.so.1
function(brink_find_soname library variable)
  file(REAL_PATH ${library} file)
  get_filename_component(file ${file} NAME)
  string(REGEX MATCH "^[^.]*\\.so\\.[0-9]+" soname ${file})
  if(NOT soname)
    message(FATAL_ERROR "${library} is not a shared library with a version")
  endif()
  set(${variable} ${soname} PARENT_SCOPE)
endfunction()

if(BRINK_FIT)
  if(NOT brink_has_fit)
    message(FATAL_ERROR "BRINK_FIT needs CMINPACK and NLopt (Debian packages libcminpack-dev and libnlopt-dev)")
  endif()
  brink_find_soname(${BRINK_CMINPACK_LIBRARY} BRINK_CMINPACK_SONAME)
  brink_find_soname(${BRINK_NLOPT_LIBRARY} BRINK_NLOPT_SONAME)
endif()

if(BRINK_HDF5)
  if(NOT brink_has_hdf5)
    message(FATAL_ERROR "BRINK_HDF5 needs HDF5 (Debian package libhdf5-dev)")
  endif()
  brink_find_soname(${BRINK_HDF5_LIBRARY} BRINK_HDF5_SONAME)
else()
  list(FILTER brink_sources EXCLUDE REGEX "/record/hdf5")
endif()

# The optional parts of one of the library's targets.
function(brink_add_parts target)
  if(BRINK_HDF5)
    target_include_directories(${target} SYSTEM PRIVATE ${BRINK_HDF5_INCLUDE_DIR})
    target_compile_definitions(${target} PRIVATE BRINK_WITH_HDF5
      BRINK_HDF5_SONAME="${BRINK_HDF5_SONAME}")
  endif()
  if(BRINK_ZLIB)
    target_compile_definitions(${target} PRIVATE BRINK_WITH_ZLIB)
    target_link_libraries(${target} PRIVATE ZLIB::ZLIB)
  endif()
  if(BRINK_FIT)
    target_include_directories(${target} SYSTEM PRIVATE ${BRINK_CMINPACK_INCLUDE_DIR}
      ${BRINK_NLOPT_INCLUDE_DIR})
    target_compile_definitions(${target} PRIVATE BRINK_WITH_FIT
      BRINK_CMINPACK_SONAME="${BRINK_CMINPACK_SONAME}" BRINK_NLOPT_SONAME="${BRINK_NLOPT_SONAME}")
  endif()
  if(BRINK_KLU)
    get_target_property(kind ${target} TYPE)
    target_compile_definitions(${target} PRIVATE BRINK_WITH_KLU)
    target_include_directories(${target} SYSTEM PRIVATE ${KLU_INCLUDE_DIR})
    if(kind STREQUAL "SHARED_LIBRARY")
      target_link_libraries(${target} PRIVATE ${KLU_SHARED_LIBRARY})
    else()
      # Users of an installed library find KLU by its names.
      target_link_libraries(${target} PRIVATE
        "$<BUILD_INTERFACE:${KLU_LINK}>" "$<INSTALL_INTERFACE:${KLU_NAMES}>")
    endif()
  endif()
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
  brink_add_page(${target})
endfunction()
