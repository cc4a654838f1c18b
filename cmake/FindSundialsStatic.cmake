# CVODE of SUNDIALS from its static archives: Debian's shared libraries pull in PETSc and MPI.
# Sets SUNDIALS_FOUND and defines Sundials::cvode. Its sunlinsolklu calls KLU (FindKlu.cmake, included before).

find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h)
mark_as_advanced(SUNDIALS_INCLUDE_DIR)

# In link order: a library stands before the ones it uses.
set(sundials_libraries "")
set(SUNDIALS_FOUND TRUE)
foreach(part IN ITEMS cvode sunnonlinsolnewton sunnonlinsolfixedpoint sunlinsolklu sunlinsoldense
                      sunlinsolband sunmatrixsparse sunmatrixdense sunmatrixband nvecserial generic)
  find_library(SUNDIALS_${part}_LIBRARY NAMES libsundials_${part}.a sundials_${part})
  mark_as_advanced(SUNDIALS_${part}_LIBRARY)
  if(SUNDIALS_${part}_LIBRARY)
    list(APPEND sundials_libraries ${SUNDIALS_${part}_LIBRARY})
  else()
    set(SUNDIALS_FOUND FALSE)
  endif()
endforeach()
if(NOT SUNDIALS_INCLUDE_DIR)
  set(SUNDIALS_FOUND FALSE)
endif()

if(SUNDIALS_FOUND AND NOT TARGET Sundials::cvode)
  add_library(Sundials::cvode INTERFACE IMPORTED)
  set_target_properties(Sundials::cvode PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${SUNDIALS_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${sundials_libraries};${KLU_LINK};m")
endif()
