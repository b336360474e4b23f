// SPDX-License-Identifier: BSD-3-Clause
#include "bench/exports/stage.h"

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
  std::fprintf(stderr, "exports: %s\n", lab.c_str());
  output_of(fmt::format("{} --owner {} up {}", lab_, ::getpid(), lab));
}

Stage::~Stage() {
  output_of(lab_ + " down");
  std::filesystem::remove_all(folder_);
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

json::Value Stage::tune(const std::string& arguments) const {
  return json::parse(
      output_of(fmt::format("nmad-tune --db {}/profile.db --json {}", folder_.string(), arguments)),
      "nmad-tune");
}

std::vector<Compared> compared_in(const json::Value& ab) {
  std::vector<Compared> all;
  const json::Reader reader(ab, "nmad-tune ab");
  if (!reader.has("cells")) return all;
  for (const json::Reader& cell : reader["cells"].items()) {
    all.push_back({.rail = cell["rail"].text(),
                   .size_bytes = cell["size_bytes"].unsigned_integer(),
                   .default_ns = cell["default_ns"].number(),
                   .tuned_ns = cell["tuned_ns"].number(),
                   .ratio = cell["ratio"].number(),
                   .ratio_high = cell["ratio_high"].number()});
  }
  return all;
}

}  // namespace nmt::bench
