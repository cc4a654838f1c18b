# What `cmake --install` puts where: headers, library, brink.pc and the CMake package Brink.
# All of it finds itself from its own place, so an installed tree may be moved.

include(CMakePackageConfigHelpers)

install(TARGETS brink EXPORT BrinkTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/brink
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")

set(brink_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Brink)
configure_package_config_file(cmake/BrinkConfig.cmake.in ${PROJECT_BINARY_DIR}/BrinkConfig.cmake
  INSTALL_DESTINATION ${brink_cmake_dir}
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break: 0.1.x does not promise to serve a user of 0.2.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BrinkConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BrinkConfig.cmake ${PROJECT_BINARY_DIR}/BrinkConfigVersion.cmake
  DESTINATION ${brink_cmake_dir})
install(EXPORT BrinkTargets NAMESPACE Brink:: DESTINATION ${brink_cmake_dir})

# brink.pc: a static library asks its users for -lm and threads, a shared one brings them along.
set(brink_pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH up_to_prefix ${brink_pc_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" up_to_prefix "${up_to_prefix}")
set(BRINK_PC_PREFIX "\${pcfiledir}/${up_to_prefix}")
foreach(dir IN ITEMS LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(BRINK_PC_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(BRINK_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
if(BUILD_SHARED_LIBS)
  set(BRINK_PC_LIBS "")
  set(BRINK_PC_LIBS_PRIVATE "-lm -pthread")
else()
  set(BRINK_PC_LIBS " -lm -pthread")
  set(BRINK_PC_LIBS_PRIVATE "")
endif()
configure_file(cmake/brink.pc.in ${PROJECT_BINARY_DIR}/brink.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/brink.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
