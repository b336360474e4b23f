// SPDX-License-Identifier: BSD-3-Clause
#include "tests/profiledb/fixture.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>

namespace nmt::profiledb {

std::string refusal(const std::function<void()>& action, std::optional<Fault> fault) {
  try {
    action();
  } catch (const Error& error) {
    if (fault) {
      EXPECT_EQ(error.fault(), *fault) << error.what();
    }
    return error.what();
  }
  return "accepted";
}

double MadeUp::real() {
  for (;;) {
    const double value = std::abs(std::bit_cast<double>(random_()));
    if (std::isfinite(value)) return value;
  }
}

std::string MadeUp::text() {
  constexpr std::string_view kPieces[] = {"a", "B7", " ", "\"", "\\", "\n", "\x01", "é", "漢", "'"};
  std::string all;
  for (auto n = below(6); n > 0; --n) all += kPieces[below(std::size(kPieces))];
  return all;
}

Fields MadeUp::fields() {
  Fields fields;
  for (auto n = below(5); n > 0; --n) fields["field" + std::to_string(below(9)) + text()] = text();
  return fields;
}

Id MadeUp::id() {
  Id id;
  for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random_());
  return id;
}

Condition MadeUp::condition() {
  Condition condition;
  for_each_field(condition, [&](std::string_view, auto& value) {
    if (below(3) != 0) return;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string>) {
      value = text();
    } else {
      value = static_cast<std::int64_t>(random_() >> 1);
    }
  });
  return condition;
}

Sample MadeUp::sample(std::size_t repetitions) {
  Sample sample{.condition = condition(),
                .size_bytes = random_() >> below(64),
                .held_out = below(4) == 0,
                .origin = static_cast<Origin>(below(4)),
                .run_delay_ns = real(),
                .repetitions = {}};
  Repetition repetition{.total_ns = random_() >> below(64)};
  for (std::size_t i = 0; i < repetitions; ++i) {
    repetition.total_ns = below(8) == 0 ? random_() : repetition.total_ns + below(200) - 100;
    if (below(8) == 0) repetition.round = static_cast<std::uint32_t>(random_());
    if (below(8) == 0) repetition.batch = static_cast<std::uint32_t>(1 + below(0xFFFFFFFF));
    repetition.disturbed = below(8) == 0;
    sample.repetitions.push_back(repetition);
  }
  return sample;
}

std::vector<Sample> MadeUp::samples(std::size_t cells, std::size_t repetitions_max) {
  std::vector<Sample> all;
  for (std::size_t i = 0; i < cells; ++i) all.push_back(sample(below(repetitions_max + 1)));
  return all;
}

Rail MadeUp::rail() { return {"driver" + std::to_string(below(100)), text(), fields()}; }

Campaign MadeUp::campaign(const Id& platform) {
  return {.id = id(),
          .platform = platform,
          .started_utc = "2026-11-" + std::to_string(10 + below(20)) + text(),
          .finished_utc = "",
          .tool_version = text(),
          .command_line = text(),
          .options = fields(),
          .complete = false,
          .quality = static_cast<double>(below(1000)) / 1000,
          .remark = text()};
}

Session MadeUp::session() {
  return {.id = id(),
          .started_utc = text(),
          .clock = text(),
          .clock_cost_ns = real(),
          .clock_resolution_ns = real(),
          .seed = random_()};
}

Plan MadeUp::plan(const Id& platform) {
  RailPlan rail{.rail = "shm",
                .path = id(),
                .regime = "hot",
                .placement = text(),
                .busy_rails = "",
                .max_unexpected_bytes = random_(),
                .curves = {},
                .thresholds = {}};
  rail.curves.push_back({.benchmark = "transfer",
                         .method = "copy",
                         .variant = "",
                         .duration = Curve({{1, real()}, {64, real()}}),
                         .low = {},
                         .high = {},
                         .spread = real(),
                         .monotone_departure = 0});
  rail.thresholds.push_back({.kind = DecisionKind::kIovec,
                             .answer = Answer::kThreshold,
                             .bytes = 64,
                             .low_bytes = 32,
                             .high_bytes = 128,
                             .regret = real(),
                             .bounded = false,
                             .ranges = {{0, 64, "copy"}, {64, std::nullopt, "iovec"}}});
  return {.platform = platform, .campaigns = {id()}, .rails = {rail}, .verification = {}};
}

Id fill(ProfileDb& database, std::uint64_t seed, std::size_t campaigns, std::size_t cells) {
  MadeUp made_up(seed);
  const Platform platform =
      database.ensure_platform({made_up.id(), made_up.text(), made_up.fields()});
  const Node node = database.ensure_node({made_up.id(), "host" + made_up.text()}, platform.id);
  for (std::size_t i = 0; i < campaigns; ++i) {
    Campaign campaign = made_up.campaign(platform.id);
    database.begin_campaign(campaign);
    const Session session = made_up.session();
    database.begin_session(session, campaign.id);
    for (int rail = 0; rail < 2; ++rail) {
      const Path path =
          database.ensure_path({made_up.id(), node.id, node.id, made_up.rail(), made_up.rail()});
      database.store_samples(session.id, path.id, made_up.samples(cells, 40));
    }
    campaign.complete = i % 2 == 0;
    campaign.finished_utc = made_up.text();
    database.finish_campaign(campaign);
  }
  database.store_plan(made_up.plan(platform.id));
  return platform.id;
}

namespace {

void add_samples(const std::vector<SampleSet>& sets, std::map<Answers::Cell, Sample>& samples) {
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      samples[{set.session.id, set.path.id, sample.condition, sample.size_bytes, sample.held_out}] =
          sample;
    }
  }
}

}  // namespace

Answers ask(const ProfileDb& database) {
  Answers answers;
  for (const Platform& platform : database.platforms()) {
    answers.platforms[platform.id] = platform;
    for (const Path& path : database.paths(platform.id)) answers.paths[path.id] = path;
    for (const Campaign& campaign : database.campaigns(platform.id)) {
      answers.campaigns[campaign.id] = campaign;
      const std::vector<SampleSet> sets = database.sample_sets(campaign.id);
      add_samples(sets, answers.samples);
      for (const SampleSet& set : sets) answers.sessions[set.session.id] = set.session;
    }
    add_samples(database.sample_sets_in_force(platform.id), answers.in_force);
    if (const auto plan = database.plan(platform.id)) answers.plans[platform.id] = *plan;
  }
  return answers;
}

std::string read_whole(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_whole(const std::string& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

int in_child(const std::function<void()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      action();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in a child process: %s\n", error.what());
      ::_exit(3);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace nmt::profiledb
