# What `cmake --install` puts where, in the directories of GNU (CMAKE_INSTALL_…):
#
#   component program       the program, its manual pages and completion, brink.m for Octave, models, documentation
#   component mpi           the module for MPI (cmake/BrinkMpi.cmake)
#   component development   headers, library, brink.pc and the CMake package Brink
#   component python        the Python package (cmake/BrinkPython.cmake)
#
# All of it finds itself from its own place, so an installed tree may be moved.

include(CMakePackageConfigHelpers)

if("$CACHE{CMAKE_INSTALL_DOCDIR}" STREQUAL "")
  set(CMAKE_INSTALL_DOCDIR ${CMAKE_INSTALL_DATAROOTDIR}/doc/brink) # not .../Brink
  GNUInstallDirs_get_absolute_install_dir(CMAKE_INSTALL_FULL_DOCDIR CMAKE_INSTALL_DOCDIR DOCDIR)
endif()

# --- the library -------------------------------------------------------------------------------

install(TARGETS brink EXPORT BrinkTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/brink
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development
  FILES_MATCHING PATTERN "*.h")

set(brink_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Brink)
configure_package_config_file(cmake/BrinkConfig.cmake.in ${PROJECT_BINARY_DIR}/BrinkConfig.cmake
  INSTALL_DESTINATION ${brink_cmake_dir}
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break: 0.1.x does not promise to serve a user of 0.2.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BrinkConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BrinkConfig.cmake ${PROJECT_BINARY_DIR}/BrinkConfigVersion.cmake
  DESTINATION ${brink_cmake_dir}
  COMPONENT development)
install(EXPORT BrinkTargets NAMESPACE Brink:: DESTINATION ${brink_cmake_dir} COMPONENT development)

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
set(brink_needs "-lm -pthread")
if(BRINK_ZLIB)
  string(APPEND brink_needs " -lz")
endif()
if(BRINK_KLU)
  foreach(name IN LISTS KLU_NAMES)
    string(APPEND brink_needs " -l${name}")
  endforeach()
endif()
if(CMAKE_DL_LIBS)
  string(APPEND brink_needs " -l${CMAKE_DL_LIBS}")
endif()
if(BUILD_SHARED_LIBS)
  set(BRINK_PC_LIBS "")
  set(BRINK_PC_LIBS_PRIVATE "${brink_needs}")
else()
  set(BRINK_PC_LIBS " ${brink_needs}")
  set(BRINK_PC_LIBS_PRIVATE "")
endif()
configure_file(cmake/brink.pc.in ${PROJECT_BINARY_DIR}/brink.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/brink.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
      -D PREFIX=${CMAKE_INSTALL_PREFIX} -P ${PROJECT_SOURCE_DIR}/cmake/BrinkUninstall.cmake
    VERBATIM)
endif()

if(NOT BRINK_PROGRAM)
  return()
endif()

# --- the program -------------------------------------------------------------------------------

install(TARGETS brink_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

# Where shells look for completion; -DBRINK_ZSH_DIR=… for another place, such as Debian's.
function(brink_default_dir name below)
  if(NOT ${name})
    set(${name} ${CMAKE_INSTALL_DATADIR}/${below} PARENT_SCOPE)
  endif()
endfunction()
brink_default_dir(BRINK_BASH_DIR bash-completion/completions)
brink_default_dir(BRINK_ZSH_DIR zsh/site-functions)
brink_default_dir(BRINK_FISH_DIR fish/vendor_completions.d)

if(CMAKE_CROSSCOMPILING)
  message(STATUS "manual pages and completion skipped: the program writes them, and cannot run here")
else()
  set(guides ${PROJECT_BINARY_DIR}/guides)
  add_custom_command(
    OUTPUT ${guides}/stamp
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:brink_program> -D OUT=${guides}
      -P ${PROJECT_SOURCE_DIR}/cmake/BrinkGuides.cmake
    DEPENDS brink_program ${PROJECT_SOURCE_DIR}/cmake/BrinkGuides.cmake
    COMMENT "Writing manual pages and completion"
    VERBATIM)
  add_custom_target(guides ALL DEPENDS ${guides}/stamp)
  add_dependencies(product guides)
  install(DIRECTORY ${guides}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
  install(FILES ${guides}/brink.bash DESTINATION ${BRINK_BASH_DIR} RENAME brink COMPONENT program)
  install(FILES ${guides}/_brink DESTINATION ${BRINK_ZSH_DIR} COMPONENT program)
  install(FILES ${guides}/brink.fish DESTINATION ${BRINK_FISH_DIR} COMPONENT program)
endif()

# Octave looks for functions below share/octave/site/m of its own prefix. brink.m finds the program from there.
install(FILES octave/brink.m DESTINATION ${CMAKE_INSTALL_DATADIR}/octave/site/m/brink COMPONENT program)

# The models are data, because some systems drop all documentation; a link keeps the paths of the
# documents right: README.md speaks of docs/ and models/ beside it.
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/brink COMPONENT program)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
file(RELATIVE_PATH models_from_doc ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_DATADIR}/brink/models)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/links)
file(CREATE_LINK ${models_from_doc} ${PROJECT_BINARY_DIR}/links/models SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/links/models DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
