// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/report_sandbox.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"
#include "profiledb/profiledb.h"

namespace nmt::testing {

json::Value data_of(const std::string& page) {
  constexpr std::string_view kOpen = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(kOpen);
  NMT_CHECK(from != std::string::npos);
  const std::size_t begin = from + kOpen.size();
  return json::parse(std::string_view(page).substr(begin, page.find('<', begin) - begin), "page");
}

void write_small_profile(const std::string& file, const std::string& host, const std::string& rail,
                         int samples) {
  profiledb::ProfileDb db(file, {.mode = profiledb::ProfileDb::Mode::kWrite});
  const Platform platform = db.ensure_platform(
      {.id = Id::random(), .name = "platform of " + host, .fingerprint = {{"cpu_model", host}}});
  const Node near = db.ensure_node({.id = Id::random(), .host = host}, platform.id);
  const Node far = db.ensure_node({.id = Id::random(), .host = host + "-2"}, platform.id);
  const Rail named{.driver = "tcp", .name = rail, .fingerprint = {{"mtu", host}}};
  const Path path = db.ensure_path(
      {.id = Id::random(), .from_node = near.id, .to_node = far.id, .from = named, .to = named});
  Campaign campaign{.id = Id::random(),
                    .platform = platform.id,
                    .started_utc = "2026-01-02T03:04:05Z",
                    .tool_version = "made",
                    .command_line = host,
                    .complete = true,
                    .remark = host};
  db.begin_campaign(campaign);
  const Session session{.id = Id::random(), .started_utc = campaign.started_utc, .clock = "made"};
  db.begin_session(session, campaign.id);
  std::vector<Sample> cells;
  for (int i = 0; i < samples; ++i) {
    Sample sample;
    sample.condition.benchmark = benchmark::kTransfer;
    sample.condition.method = i % 2 == 0 ? "copy" : "rendezvous";
    sample.size_bytes = std::uint64_t{1} << (i / 2);
    sample.repetitions = {{.total_ns = 1000 + static_cast<std::uint64_t>(i), .batch = 1}};
    cells.push_back(sample);
  }
  db.store_samples(session.id, path.id, cells);
  campaign.finished_utc = campaign.started_utc;
  db.finish_campaign(campaign);
}

void describe_cluster(const std::string& file, const std::string& file_later,
                      const Setting& setting) {
  const std::vector<std::string> command = {NMT_CLUSTER_REPORT, "--nmad-tune", NMAD_TUNE,
                                            "--db-only"};
  std::vector<std::string> before = command, later = command;
  before.push_back(file);
  later.insert(later.end(), {"--later", file_later});
  for (const std::vector<std::string>& each : {before, later}) {
    const Result made = run(each, setting);
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
}

void describe_cluster_of(int nodes, const std::string& file, const Setting& setting) {
  Process process({NMT_CLUSTER_REPORT, "--nmad-tune", NMAD_TUNE, "--nodes", std::to_string(nodes),
                   "--db-only", file},
                  setting);
  const Result made = process.wait(300);
  ASSERT_EQ(made.exit_code, 0) << made.err;
}

}  // namespace nmt::testing
