# SPDX-License-Identifier: BSD-3-Clause
#
# The fuzz target of snapshots, with libFuzzer: built by clang and its sanitizers, whatever builds
# the rest, from no more than what a snapshot is read by. CONTRIBUTING.md says how to run it longer.
set(fuzz ${CMAKE_CURRENT_BINARY_DIR}/fuzz)
set(sources
  core/curve.cpp core/error.cpp core/alltoall.cpp core/shape_index.cpp
  runtime/collective_rules.cpp runtime/decide.cpp runtime/decide_collective.cpp
  runtime/decide_split.cpp runtime/describe.cpp runtime/find_path.cpp
  runtime/image.cpp runtime/older_version.cpp
  runtime/split_solver.cpp runtime/signatures.cpp runtime/snapshot.cpp runtime/split.cpp
  runtime/storage.cpp
  tests/runtime/ask_everything.cpp tests/runtime/fuzz_snapshot.cpp)
set(flags -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
  -DFMT_HEADER_ONLY=1 -DNMT_VERSION="${PROJECT_VERSION}" -I${PROJECT_SOURCE_DIR})

find_program(NMADTUNE_CLANGXX clang++)
set(reason "clang++ is missing")
if(NMADTUNE_CLANGXX)
  set(reason "clang++ has no libFuzzer")
  file(CONFIGURE OUTPUT ${fuzz}/probe.cpp CONTENT
    "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n")
  execute_process(COMMAND ${NMADTUNE_CLANGXX} ${flags} ${fuzz}/probe.cpp -o ${fuzz}/probe
    RESULT_VARIABLE probe OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT NMADTUNE_CLANGXX OR NOT probe EQUAL 0)
  add_test(NAME Snapshot.WithstandsFuzzing COMMAND ${CMAKE_COMMAND} -E echo
    "skipped: ${reason}; scripts/install-packages test brings it")
  set_tests_properties(Snapshot.WithstandsFuzzing PROPERTIES
    SKIP_REGULAR_EXPRESSION "^skipped: " LABELS slow)
  return()
endif()

set(objects)
foreach(source ${sources})
  set(object ${fuzz}/${source}.o)
  get_filename_component(folder ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${NMADTUNE_CLANGXX} ${flags} -MD -MT ${object}
      -MF ${object}.d -c ${PROJECT_SOURCE_DIR}/${source} -o ${object}
    DEPENDS ${PROJECT_SOURCE_DIR}/${source} DEPFILE ${object}.d VERBATIM)
  list(APPEND objects ${object})
endforeach()
add_custom_command(OUTPUT ${fuzz}/fuzz_snapshot
  COMMAND ${NMADTUNE_CLANGXX} ${flags} ${objects} -o ${fuzz}/fuzz_snapshot
  DEPENDS ${objects} VERBATIM)

# What fuzzing begins with; what it finds worth keeping goes into the corpus, for the next time.
file(MAKE_DIRECTORY ${fuzz}/seeds ${fuzz}/corpus)
add_custom_command(OUTPUT ${fuzz}/seeds/planted.nmt
  COMMAND make_snapshot ${fuzz}/seeds/planted.nmt 1 a b VERBATIM)
add_custom_target(fuzz_snapshot ALL DEPENDS ${fuzz}/fuzz_snapshot ${fuzz}/seeds/planted.nmt)
add_test(NAME Snapshot.WithstandsFuzzing
  COMMAND ${fuzz}/fuzz_snapshot -max_total_time=20 -timeout=10 -max_len=65536
    -print_final_stats=1 corpus seeds
  WORKING_DIRECTORY ${fuzz})
set_tests_properties(Snapshot.WithstandsFuzzing PROPERTIES
  LABELS slow ENVIRONMENT UBSAN_OPTIONS=print_stacktrace=1)
