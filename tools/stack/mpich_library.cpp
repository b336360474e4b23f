// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/mpich_library.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "core/error.h"
#include "sampler/sampler.h"

namespace nmt::tools {

stacks::MpichTables read_mpich_tables(const std::string& library_file) {
  std::ifstream file(library_file, std::ios::binary);
  if (library_file.empty() || !file) {
    throw Error(
        Fault::kFailed,
        fmt::format(
            "cannot find the MPICH that was measured ('{}'); its own tables for collectives are "
            "needed to write new ones",
            library_file));
  }
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::optional<stacks::MpichTables> tables = stacks::find_mpich_tables(bytes);
  if (!tables) {
    throw Error(
        Fault::kFailed,
        fmt::format(
            "{} has no tables for collectives that this version of nmadtune can read; MPICH 4.0.2 "
            "and 4.2.1 over ch4 have",
            library_file));
  }
  return *std::move(tables);
}

namespace {

// In what ldd or ldconfig prints; empty where it is not there.
std::string library_in(const std::string& listed) {
  constexpr std::string_view kArrow = "=> ";
  const std::size_t arrow = listed.find(kArrow, listed.find("libmpich.so"));
  if (arrow == std::string::npos) return {};
  const std::size_t begin = arrow + kArrow.size();
  return listed.substr(begin, listed.find_first_of(" \n", begin) - begin);
}

}  // namespace

// Of the library that the installed mpichversion has loaded, as it tells the installed version too;
// else, where it is no program but a script, of the one that the loader finds.
std::vector<std::string> known_mpich_algorithms() {
  constexpr const char* kListing =
      "ldd \"$(command -v mpichversion)\" || PATH=$PATH:/sbin:/usr/sbin ldconfig -p";
  try {
    const std::string library =
        library_in(sampler::launch({.launcher = "sh", .program = {"-c", kListing}}).out);
    if (library.empty()) return {};
    return read_mpich_tables(library).known;
  } catch (const Error&) {
    return {};  // names are then accepted by their form
  }
}

}  // namespace nmt::tools
