// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/cluster_checks.h"

#include <algorithm>
#include <filesystem>

#include "core/method.h"
#include "profiledb/profiledb.h"
#include "tools/command/this_machine.h"

namespace nmt::testing {
namespace {

namespace fs = std::filesystem;

std::vector<Sample> samples_of(double duration_ns) {
  std::vector<Sample> samples;
  for (const std::uint64_t size_bytes : {1, 1024, 4096}) {
    Sample sample;
    sample.condition.benchmark = benchmark::kTransfer;
    sample.condition.method = "copy";
    sample.size_bytes = size_bytes;
    for (std::uint32_t i = 0; i < 5; ++i) {
      sample.repetitions.push_back(
          {.total_ns = static_cast<std::uint64_t>(duration_ns), .batch = 1, .round = i});
    }
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

ClusterChecks::ClusterChecks() {
  fs::create_directories(installed(""));
  fs::copy(NMT_CLUSTER_CHECKS, installed(""));
  fs::create_directory(path("bin"));
  // On a busy machine, two seconds are too short for as many launches as an answer needs.
  executable("bin/nmad-sample", "exec " NMAD_SAMPLE " --budget 6s \"$@\"");
}

std::string ClusterChecks::of_site(const std::string& name) const {
  return executable(name, "NMADTUNE_DB=" + profile() + " exec " + installed(name) + " \"$@\"");
}

std::string ClusterChecks::executable(const std::string& name, const std::string& line) const {
  const std::string file = write(name, "#!/bin/sh\n" + line + "\n");
  fs::permissions(file, fs::perms::owner_all);
  return file;
}

void ClusterChecks::plant(double duration_ns, const std::string& rail, const std::string& near,
                          const std::string& far) const {
  profiledb::ProfileDb db(profile(), {.mode = profiledb::ProfileDb::Mode::kWrite});
  const Platform platform = db.ensure_platform(tools::this_platform());
  const Node from = db.ensure_node({Id::random(), near}, platform.id);
  const Node to = far.empty() ? from : db.ensure_node({Id::random(), far}, platform.id);
  const Rail tcp = {.driver = "tcp", .name = rail, .fingerprint = {}};
  const Path path = db.ensure_path({Id::random(), from.id, to.id, tcp, tcp});
  for (int launch = 0; launch < 5; ++launch) {
    Campaign campaign{
        .id = Id::random(), .platform = platform.id, .started_utc = "2026-11-20T10:00:00Z"};
    db.begin_campaign(campaign);
    const Session session{.id = Id::random(), .started_utc = campaign.started_utc};
    db.begin_session(session, campaign.id);
    db.store_samples(session.id, path.id, samples_of(duration_ns));
    campaign.complete = true;
    campaign.finished_utc = campaign.started_utc;
    db.finish_campaign(campaign);
  }
}

std::string ClusterChecks::record_name() const {
  for (const auto& each : fs::directory_iterator(path(""))) {
    const std::string name = each.path().filename();
    if (name.starts_with("profile.db.confirmed-")) return name;
  }
  return "";
}

std::string ClusterChecks::record() const {
  const std::string name = record_name();
  return name.empty() ? "" : read(name);
}

int ClusterChecks::alarms() const {
  const std::string text = record();
  int count = 0;
  for (std::size_t at = text.find("\"alarms_utc\""); at != std::string::npos; ++count) {
    at = text.find("Z\"", at + 1);
  }
  return std::max(0, count - 1);
}

void ClusterChecks::check_until(const std::function<bool()>& answered,
                                const std::function<void()>& check) {
  for (int tries = 0; tries < 10 && !answered(); ++tries) check();
}

void ClusterChecks::date_first_alarm(const std::string& date) const {
  std::string text = record();
  const std::size_t list = text.find('[', text.find("\"alarms_utc\""));
  if (list == std::string::npos || text.find(']', list) == list + 1) return;  // no alarm yet
  const std::size_t begin = text.find('"', list) + 1;
  text.replace(begin, text.find('"', begin) - begin, date);
  write(record_name(), text);
}

}  // namespace nmt::testing
