# BRINK_MPI: the module brink-mpi.so, by which `mpirun brink sweep` and `srun --mpi=pmix brink sweep` share the runs among ranks
# (docs/decisions/0022-many-machines.md). The program loads it when it was started like that; neither it nor the library is
# linked with libmpi.
#
#   AUTO   if an MPI is found (the default)
#   ON     it must be found
#   OFF    without it; brink sweep then refuses to be started by mpirun

set(BRINK_MPI AUTO CACHE STRING "The module for MPI: AUTO, ON or OFF (needs an MPI, such as libopenmpi-dev)")
set_property(CACHE BRINK_MPI PROPERTY STRINGS AUTO ON OFF)

if(BRINK_MPI)
  find_package(MPI QUIET COMPONENTS C)
  if(NOT MPI_C_FOUND AND NOT BRINK_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "BRINK_MPI needs an MPI (Debian packages libopenmpi-dev and openmpi-bin)")
  endif()
  if(NOT MPI_C_FOUND)
    message(STATUS "MPI not found: brink sweep works on one machine, or by shares (Debian package libopenmpi-dev)")
  endif()
endif()

# brink_mpi_path: the module as seen from the folder of the program, where both are installed.
set(brink_mpi_dir ${CMAKE_INSTALL_LIBDIR}/brink)
GNUInstallDirs_get_absolute_install_dir(brink_mpi_full_dir brink_mpi_dir LIBDIR)
file(RELATIVE_PATH brink_mpi_path ${CMAKE_INSTALL_FULL_BINDIR} ${brink_mpi_full_dir}/brink-mpi.so)

target_compile_definitions(brink_cli PRIVATE BRINK_MPI_PATH="${brink_mpi_path}")

if(MPI_C_FOUND)
  add_library(brink_mpi MODULE ${PROJECT_SOURCE_DIR}/src/mpi/module.c)
  set_target_properties(brink_mpi PROPERTIES PREFIX "" OUTPUT_NAME brink-mpi)
  target_include_directories(brink_mpi PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(brink_mpi PRIVATE MPI::MPI_C)
  add_dependencies(brink_cli brink_mpi) # where the program is, it is, too
  install(TARGETS brink_mpi LIBRARY DESTINATION ${brink_mpi_dir} COMPONENT mpi)
endif()
