// SPDX-License-Identifier: BSD-3-Clause
#include "tests/runtime/planted.h"

#include <unistd.h>

#include <cmath>
#include <fstream>
#include <stdexcept>

namespace nmt::planted {
namespace {

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

double log_uniform(std::mt19937_64& random, double low, double high) {
  return low * std::pow(high / low, uniform(random, 0, 1));
}

// A protocol: start-up, bandwidth reached slowly, one jump somewhere.
struct Protocol {
  double startup_ns;
  double bytes_per_ns;
  double jump_bytes;
  double jump_ns;

  double at(double size) const {
    const double settled = bytes_per_ns * (1 + 0.5 / (1 + size / 65536));
    return startup_ns + size / settled + (size >= jump_bytes ? jump_ns : 0);
  }
};

Protocol random_protocol(std::mt19937_64& random) {
  const double startup_ns = log_uniform(random, 300, 30000);
  return {startup_ns, log_uniform(random, 0.1, 12), log_uniform(random, 512, 1 << 20),
          startup_ns * uniform(random, 0, 1)};
}

std::vector<double> random_sizes(std::mt19937_64& random) {
  std::vector<double> sizes;
  const double step = uniform(random, 0.5, 2);
  const double largest = uniform(random, 18, 26);
  for (double exponent = uniform(random, 0, 1) < 0.5 ? 0 : 3; exponent < largest;
       exponent += step) {
    const double size = std::floor(std::exp2(exponent));
    if (sizes.empty() || size > sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

std::vector<Point> sampled(std::mt19937_64& random, const std::vector<double>& sizes,
                           const Protocol& protocol, double noise) {
  std::vector<Point> points;
  for (const double size : sizes) {
    points.push_back({size, protocol.at(size) * (1 + noise * uniform(random, -1, 1))});
  }
  return points;
}

}  // namespace

PlanCurve curve(std::string_view benchmark, std::string_view method, std::vector<Point> points,
                double half_width) {
  std::vector<Point> low = points, high = points;
  for (Point& point : low) point.duration_ns *= 1 - half_width;
  for (Point& point : high) point.duration_ns *= 1 + half_width;
  return {.benchmark = std::string(benchmark),
          .method = std::string(method),
          .variant = "",
          .duration = Curve(std::move(points)),
          .low = Curve(std::move(low)),
          .high = Curve(std::move(high))};
}

Threshold threshold(DecisionKind kind, std::vector<std::uint64_t> changes, bool begins_above) {
  Threshold threshold{.kind = kind, .answer = Answer::kRanges};
  if (changes.size() == 1 && !begins_above) {
    threshold.answer = Answer::kThreshold;
    threshold.bytes = changes[0];
  }
  std::uint64_t from = 0;
  bool above = begins_above;
  const auto name = [&] { return std::string(above ? choices(kind).above : choices(kind).below); };
  for (const std::uint64_t change : changes) {
    threshold.ranges.push_back({from, change, name()});
    from = change;
    above = !above;
  }
  threshold.ranges.push_back({from, std::nullopt, name()});
  return threshold;
}

RailPlan rail(const std::string& name, std::vector<PlanCurve> curves,
              std::vector<Threshold> thresholds) {
  return {.rail = name,
          .path = Id::random(),
          .regime = "hot",
          .placement = "distinct-cores",
          .busy_rails = "",
          .max_unexpected_bytes = 65536,
          .curves = std::move(curves),
          .thresholds = std::move(thresholds)};
}

RailPlan plain_rail(const std::string& name, std::vector<Point> points) {
  return rail(name, {curve(benchmark::kTransfer, "rendezvous", std::move(points))});
}

RailPlan random_rail(std::mt19937_64& random, const std::string& name, double noise) {
  return plain_rail(name, sampled(random, random_sizes(random), random_protocol(random), noise));
}

RailPlan random_full_rail(std::mt19937_64& random, const std::string& name) {
  const std::vector<double> sizes = random_sizes(random);
  const Protocol protocol = random_protocol(random);
  const auto make = [&](std::string_view benchmark, std::string_view method, double factor) {
    Protocol other = protocol;
    other.startup_ns *= factor * uniform(random, 0.8, 1.2);
    other.bytes_per_ns /= factor * uniform(random, 0.8, 1.2);
    return curve(benchmark, method, sampled(random, sizes, other, 0.01), 0.02);
  };
  RailPlan plan = rail(
      name, {make(benchmark::kTransfer, "copy", 1), make(benchmark::kTransfer, "iovec", 1.1),
             make(benchmark::kTransfer, "rendezvous", 1.5),
             make(benchmark::kTwoPackets, "copy", 1.6), make(benchmark::kAggregate, "copy", 1.7)});
  const auto changes = [&](double largest) {
    std::vector<std::uint64_t> all;
    for (auto n = random() % 4; n > 0; --n) {
      const auto size = static_cast<std::uint64_t>(log_uniform(random, 2, largest));
      if (all.empty() || size > all.back()) all.push_back(size);
    }
    return all;
  };
  plan.thresholds = {threshold(DecisionKind::kIovec, changes(1e6), random() % 2 == 0),
                     threshold(DecisionKind::kRendezvous, changes(1e6), random() % 8 == 0),
                     threshold(DecisionKind::kAggregation, changes(1e5), random() % 4 == 0)};
  return plan;
}

Plan plan(std::vector<RailPlan> rails) {
  Plan plan;
  plan.platform = Id::random();
  plan.rails = std::move(rails);
  return plan;
}

Plan full_plan(std::mt19937_64& random, const std::vector<std::string>& names) {
  Plan full = plan({});
  for (const std::string& name : names) full.rails.push_back(random_full_rail(random, name));
  full.rails.push_back(full.rails.at(0));
  full.rails.back().busy_rails = names.at(1);
  full.offloads = {{"shared-cache", 3000, 2900, 3100}};
  full.segments = {{.operation = "bcast",
                    .nodes = 4,
                    .ranks_per_node = 8,
                    .segment_bytes = 8192,
                    .mpi = "Open MPI v4.1.4",
                    .gain = 1.5},
                   {.operation = "bcast",
                    .nodes = 5,
                    .ranks_per_node = 8,
                    .segment_bytes = 8192,
                    .mpi = "Open MPI v4.1.4",
                    .gain = 1.2,
                    .nodes_max = 8,
                    .ranks_per_node_max = 12}};
  full.library_rules = {{.mpi = "Open MPI v4.1.4",
                         .operation = "allreduce",
                         .algorithm = "ring",
                         .ranks = 8,
                         .ranks_per_node = 4,
                         .from_bytes = 1024,
                         .gain = 1.4,
                         .low = 1.2,
                         .high = 1.6}};
  full.signatures = {{.algorithm = "direct",
                      .bound = Curve({{0, 1}, {1, 2}}),
                      .ranks_min = 4,
                      .ranks_max = 8,
                      .size_bytes_min = 4096,
                      .size_bytes_max = 1 << 20,
                      .rises = {{4, 0.8}, {8, 1}},
                      .growth = 0.2,
                      .small = {{64, 2, 0.1}, {1024, 3, 0.1}},
                      .cores = 2,
                      .processor_ns = 1000,
                      .uncertainty = Uncertainty{.gamma_variance = 1e-4, .misfit = 0.02}}};
  full.signatures.push_back(full.signatures[0]);
  full.signatures[1].algorithm = "bruck";  // of which all sizes keep their ratios
  full.signatures[1].ratio_growth = RatioGrowth{
      .rises = {{4, 0.7}, {8, 1}}, .growth = 0.1, .growth_error = 0.1, .growth_saturates = true};
  return full;
}

runtime::Provenance provenance() {
  return {.platform = {.id = Id::random(), .name = "planted", .fingerprint = {}},
          .measured_utc = "2026-11-21T10:30:00Z",
          .tool_version = "0.1.0",
          .complete = true,
          .quality = 0.99};
}

std::vector<RailPlan> paper_rails() {
  return {plain_rail("myri", {{2097152, 1730e3}, {2437000, 1999e3}}),
          plain_rail("quadrics", {{1500000, 1699.538e3}, {1757000, 2001e3}, {2097152, 2400e3}})};
}

Folder::Folder() {
  std::string name = std::filesystem::temp_directory_path() / "nmadtune-test-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& file, std::span<const std::byte> bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

nmt_open_options open_options(const std::string& file) {
  nmt_open_options options{};
  options.struct_bytes = sizeof options;
  options.file = file.c_str();
  options.machine_root = kBareMachine;
  return options;
}

Profile::Profile(const Plan& plan, const runtime::Provenance& provenance) {
  const std::string file = folder_.file("profile.nmt");
  write_file(file, runtime::compile(provenance, plan).bytes());
  char message[500] = "";
  nmt_open_options options = open_options(file);
  options.message = message;
  options.message_bytes = sizeof message;
  if (nmt_open(&options, &profile_) != NMT_OK) throw std::runtime_error(message);
}

}  // namespace nmt::planted
