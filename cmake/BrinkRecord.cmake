# What a run leaves behind: src/record, an internal library of the program, so that libbrink itself
# needs nothing but the C library. Uses zlib, and the headers of HDF5: the program loads that library
# when somebody asks for a .h5 file (docs/decisions/0008-result-files.md).

find_package(ZLIB)
find_path(BRINK_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(BRINK_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(BRINK_HDF5_INCLUDE_DIR BRINK_HDF5_LIBRARY)
if(NOT ZLIB_FOUND OR NOT BRINK_HDF5_INCLUDE_DIR OR NOT BRINK_HDF5_LIBRARY)
  message(FATAL_ERROR "zlib and HDF5 are needed to build the program "
    "(Debian packages zlib1g-dev and libhdf5-dev)")
endif()

# libhdf5_serial.so -> libhdf5_serial.so.103.3.1: to be loaded as libhdf5_serial.so.103
file(REAL_PATH ${BRINK_HDF5_LIBRARY} hdf5_file)
get_filename_component(hdf5_file ${hdf5_file} NAME)
string(REGEX MATCH "^[^.]*\\.so\\.[0-9]+" BRINK_HDF5_SONAME ${hdf5_file})
if(NOT BRINK_HDF5_SONAME)
  message(FATAL_ERROR "${BRINK_HDF5_LIBRARY} is not a shared library with a version")
endif()

file(GLOB record_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/record/*.c)
add_library(brink_record STATIC ${record_sources})
target_include_directories(brink_record PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(brink_record SYSTEM PRIVATE ${BRINK_HDF5_INCLUDE_DIR})
target_compile_definitions(brink_record PRIVATE BRINK_HDF5_SONAME="${BRINK_HDF5_SONAME}")
target_link_libraries(brink_record PUBLIC brink_internal PRIVATE ZLIB::ZLIB ${CMAKE_DL_LIBS} m)
