// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rails/two_hosts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "bench/output_of.h"

namespace nmt::bench {
namespace {

std::string rail_names(unsigned rails) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < rails; ++i) names.push_back(fmt::format("tcp:r{}", i));
  return fmt::format("{}", fmt::join(names, ","));
}

double number_or_zero(const json::Reader& reader) { return reader.is_null() ? 0 : reader.number(); }

ByStrategy cells_of(const std::string& output) {
  const json::Value document = json::parse(output, "nmad-bench");
  ByStrategy all;
  for (const json::Reader& cell : json::Reader(document, "nmad-bench")["cells"].items()) {
    all[cell["strategy"].text()][cell["size_bytes"].unsigned_integer()] = {
        .latency_ns = cell["latency_ns"].number(),
        .bandwidth = cell["bandwidth_bytes_per_second"].number(),
        .messages_per_second = cell["messages_per_second"].number(),
        .processor_ns_per_megabyte = number_or_zero(cell["processor_ns_per_megabyte"]),
        .chunks_apart = number_or_zero(cell["chunks_apart"]),
        .release_error = number_or_zero(cell["release_error"])};
  }
  return all;
}

}  // namespace

std::string singles(unsigned rails) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < rails; ++i) names.push_back(fmt::format("single:r{}", i));
  return fmt::format("{}", fmt::join(names, ","));
}

TwoHosts::TwoHosts(const std::vector<unsigned>& rates_mbits_per_s)
    : lab_name_(fmt::format("b{}", ::getpid())),
      lab_(fmt::format("{} --lab {}", NMT_LAB_SCRIPT, lab_name_)),
      rates_(rates_mbits_per_s) {
  std::fprintf(stderr, "rails: two hosts, %s\n", name().c_str());
  output_of(fmt::format("{} --owner {} up rails {}", lab_, ::getpid(), fmt::join(rates_, " ")));
}

TwoHosts::~TwoHosts() { output_of(lab_ + " down"); }

std::string TwoHosts::name() const { return fmt::format("{} Mbit/s", fmt::join(rates_, "+")); }

std::string TwoHosts::run(const std::string& command) const {
  return output_of(fmt::format("{} run one {}", lab_, command));
}

// A campaign that is too disturbed to trust ends with 4, and is what this machine gives.
void TwoHosts::sample(const std::string& budget) const {
  output_of(
      fmt::format("{} run one nmad-sample --peer two --launcher '{} run' --budget {} --json "
                  ">/dev/null || test $? -eq 4",
                  lab_, lab_, budget));
}

ByStrategy TwoHosts::measure(const std::string& strategies, const std::string& sizes,
                             const std::string& more, unsigned rails) const {
  return cells_of(run(
      fmt::format("nmad-bench --peer two --launcher '{} run' --json --rails {} --compare {} "
                  "--sizes {} {}",
                  lab_, rail_names(rails == 0 ? this->rails() : rails), strategies, sizes, more)));
}

BySize TwoHosts::measure_shared_memory(const std::string& cores, const std::string& sizes,
                                       const std::string& more) const {
  const ByStrategy all =
      cells_of(run(fmt::format("taskset -c {} nmad-bench --json --rails shm --strategy single:shm "
                               "--sizes {} {}",
                               cores, sizes, more)));
  return all.begin()->second;
}

double TwoHosts::optimum_ns(std::uint64_t size_bytes) const {
  const std::string output = run(
      fmt::format("nmad-tune split --size {} --rails {} --json", size_bytes, rail_names(rails())));
  const json::Value document = json::parse(output, "nmad-tune split");
  return json::Reader(document, "nmad-tune split")["end_ns"].number();
}

void TwoHosts::rate(const std::string& rail, unsigned mbits_per_s) const {
  output_of(fmt::format("{} rate {} {}", lab_, rail, mbits_per_s));
}

void TwoHosts::enter(const std::string& host) const {
  const std::string file = fmt::format("/run/netns/nmtlab-{}-{}", lab_name_, host);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || ::setns(descriptor, CLONE_NEWNET) != 0) {
    std::perror(file.c_str());
    std::exit(1);
  }
  ::close(descriptor);
}

std::string TwoHosts::profile_file(const std::string& host) const {
  return fmt::format("/run/nmadtune-lab/{}/{}/nmadtune/profile.db", lab_name_, host);
}

}  // namespace nmt::bench
