# SPDX-License-Identifier: BSD-3-Clause
#
# One target per folder, with its sources listed:
#   nmadtune_module(core SOURCES ... USES ...)            -> library nmt_core
# with SANITIZED_LESS where it is of the commands alone.
# One executable per folder of tests; each of its tests becomes one of ctest's:
#   nmadtune_test(core_test SOURCES ... USES ... [LABELS label...] [LONG name...] [FULL name...]
#                 [TIMEOUT seconds] [LOCK name])  LOCK: one at a time of all that have this name
# One group of benchmarks (scripts/bench), an executable or a script of this folder:
#   nmadtune_bench_group(core SOURCES ... USES ...)
#   nmadtune_bench_group(sampling SCRIPT sampling)
#
# scripts/test chooses by labels, of an executable of tests or of single tests in it:
#   timing  measures this machine: runs alone, and never under a sanitizer
#   slow    takes more than some seconds: left out by --quick and under sanitizers
#   full    the whole product where a covering choice is tested otherwise: only with --full. FULL
#           names these suites, and tests as Suite.Test
#   mpi     jobs of a real MPI: run on Debian 13 too, whose MPIs are others
#   debian  differs by the release of Debian otherwise: run there too
#   long    takes long by its statistics or by waiting, and shows sanitizers nothing that shorter
#           tests do not: left out under them. LONG names these suites, and tests as Suite.Test.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(nmadtune_options INTERFACE)
target_include_directories(nmadtune_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(nmadtune_options INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
  -Werror=return-type
  # Unique symbols of our libraries could be neither hidden nor unloaded by dlclose.
  $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
  # False within the standard library, which gcc takes for our code where it is precompiled.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${NMADTUNE_PRECOMPILED_HEADERS}>>:-Wno-stringop-overread>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${NMADTUNE_PRECOMPILED_HEADERS}>>:-Wno-array-bounds>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-string-conversion>)  # NMT_CHECK(!"what cannot be")
if(CMAKE_COMPILE_WARNING_AS_ERROR AND CMAKE_VERSION VERSION_LESS 3.24)  # which would not know it
  target_compile_options(nmadtune_options INTERFACE -Werror)
endif()
target_compile_definitions(nmadtune_options INTERFACE NMT_VERSION="${PROJECT_VERSION}")
if(NMADTUNE_SANITIZE)
  target_compile_options(nmadtune_options INTERFACE
    -fsanitize=${NMADTUNE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(nmadtune_options INTERFACE -fsanitize=${NMADTUNE_SANITIZE})
else()  # clang has the sanitizers' own code in programs only, not in shared libraries
  set(NMADTUNE_NO_UNDEFINED -Wl,--no-undefined)
endif()

# {fmt} is compiled into our binaries, so that they need no library of it: once, by core/fmt.cpp,
# where that knows the version; else in each source, which takes a third more time.
add_library(nmadtune_fmt INTERFACE)
if(fmt_VERSION VERSION_LESS 11)
  target_include_directories(nmadtune_fmt SYSTEM INTERFACE
    $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
else()
  target_link_libraries(nmadtune_fmt INTERFACE fmt::fmt-header-only)
endif()

# What nearly every source includes, parsed once for `name` and all that have it `from` that: a
# third of a build's time. Not in preset dev as developers build it, where sources show that they
# include what they need.
function(nmadtune_common_headers name from)
  if(NMADTUNE_PRECOMPILED_HEADERS AND name STREQUAL from)
    target_precompile_headers(${name} PRIVATE <algorithm> <array> <chrono> <cmath> <cstdint>
      <functional> <map> <memory> <optional> <set> <span> <string> <string_view> <variant> <vector>
      <fmt/format.h>)
  elseif(NMADTUNE_PRECOMPILED_HEADERS)
    target_precompile_headers(${name} REUSE_FROM ${from})
  endif()
endfunction()

if(NMADTUNE_PRECOMPILED_HEADERS)  # the modules' own, a target that no library takes objects from
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
  add_library(nmadtune_headers OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
  target_link_libraries(nmadtune_headers PRIVATE nmadtune_options nmadtune_fmt)
  nmadtune_common_headers(nmadtune_headers nmadtune_headers)
endif()

# Text in and out by CLI11 compiles for minutes optimised or with undefined-behaviour checks; what
# it calls has them.
function(nmadtune_sanitize_less name headers_from)
  nmadtune_common_headers(${name} ${headers_from})
  if(NMADTUNE_SANITIZE)
    target_compile_options(${name} PRIVATE -O0 -fno-sanitize=undefined)
  endif()
endfunction()

# The headers that nearly every test includes, parsed once for all of them.
function(nmadtune_precompile name)
  get_property(first GLOBAL PROPERTY NMADTUNE_PRECOMPILED)
  if(first)
    target_precompile_headers(${name} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY NMADTUNE_PRECOMPILED ${name})
    target_precompile_headers(${name} PRIVATE <algorithm> <chrono> <functional> <map> <memory>
      <optional> <span> <string> <vector> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endfunction()

function(nmadtune_module name)
  cmake_parse_arguments(arg "SANITIZED_LESS" "" "SOURCES;USES" ${ARGN})
  add_library(nmt_${name} STATIC ${arg_SOURCES})
  target_link_libraries(nmt_${name} PUBLIC nmadtune_options ${arg_USES})
  set_property(GLOBAL APPEND PROPERTY NMADTUNE_MODULES nmt_${name})
  if(NMADTUNE_SANITIZE)  # only what a test needs
    set_target_properties(nmt_${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
  if(arg_SANITIZED_LESS)
    nmadtune_sanitize_less(nmt_${name} nmt_${name})
  else()
    nmadtune_common_headers(nmt_${name} nmadtune_headers)
  endif()
endfunction()

# nmadtune_leave_out_unlabelled(target [label...]): not built by default where only tests with other
# labels are asked for (NMADTUNE_TESTS_LABELLED).
function(nmadtune_leave_out_unlabelled name)
  set(asked_for ${ARGN})
  list(FILTER asked_for INCLUDE REGEX "${NMADTUNE_TESTS_LABELLED}")
  if(NMADTUNE_TESTS_LABELLED AND NOT asked_for)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
endfunction()

function(nmadtune_test name)
  cmake_parse_arguments(arg "" "TIMEOUT;LOCK" "SOURCES;USES;LABELS;LONG;FULL" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT})
  if("timing" IN_LIST arg_LABELS)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(arg_LOCK)
    list(APPEND properties RESOURCE_LOCK ${arg_LOCK})
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_USES} GTest::gtest GTest::gmock GTest::gtest_main)
  # The modules are what is to be checked; the tests' own code compiles several times faster so.
  target_compile_options(${name} PRIVATE -O0 -g1)
  if(NMADTUNE_SANITIZE)
    target_compile_options(${name} PRIVATE -fno-sanitize=undefined)
    target_compile_definitions(${name} PRIVATE NMT_SANITIZED)
  endif()
  nmadtune_precompile(${name})
  nmadtune_leave_out_unlabelled(${name} ${arg_LABELS})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_LIST ${name}_tests
    PROPERTIES ${properties})
  nmadtune_label_tests(${name} "${arg_LABELS}" "${arg_LONG}" "${arg_FULL}")
endfunction()

# Labels of the tests that ctest has just found, when it reads them: gtest_discover_tests can pass
# on but one label, and the same to all.
function(nmadtune_label_tests name labels long full)
  if(NOT labels AND NOT long AND NOT full)
    return()
  endif()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [[
set(long "@long@")
set(full "@full@")
set(unknown ${long} ${full})
foreach(test IN LISTS @name@_tests)
  set(labels "@labels@")
  foreach(label IN ITEMS long full)
    foreach(name IN LISTS ${label})
      string(REPLACE "." "[.]" pattern "${name}")
      if(test MATCHES "(^|/)${pattern}([./]|$)")
        list(APPEND labels ${label})
        list(REMOVE_ITEM unknown "${name}")
      endif()
    endforeach()
  endforeach()
  set_tests_properties("${test}" PROPERTIES LABELS "${labels}")
endforeach()
if(@name@_tests AND unknown)
  message(SEND_ERROR "@name@ has no test ${unknown} to call long or full")
endif()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()

# scripts/bench runs what stands in the folder `groups` of the build; the target bench_groups
# makes all of it.
add_custom_target(bench_groups)
function(nmadtune_bench_group name)
  cmake_parse_arguments(arg "" "SCRIPT" "SOURCES;USES" ${ARGN})
  set(groups ${PROJECT_BINARY_DIR}/groups)
  if(arg_SCRIPT)
    file(MAKE_DIRECTORY ${groups})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT} ${groups}/${name} SYMBOLIC)
  else()
    add_executable(bench_${name} ${arg_SOURCES})
    target_link_libraries(bench_${name} PRIVATE ${arg_USES} benchmark::benchmark)
    set_target_properties(bench_${name} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${groups})
    add_dependencies(bench_groups bench_${name})
  endif()
endfunction()
