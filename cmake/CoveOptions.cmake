# Build options, and cove_target_options(TARGET [UNOPTIMISED]), which applies them. They are set
# target by target and not globally, so that the freestanding code in guest/ gets none of them.
# UNOPTIMISED is for the tests: what they test is optimised, they themselves need not be.

option(BUILD_TESTING "Build the tests" ON)
option(COVE_WERROR "Treat warnings as errors" OFF)
option(COVE_HARDEN "Hardening flags and a mostly static command" OFF)
option(COVE_COVERAGE "Instrument for gcov" OFF)
option(COVE_FUZZ "Build the fuzz targets with libFuzzer (clang)" OFF)
option(COVE_UNITY "Compile the files of a command several at a time" ON)
set(COVE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# Lines are enough for a stack trace, and cost a third less to compile than all of -g.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

find_program(COVE_CCACHE ccache)
if(COVE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${COVE_CCACHE}")
  # What ccache must be told before it caches a file that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${COVE_CCACHE}")
endif()

set(_cove_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wformat=2 -Wimplicit-fallthrough -Wextra-semi -Wcast-qual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns wrongly about std::string's operator+ (its bug 105651).
  list(APPEND _cove_warnings -Wno-restrict -Wduplicated-cond -Wlogical-op)
  if(COVE_SANITIZE)
    list(APPEND _cove_warnings -Wno-maybe-uninitialized)  # wrong in instrumented code
  endif()
else()
  # Designated initialisers may leave the rest at its defaults, as g++ lets them.
  list(APPEND _cove_warnings -Wno-missing-designated-field-initializers
       -Wno-missing-field-initializers -Wno-sign-conversion -Wno-unknown-warning-option)
endif()

function(cove_target_options target)
  cmake_parse_arguments(ARG "UNOPTIMISED" "" "" ${ARGN})
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${_cove_warnings}>"
                                           $<$<BOOL:${COVE_WERROR}>:-Werror>)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(COVE_HARDEN AND NOT ARG_UNOPTIMISED)
    target_compile_options(${target} PRIVATE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
                           -D_GLIBCXX_ASSERTIONS -fstack-protector-strong -fstack-clash-protection)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      target_compile_options(${target} PRIVATE -fcf-protection)
    endif()
  endif()
  if(COVE_SANITIZE)
    # Assembly goes through cc, which does not know what clang does. Optimising instrumented code
    # takes longer than running it saves; for a stack trace lines are enough.
    set(_sanitize -fsanitize=${COVE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
        -O0 -g1)
    if(COVE_SANITIZE STREQUAL "thread")
      # It does not know fences, which Asio has beside its locks and can do without.
      list(APPEND _sanitize -DBOOST_ASIO_DISABLE_FENCED_BLOCK)
    endif()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${_sanitize}>")
  endif()
  if(COVE_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage)
  endif()
  if(ARG_UNOPTIMISED)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O0>" -g1)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    _cove_link_options(${target})
  endif()
endfunction()

function(_cove_link_options target)
  if(COVE_HARDEN)
    target_link_options(${target} PRIVATE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
  endif()
  if(COVE_SANITIZE)
    target_link_options(${target} PRIVATE -fsanitize=${COVE_SANITIZE})
  endif()
  if(COVE_COVERAGE)
    target_link_options(${target} PRIVATE --coverage)
  endif()
endfunction()
