# The kinds of target that the project has.
#
#   cove_library(FOLDER …)    src/FOLDER/**/*.cc -> libcove_FOLDER.a; its *_test.cc -> FOLDER_test
#   cove_command(NAME MAIN …) an executable in bin/
#   cove_gtest(NAME …)        a GoogleTest executable, each test case known to ctest by itself

include(GoogleTest)
set_property(GLOBAL PROPERTY COVE_INSTALLED_LIBRARIES "")
add_custom_target(unit_tests)  # every executable that `ctest -L unit` runs

# cove_library(FOLDER [EXCLUDE file…] [DEPENDS folder…] [LINK target…] [PRIVATE_TO_BUILD])
# PRIVATE_TO_BUILD keeps the library out of what is installed.
function(cove_library folder)
  cmake_parse_arguments(ARG "PRIVATE_TO_BUILD" "" "EXCLUDE;DEPENDS;LINK" ${ARGN})
  set(root "${PROJECT_SOURCE_DIR}/src/${folder}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${root}/*.cc")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  foreach(name IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources "${root}/${name}")
  endforeach()
  add_library(cove_${folder} STATIC ${sources})
  list(TRANSFORM ARG_DEPENDS PREPEND cove_)
  target_link_libraries(cove_${folder} PUBLIC ${ARG_DEPENDS} ${ARG_LINK})
  if(ARG_PRIVATE_TO_BUILD)
    cove_register_library(${folder} PRIVATE_TO_BUILD)
  else()
    cove_register_library(${folder})
  endif()
endfunction()

# What every cove_FOLDER shares, also one that a CMakeLists.txt of its own defines: options, include
# directories, tests, and (unless PRIVATE_TO_BUILD) a place in the installed package.
function(cove_register_library folder)
  cmake_parse_arguments(ARG "PRIVATE_TO_BUILD" "" "" ${ARGN})
  get_target_property(known cove_${folder} EXPORT_NAME)
  if(known)
    return()
  endif()
  cove_target_options(cove_${folder})
  cove_precompiled_headers(cove_${folder})
  target_include_directories(cove_${folder} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/cove>)
  target_compile_features(cove_${folder} PUBLIC cxx_std_23)
  set_target_properties(cove_${folder} PROPERTIES EXPORT_NAME ${folder})
  if(NOT ARG_PRIVATE_TO_BUILD)
    set_property(GLOBAL APPEND PROPERTY COVE_INSTALLED_LIBRARIES cove_${folder})
  endif()

  file(GLOB_RECURSE tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*_test.cc")
  if(BUILD_TESTING AND tests AND NOT TARGET ${folder}_test)
    cove_gtest(${folder}_test LABEL unit LINK cove_${folder} SOURCES ${tests})
  endif()
endfunction()

function(cove_command name main)
  cmake_parse_arguments(ARG "" "LIBRARY" "" ${ARGN})
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARY})
  cove_target_options(${name})
  if(COVE_HARDEN AND NOT COVE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A command that starts for every run should not spend its time in the dynamic linker.
    target_link_options(${name} PRIVATE -static-pie -Wl,--as-needed)
  endif()
endfunction()

# cove_gtest(NAME LABEL label [SERIAL] [TIMEOUT seconds] [FILTER cases] [LINK target…] SOURCES file…)
# FILTER, as --gtest_filter takes it, leaves cases to another label.
# COVE_COMMAND and COVE_TEST_DIR (the folder of the calling CMakeLists.txt) are defined for it.
function(cove_gtest name)
  cmake_parse_arguments(ARG "SERIAL" "LABEL;TIMEOUT;FILTER" "LINK;SOURCES" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main GTest::gmock)
  target_compile_definitions(${name} PRIVATE
    "COVE_COMMAND=\"${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cove\""
    "COVE_TEST_DIR=\"${CMAKE_CURRENT_SOURCE_DIR}\"")
  cove_target_options(${name} UNOPTIMISED)
  cove_precompiled_headers(${name} TEST)
  if(ARG_LABEL STREQUAL "unit")
    add_dependencies(unit_tests ${name})
  endif()
  set(serial FALSE)
  if(ARG_SERIAL)
    set(serial TRUE)
  endif()
  set(filter)
  if(ARG_FILTER)
    set(filter TEST_FILTER "${ARG_FILTER}")
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 ${filter}
    TEST_PREFIX "${name}." PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
    RUN_SERIAL ${serial})
endfunction()
