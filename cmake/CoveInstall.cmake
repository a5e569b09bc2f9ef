# What `cmake --install` lays down: libraries, headers, the package config, the command and its data.
include(CMakePackageConfigHelpers)

set(COVE_INSTALL_CMAKE "${CMAKE_INSTALL_LIBDIR}/cmake/cove")
set(COVE_INSTALL_DATA "${CMAKE_INSTALL_DATADIR}/cove")

get_property(_cove_libraries GLOBAL PROPERTY COVE_INSTALLED_LIBRARIES)
install(TARGETS cove_all ${_cove_libraries} EXPORT cove-targets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
# All that is installed, without tests and fuzz targets: what `make install` builds.
add_custom_target(installed DEPENDS cove ${_cove_libraries})
if(TARGET cove-net)
  add_dependencies(installed cove-net)
endif()
install(EXPORT cove-targets NAMESPACE cove:: DESTINATION "${COVE_INSTALL_CMAKE}")
install(TARGETS cove RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS cove-net RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/cove")

install(DIRECTORY src/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/cove" FILES_MATCHING PATTERN "*.h"
        PATTERN "cli" EXCLUDE PATTERN "testing" EXCLUDE PATTERN "api" EXCLUDE PATTERN "net" EXCLUDE)

configure_package_config_file(cmake/cove-config.cmake.in cove-config.cmake
  INSTALL_DESTINATION "${COVE_INSTALL_CMAKE}" PATH_VARS COVE_INSTALL_DATA)
write_basic_package_version_file(cove-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cove-config.cmake"
              "${PROJECT_BINARY_DIR}/cove-config-version.cmake" cmake/FindSeccomp.cmake
        DESTINATION "${COVE_INSTALL_CMAKE}")

install(DIRECTORY profiles policies DESTINATION "${COVE_INSTALL_DATA}"
        FILES_MATCHING PATTERN "*.toml")
# Of guest/ only what is read at run time; the compiled part is inside the library.
install(DIRECTORY guest DESTINATION "${COVE_INSTALL_DATA}" PATTERN "CMakeLists.txt" EXCLUDE
        PATTERN "*.md" EXCLUDE PATTERN "*_test.*" EXCLUDE PATTERN "__pycache__" EXCLUDE
        REGEX "\\.(c|cc|h|S|ld|lds)$" EXCLUDE)
install(FILES completions/cove.bash DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        RENAME cove OPTIONAL)
install(FILES completions/cove.zsh DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
        RENAME _cove OPTIONAL)
install(FILES completions/cove.fish DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
        OPTIONAL)
install(FILES man/cove.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL)
install(FILES LICENSE README.md SECURITY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
