// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/planted_launches.h"

#include <cmath>

#include "core/method.h"
#include "profiledb/profiledb.h"

namespace nmt::testing {
namespace {

std::vector<Sample> samples_of(const PlantedLaunch& launch, std::mt19937_64& random) {
  std::normal_distribution<double> of_launch(0, 0.03), of_cell(0, 0.005);
  const double shared = of_launch(random);
  std::vector<Sample> samples;
  for (const char* method : {"copy", "rendezvous"}) {
    for (std::uint64_t size = 1; size <= 65536; size *= 4) {
      Sample sample;
      sample.condition.benchmark = benchmark::kTransfer;
      sample.condition.method = method;
      if (launch.ranks_per_nic > 1) sample.condition.ranks_per_node = launch.ranks_per_nic;
      sample.size_bytes = size;
      const bool asks = sample.condition.method == "rendezvous";
      const double usual = (asks ? 9e3 : 5e3) + (asks ? 0.8 : 1.2) * static_cast<double>(size);
      const double duration = usual * launch.ratio * (asks ? launch.rendezvous_ratio : 1) *
                              std::exp(shared + of_cell(random));
      for (std::uint32_t i = 0; i < 5; ++i) {
        sample.repetitions.push_back(
            {.total_ns = static_cast<std::uint64_t>(duration), .batch = 1, .round = i});
      }
      samples.push_back(sample);
      if (!launch.decides || asks) continue;
      sample.condition.benchmark = benchmark::kEager;
      samples.push_back(sample);
    }
  }
  return samples;
}

}  // namespace

void PlantedLaunches::add(const std::string& file, const PlantedLaunch& launch,
                          std::mt19937_64& random) const {
  profiledb::ProfileDb db(file, {.mode = profiledb::ProfileDb::Mode::kWrite});
  const Platform platform = db.ensure_platform(
      {.id = Id::random(), .name = "planted", .fingerprint = {{"kernel", launch.kernel}}});
  const Node near = db.ensure_node({Id::random(), launch.near}, platform.id);
  const Node far = db.ensure_node({Id::random(), launch.far}, platform.id);
  const Rail rail = {
      .driver = "tcp", .name = launch.rail, .fingerprint = {{"mtu_bytes", launch.mtu}}};
  const Path path = db.ensure_path({Id::random(), near.id, far.id, rail, rail});
  Campaign campaign{.id = Id::random(), .platform = platform.id, .started_utc = launch.date};
  db.begin_campaign(campaign);
  const Session session{.id = Id::random(), .started_utc = launch.date};
  db.begin_session(session, campaign.id);
  db.store_samples(session.id, path.id, samples_of(launch, random));
  campaign.complete = true;
  campaign.remark = launch.remark;
  campaign.finished_utc = launch.date;
  db.finish_campaign(campaign);
}

std::string PlantedLaunches::history(const std::string& name, int launches,
                                     const PlantedLaunch& launch, std::uint64_t seed) const {
  std::mt19937_64 random(seed);
  for (int i = 0; i < launches; ++i) add(path(name), launch, random);
  return path(name);
}

}  // namespace nmt::testing
