# SPDX-License-Identifier: BSD-3-Clause
#
# One target per folder: nmadtune_module(NAME SOURCES ... USES ...). One executable per test folder:
# nmadtune_test(NAME SOURCES ... USES ...).

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
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror=return-type)
target_compile_definitions(nmadtune_options INTERFACE NMT_VERSION="${PROJECT_VERSION}")
if(NMADTUNE_SANITIZE)
  target_compile_options(nmadtune_options INTERFACE
    -fsanitize=${NMADTUNE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(nmadtune_options INTERFACE -fsanitize=${NMADTUNE_SANITIZE})
endif()

function(nmadtune_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_library(nmt_${name} STATIC ${arg_SOURCES})
  target_link_libraries(nmt_${name} PUBLIC nmadtune_options ${arg_USES})
endfunction()

function(nmadtune_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_USES} GTest::gtest GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()
