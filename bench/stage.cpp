// SPDX-License-Identifier: BSD-3-Clause
#include "bench/stage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "bench/output_of.h"

namespace nmt::bench {

Stage::Stage(const std::string& lab)
    : name_(fmt::format("e{}", ::getpid())),
      lab_(fmt::format("{} --lab {}", NMT_LAB_SCRIPT, name_)) {
  std::string folder = std::filesystem::temp_directory_path() / "nmadtune-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp");
  folder_ = folder;
  std::fprintf(stderr, "lab: %s\n", lab.c_str());
  output_of(fmt::format("{} --owner {} up {}", lab_, ::getpid(), lab));
}

Stage::~Stage() {
  output_of(lab_ + " down");
  std::filesystem::remove_all(folder_);
}

std::string Stage::lab(const std::string& verb) const {
  return output_of(fmt::format("{} {}", lab_, verb));
}

std::string Stage::in(const std::string& host) const {
  return fmt::format("{} run {}", lab_, host);
}

std::string Stage::launcher(const std::string& mpi, const std::string& options) const {
  return fmt::format("{} mpi {} {}", lab_, mpi, options);
}

json::Value Stage::sample(const std::string& arguments, double* elapsed_s,
                          const std::string& profile) const {
  const auto start = std::chrono::steady_clock::now();
  const std::string out = output_of(
      fmt::format("nmad-sample --json --db {}/{} {}", folder_.string(), profile, arguments));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (elapsed_s != nullptr) *elapsed_s = elapsed.count();
  return json::parse(out, "nmad-sample");
}

void Stage::sample_behind(const std::string& command, const std::string& arguments) const {
  output_of(fmt::format("{} nmad-sample --quiet {} >&2 || test $? -eq 4", command, arguments));
}

json::Value Stage::tune(const std::string& arguments) const {
  return json::parse(
      output_of(fmt::format("nmad-tune --db {}/profile.db --json {}", folder_.string(), arguments)),
      "nmad-tune");
}

}  // namespace nmt::bench
