# Two precompiled headers, one for the libraries and one for the tests: parsing the standard library,
# fmt and Boost.JSON again for each file was half of a build. No file relies on them: the clang
# preset, which clang-tidy reads, builds without.
set(COVE_PRECOMPILED
  <algorithm> <array> <atomic> <cerrno> <charconv> <chrono> <condition_variable> <cstddef> <cstdint>
  <cstdlib> <cstring> <filesystem> <fstream> <functional> <iterator> <map> <memory> <mutex>
  <optional> <set> <span> <sstream> <stop_token> <string> <string_view> <system_error> <thread>
  <utility> <variant> <vector> <fmt/format.h> <boost/json.hpp>)

# Targets of their own make them, so that no other target's definitions get in.
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/precompiled.cc" CONTENT "int main() {}\n")

# cove_precompiled_headers(TARGET [TEST])
function(cove_precompiled_headers target)
  set(owner cove_headers)
  if("TEST" IN_LIST ARGN)
    set(owner cove_test_headers)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  _cove_precompiled_options(${target})
endfunction()

function(_cove_precompiled_options target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>")
  endif()
endfunction()

function(_cove_make_precompiled owner)
  cmake_parse_arguments(ARG "UNOPTIMISED" "" "LINK;HEADERS" ${ARGN})
  # g++ asks that both sides agree on -fPIC or -fPIE: a test is an executable.
  if(ARG_UNOPTIMISED)
    add_executable(${owner} EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/precompiled.cc")
  else()
    add_library(${owner} OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/precompiled.cc")
  endif()
  target_link_libraries(${owner} PRIVATE ${ARG_LINK})
  if(ARG_UNOPTIMISED)
    cove_target_options(${owner} UNOPTIMISED)
  else()
    cove_target_options(${owner})
  endif()
  target_precompile_headers(${owner} PRIVATE ${ARG_HEADERS})
  _cove_precompiled_options(${owner})
endfunction()

# Not linked with anything: reusing a header must not put its target into what is installed.
_cove_make_precompiled(cove_headers LINK Boost::json ${COVE_FMT} HEADERS ${COVE_PRECOMPILED})
if(BUILD_TESTING)
  _cove_make_precompiled(cove_test_headers UNOPTIMISED LINK Boost::json ${COVE_FMT} GTest::gtest
                         HEADERS ${COVE_PRECOMPILED} <gtest/gtest.h>)
endif()
