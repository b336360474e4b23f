// SPDX-License-Identifier: BSD-3-Clause
#include "node/interference.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace nmt::node {
namespace {

Descriptor open_to_read(const char* file) { return Descriptor(::open(file, O_RDONLY | O_CLOEXEC)); }

// Reads the whole file from its start, in one call if it fits: the kernel generates these files
// again at each read from offset 0.
std::string_view read_again(const Descriptor& file, std::vector<char>& buffer) {
  if (!file) return {};
  std::size_t length = 0;
  for (;;) {
    const ssize_t n = ::pread(file.get(), buffer.data() + length, buffer.size() - length,
                              static_cast<off_t>(length));
    if (n <= 0) break;
    length += static_cast<std::size_t>(n);
    if (length == buffer.size()) buffer.resize(2 * buffer.size());
  }
  return {buffer.data(), length};
}

// The `index`-th number of a line, after its first `skip` characters.
std::uint64_t number_at(std::string_view line, std::size_t skip, int index) {
  line.remove_prefix(std::min(skip, line.size()));
  line = line.substr(0, line.find('\n'));
  for (;; --index) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) return 0;
    const std::size_t end = std::min(line.find(' '), line.size());
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + end, value);
    if (index == 0) return error == std::errc() ? value : 0;
    line.remove_prefix(end);
  }
}

}  // namespace

// Fields: time on the CPU, time waiting for it, time slices.
std::uint64_t run_delay_ns(std::string_view schedstat) { return number_at(schedstat, 0, 1); }

// "cpu1 user nice system idle iowait irq softirq steal guest guest_nice".
std::uint64_t stolen_ticks(std::string_view stat, int core) {
  const std::string name = fmt::format("\ncpu{} ", core);
  const std::size_t start = stat.find(name);
  if (start == std::string_view::npos) return 0;
  return number_at(stat.substr(start), name.size(), 7);
}

// "some avg10=0.63 avg60=0.75 avg300=0.54 total=5953732", in microseconds.
std::uint64_t pressure_ns(std::string_view pressure) {
  constexpr std::string_view kTotal = "total=";
  const std::size_t start = pressure.find(kTotal);
  if (!pressure.starts_with("some") || start == std::string_view::npos) return 0;
  return number_at(pressure.substr(start), kTotal.size(), 0) * 1000;
}

Interference Interference::since(const Interference& before) const {
  return {run_delay_ns - before.run_delay_ns, involuntary_switches - before.involuntary_switches,
          steal_ns - before.steal_ns, pressure_ns - before.pressure_ns};
}

Interference& Interference::operator+=(const Interference& other) {
  run_delay_ns += other.run_delay_ns;
  involuntary_switches += other.involuntary_switches;
  steal_ns += other.steal_ns;
  pressure_ns += other.pressure_ns;
  return *this;
}

InterferenceMeter::InterferenceMeter(int core_a, int core_b)
    : core_a_(core_a),
      core_b_(core_b),
      schedstat_(open_to_read("/proc/thread-self/schedstat")),
      stat_(open_to_read("/proc/stat")),
      pressure_(open_to_read("/proc/pressure/cpu")) {}

Interference InterferenceMeter::read() const {
  Interference now;
  std::vector<char> buffer(8192);
  now.run_delay_ns = run_delay_ns(read_again(schedstat_, buffer));
  now.pressure_ns = pressure_ns(read_again(pressure_, buffer));
  const std::string_view stat = read_again(stat_, buffer);
  std::uint64_t ticks = stolen_ticks(stat, core_a_);
  if (core_b_ != core_a_) ticks += stolen_ticks(stat, core_b_);
  now.steal_ns = ticks * (1000000000u / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  now.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
  return now;
}

}  // namespace nmt::node
