// SPDX-License-Identifier: BSD-3-Clause
#include "bench/runtime/asked.h"

#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>

#include "profiledb/profiledb.h"
#include "runtime/runtime.h"

namespace nmt::bench {
namespace {

constexpr double kSizeExponentMax = 24;
constexpr std::uint64_t kRendezvousFrom = 32768;

struct Noise {
  std::mt19937_64& random;
  double operator()() const { return std::uniform_real_distribution<>(0.99, 1.01)(random); }
};

// A start-up, a time per byte, and a change of protocol that costs a tenth of the start-up.
PlanCurve measured(Noise noise, std::string_view benchmark, std::string_view method,
                   double startup_ns, double ns_per_byte, double change_bytes, double end_bytes) {
  std::vector<Point> points;
  for (double exponent = 0; exponent <= kSizeExponentMax; exponent += 0.5) {
    const double size_bytes = std::floor(std::exp2(exponent));
    if (size_bytes > end_bytes) break;
    if (!points.empty() && points.back().size_bytes == size_bytes) continue;
    const double change_ns = size_bytes >= change_bytes ? startup_ns / 10 : 0;
    points.push_back({size_bytes, (startup_ns + size_bytes * ns_per_byte + change_ns) * noise()});
  }
  return planted::curve(benchmark, method, std::move(points), 0.02);
}

RailPlan rail(std::mt19937_64& random, const std::string& name) {
  const Noise noise{random};
  const double startup_ns = std::exp2(std::uniform_real_distribution<>(9, 14)(random));
  const double ns_per_byte = std::exp2(std::uniform_real_distribution<>(-3, 1)(random));
  constexpr double kEagerEnd = kRendezvousFrom;
  constexpr double kAll = 1e18;
  RailPlan plan = planted::rail(
      name,
      {measured(noise, benchmark::kTransfer, "copy", startup_ns, 1.2 * ns_per_byte, 1024, kAll),
       measured(noise, benchmark::kTransfer, "iovec", 1.1 * startup_ns, ns_per_byte, 2048, kAll),
       measured(noise, benchmark::kTransfer, "rendezvous", 2.5 * startup_ns, ns_per_byte, 1 << 20,
                kAll),
       measured(noise, benchmark::kTwoPackets, "copy", 1.6 * startup_ns, 2 * ns_per_byte, 1024,
                kEagerEnd),
       measured(noise, benchmark::kAggregate, "copy", 1.1 * startup_ns, 2.3 * ns_per_byte, 1024,
                kEagerEnd)},
      {planted::threshold(DecisionKind::kIovec, {64, 512, 4096}),
       planted::threshold(DecisionKind::kRendezvous, {kRendezvousFrom}),
       planted::threshold(DecisionKind::kAggregation, {2048})});
  return plan;
}

}  // namespace

Plan asked_plan() {
  std::mt19937_64 random(1);
  std::vector<RailPlan> rails;
  for (int i = 0; i < kRails; ++i) rails.push_back(rail(random, "rail" + std::to_string(i)));
  return planted::plan(std::move(rails));
}

const std::vector<std::uint64_t>& random_sizes() {
  static const std::vector<std::uint64_t> sizes = [] {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<> exponent(0, kSizeExponentMax);
    std::vector<std::uint64_t> all(kQuestions);
    for (std::uint64_t& size : all) size = static_cast<std::uint64_t>(std::exp2(exponent(random)));
    return all;
  }();
  return sizes;
}

Files::Files() : database_(folder_.file("profile.db")), snapshot_(folder_.file("profile.nmt")) {
  Plan plan = asked_plan();
  {
    profiledb::ProfileDb database(database_, {.mode = profiledb::ProfileDb::Mode::kWrite});
    const Platform platform =
        database.ensure_platform({.id = Id::random(), .name = "bench", .fingerprint = {}});
    plan.platform = platform.id;
    Campaign campaign;
    campaign.id = Id::random();
    campaign.platform = platform.id;
    campaign.complete = true;
    database.begin_campaign(campaign);
    database.finish_campaign(campaign);
    plan.campaigns = {campaign.id};
    database.store_plan(plan);
  }
  planted::write_file(snapshot_, runtime::compile(planted::provenance(), plan).bytes());
}

const Files& files() {
  static const Files files;
  return files;
}

nmt_profile* open(const std::string& file) {
  char message[500] = "";
  nmt_open_options options{};
  options.struct_bytes = sizeof options;
  options.file = file.c_str();
  options.message = message;
  options.message_bytes = sizeof message;
  nmt_profile* profile = nullptr;
  if (nmt_open(&options, &profile) != NMT_OK) throw std::runtime_error(message);
  return profile;
}

const nmt_profile* profile() {
  static const std::unique_ptr<nmt_profile, void (*)(nmt_profile*)> profile(
      open(files().snapshot()), nmt_close);
  return profile.get();
}

}  // namespace nmt::bench
