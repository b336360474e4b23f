// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/stack/rank_messages.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>

#include "core/clock.h"
#include "core/units.h"
#include "node/node.h"
#include "sampler/job/executor.h"

namespace nmt::sampler {
namespace {

constexpr double kBatchNs = 1e6;           // duration of a repetition of short messages,
constexpr std::uint32_t kBatchMax = 1024;  // with at most this many round trips
constexpr std::uint32_t kRepetitions = 5;
constexpr std::uint32_t kFewRepetitions = 3;  // for round trips longer than
constexpr double kLongNs = 50e6;
constexpr std::uint64_t kWarmUpNs = 5'000'000;  // of each size
constexpr std::uint32_t kWarmUpsMin = 2;        // round trips, however long they take
constexpr std::uint64_t kShortBytesMax = std::uint64_t{64} << 10;
constexpr std::uint64_t kEagerBytesMax = std::uint64_t{4} << 20;  // larger ones are not eager

// Blocks that pass between a pair's cores: a line, and what a level-1 cache holds.
constexpr std::array<std::size_t, 2> kExchangedBytes = {64, 16384};

// Rank 0 and one other rank.
class Pair {
 public:
  Pair(const control::MpiJob& job, int partner, const Clock& clock)
      : job_(job), partner_(partner), clock_(clock) {}

  bool takes_part() const { return job_.leads() || job_.rank() == partner_; }

  // How near this rank's core and the partner's are now. The partner sleeps meanwhile.
  void exchange(int own_core, std::vector<double>* exchanges_ns) {
    char done = 0;
    if (!job_.leads()) {
      job_.mpi().post(&own_core, sizeof own_core, 0);
      job_.mpi().take(&done, sizeof done, 0);
      return;
    }
    node::CorePair cores{own_core, own_core};
    job_.mpi().take(&cores.far, sizeof cores.far, partner_);
    for (const std::size_t size_bytes : kExchangedBytes) {
      const double each_ns = node::core_exchange_ns(cores, size_bytes);
      if (each_ns > 0) exchanges_ns->push_back(each_ns);
    }
    job_.mpi().post(&done, sizeof done, partner_);
  }

  // Short messages first. During the life of a connection they are slower after large messages, the
  // more so the faster the large ones were. A setting that does not affect short messages would be
  // blamed for that.
  std::vector<LaunchRoundCell> ping_pongs(std::vector<std::uint64_t> sizes_bytes) {
    const std::uint64_t most_bytes = sizes_bytes.empty() ? 0 : std::ranges::max(sizes_bytes);
    from_.assign(most_bytes, std::byte{0x5a});
    to_.assign(most_bytes, std::byte{0});
    const auto large = std::stable_partition(
        sizes_bytes.begin(), sizes_bytes.end(),
        [](std::uint64_t size_bytes) { return size_bytes <= kShortBytesMax; });
    std::vector<LaunchRoundCell> cells = passes({sizes_bytes.begin(), large});
    std::ranges::move(passes({large, sizes_bytes.end()}), std::back_inserter(cells));
    return cells;
  }

  // By bisection: sends from rank 0 before the other rank posts its receive.
  std::uint64_t eager_bytes_max() {
    std::uint64_t leaves = 0, waits = kEagerBytesMax + 1;
    while (waits - leaves > 1) {
      const std::uint64_t size_bytes = leaves + (waits - leaves) / 2;
      std::int32_t left = 0;
      if (from_.size() < size_bytes) from_.resize(size_bytes), to_.resize(size_bytes);
      if (job_.leads()) {
        left = job_.mpi().send_early(from_.data(), size_bytes, partner_);
      } else {
        job_.mpi().take(&left, sizeof left, 0);
        job_.mpi().receive(to_.data(), size_bytes, 0);
      }
      (left != 0 ? leaves : waits) = size_bytes;
    }
    return leaves;
  }

 private:
  struct Pace {
    std::uint32_t repetitions = 0;
    std::uint32_t round_trips = 1;
  };

  // One pass over all sizes per repetition: a disturbance of some milliseconds then affects one
  // repetition of some sizes, not all repetitions of one size.
  std::vector<LaunchRoundCell> passes(std::span<const std::uint64_t> sizes_bytes) {
    std::vector<LaunchRoundCell> cells;
    std::vector<Pace> paces;
    for (const std::uint64_t size_bytes : sizes_bytes) {
      Pace pace = pace_of(warm_up(size_bytes));
      share(&pace, sizeof pace);
      paces.push_back(pace);
      cells.push_back({.size_bytes = size_bytes, .batch = 2 * pace.round_trips});
    }
    for (std::uint32_t pass = 0; pass < kRepetitions; ++pass) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (pass >= paces[i].repetitions) continue;
        const std::uint64_t size_bytes = sizes_bytes[i];
        if (paces[i].round_trips > 1) round_trips(1, size_bytes);  // after another size
        cells[i].totals_ns.push_back(
            static_cast<std::uint64_t>(round_trips(paces[i].round_trips, size_bytes)));
      }
    }
    return cells;
  }

