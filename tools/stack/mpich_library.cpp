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

// Searches like the loader.
std::vector<std::string> known_mpich_algorithms() {
  try {
    const sampler::Launched listed =
        sampler::launch({.launcher = "env PATH=$PATH:/sbin:/usr/sbin ldconfig", .program = {"-p"}});
    constexpr std::string_view kArrow = "=> ";
    const std::size_t name = listed.out.find("libmpich.so");
    const std::size_t arrow = listed.out.find(kArrow, name);
    if (name == std::string::npos || arrow == std::string::npos) return {};
    const std::size_t begin = arrow + kArrow.size();
    return read_mpich_tables(listed.out.substr(begin, listed.out.find('\n', begin) - begin)).known;
  } catch (const Error&) {
    return {};  // names are then accepted by their form
  }
}

}  // namespace nmt::tools
