# libseccomp brings no CMake package of its own. Defines Seccomp::Seccomp. Installed beside
# cove-config.cmake, which needs it too.
find_path(Seccomp_INCLUDE_DIR seccomp.h)
# The static one if it is there: a command that starts for every run should load little.
find_library(Seccomp_STATIC_OR_SHARED_LIBRARY NAMES libseccomp.a seccomp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Seccomp REQUIRED_VARS Seccomp_STATIC_OR_SHARED_LIBRARY Seccomp_INCLUDE_DIR)
mark_as_advanced(Seccomp_INCLUDE_DIR Seccomp_STATIC_OR_SHARED_LIBRARY)
if(Seccomp_FOUND AND NOT TARGET Seccomp::Seccomp)
  add_library(Seccomp::Seccomp UNKNOWN IMPORTED)
  set_target_properties(Seccomp::Seccomp PROPERTIES
    IMPORTED_LOCATION "${Seccomp_STATIC_OR_SHARED_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Seccomp_INCLUDE_DIR}")
endif()