  // A stack's messages take several times as long until it has touched all of its buffers, which
  // lasts for hundreds of them. This phase is over soon in an application. Returns the duration of
  // a round trip at the end.
  double warm_up(std::uint64_t size_bytes) {
    std::uint64_t start_ns = 0;
    std::uint32_t done = 0;
    double round_trip_ns = 0;
    for (;;) {
      std::uint32_t count = 0;
      if (done < kWarmUpsMin || clock_.now_ns() - start_ns < kWarmUpNs) count = done + 1;
      share(&count, sizeof count);
      if (count == 0) return round_trip_ns;
      round_trip_ns = round_trips(count, size_bytes) / count;
      if (done == 0) start_ns = clock_.now_ns();  // the other rank may have been late
      done += count;
    }
  }

  static Pace pace_of(double round_trip_ns) {
    const double fit = kBatchNs / std::max(1.0, round_trip_ns);
    return {.repetitions = round_trip_ns > kLongNs ? kFewRepetitions : kRepetitions,
            .round_trips = static_cast<std::uint32_t>(std::clamp<double>(fit, 1, kBatchMax))};
  }

  // Sends what rank 0 knows to the other rank.
  void share(void* bytes, std::uint64_t size_bytes) {
    if (job_.leads()) {
      job_.mpi().send(bytes, size_bytes, partner_);
    } else {
      job_.mpi().receive(bytes, size_bytes, 0);
    }
  }

  double round_trips(std::uint32_t count, std::uint64_t size_bytes) {
    const std::uint64_t start_ns = clock_.now_ns();
    const int other = partner_ - job_.rank();
    for (std::uint32_t i = 0; i < count; ++i) {
      if (job_.leads()) job_.mpi().send(from_.data(), size_bytes, other);
      job_.mpi().receive(to_.data(), size_bytes, other);
      if (!job_.leads()) job_.mpi().send(from_.data(), size_bytes, other);
    }
    return static_cast<double>(clock_.now_ns() - start_ns);
  }

  const control::MpiJob& job_;
  int partner_;
  const Clock& clock_;
  std::vector<std::byte> from_, to_;
};

struct Partner {
  std::string_view placement;
  int rank = 0;
};

std::vector<Partner> partners_of(const JobShape& shape) {
  std::vector<Partner> partners;
  if (shape.nodes.front().size() > 1) partners.push_back({kSameNode, shape.nodes[0][1]});
  if (shape.nodes.size() > 1) partners.push_back({kOtherNode, shape.nodes[1].front()});
  return partners;
}

// Where the launcher binds no rank, the kernel may run both ranks of a pair on one core. They then
// take turns on it, and short messages take several times as long, in some launches and not in
// others.
int core_of(const control::MpiJob& job) {
  const node::CorePair cores = node::nearest_cores();
  return job.leads() ? cores.near : cores.far;
}

// Of a variable its value, of "NAME.enumerated" the names of its values, of a pattern what it
// stands for (nmt_mpi_table); the length, or -1.
int read_into(const control::MpiJob& job, const std::string& name, std::string* value) {
  const auto room = static_cast<int>(value->size());
  if (name.ends_with(kEnumerated)) {
    const std::string variable = name.substr(0, name.size() - kEnumerated.size());
    return job.mpi().enumeration(variable.c_str(), value->data(), room);
  }
  if (name.find('%') != std::string::npos) {
    return job.mpi().variables(name.c_str(), value->data(), room);
  }
  return job.mpi().variable(name.c_str(), value->data(), room);
}

std::vector<std::pair<std::string, std::string>> values_of(
    const control::MpiJob& job, const std::vector<std::string>& variables) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string& name : variables) {
    std::string value(4096, '\0');
    int length = read_into(job, name, &value);
    if (length < 0) continue;
    if (static_cast<std::size_t>(length) >= value.size()) {
      value.resize(static_cast<std::size_t>(length) + 1);
      length = read_into(job, name, &value);
    }
    value.resize(static_cast<std::size_t>(length));
    values.emplace_back(name, std::move(value));
  }
  return values;
}

}  // namespace

std::string messages_by(const control::MpiJob& job) {
  const auto values = values_of(job, {"pml_%_priority", "mtl_%_priority"});
  std::string pml, mtl;
  for (const auto& [name, value] : values) (name.starts_with("pml") ? pml : mtl) = value;
  for (const std::string& each : split_list(pml)) {
    if (each == "ob1") return {};
    if (each == "ucx") return each;
  }
  return pml.empty() && !mtl.empty() ? "cm" : "";  // which has no priority of its own
}

LaunchRound time_launch_round(const control::MpiJob& job, const LaunchRoundOrder& order,
                              const Clock& clock) {
  LaunchRound timings;
  for (const Partner& partner : partners_of(JobShape::of(job))) {
    Pair pair(job, partner.rank, clock);
    const int own_core = pair.takes_part() ? core_of(job) : -1;
    job.mpi().barrier(0);
    if (pair.takes_part()) {
      const node::OnCores stays(own_core);
      const bool on_one_node = partner.placement == kSameNode;
      if (on_one_node) pair.exchange(own_core, &timings.core_exchanges_ns);
      for (LaunchRoundCell& cell : pair.ping_pongs(order.sizes_bytes)) {
        cell.placement = partner.placement;
        timings.cells.push_back(std::move(cell));
      }
      if (order.find_eager) {
        timings.eager.push_back({std::string(partner.placement), pair.eager_bytes_max()});
      }
      if (on_one_node) pair.exchange(own_core, &timings.core_exchanges_ns);
    }
    job.mpi().barrier(0);
  }
  if (!job.leads()) return {};
  timings.variables = values_of(job, order.variables);
  return timings;
}

}  // namespace nmt::sampler
