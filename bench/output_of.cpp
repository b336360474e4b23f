// SPDX-License-Identifier: BSD-3-Clause
#include "bench/output_of.h"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace nmt::bench {
namespace {

[[noreturn]] void give_up(const char* what, const std::string& command) {
  std::fprintf(stderr, "bench: %s: %s\n", command.c_str(), what);
  std::exit(1);
}

}  // namespace

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) give_up("cannot be run", command);
  std::string output;
  std::array<char, 4096> piece;
  for (std::size_t n; (n = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
    output.append(piece.data(), n);
  }
  if (::pclose(pipe) != 0) give_up("failed; what it said is above", command);
  return output;
}

}  // namespace nmt::bench
