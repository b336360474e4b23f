// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "tools/command/write_file.h"

namespace nmt::tools {

const Path& Record::path_of(const std::string& rail) const {
  const auto found =
      std::ranges::find_if(paths, [&](const Path& path) { return path.from.full_name() == rail; });
  NMT_CHECK(found != paths.end());
  return *found;
}

std::map<Id, PathName> Record::path_names() const {
  std::map<Id, PathName> names;
  for (const Path& path : paths) {
    const bool far = peer && path.to_node == peer->node.id;
    names[path.id] = {.node = node.host,
                      .rail = path.from.full_name(),
                      .peer = far ? peer->node.host : "",
                      .peer_rail = far ? path.to.full_name() : "",
                      .platform = platform.id,
                      .peer_platform = far ? peer->platform.id : platform.id};
  }
  return names;
}

void Record::keep(const Id& path, std::span<const Sample> cells) {
  for (const Sample& cell : cells) {
    cells_[path][{cell.condition, cell.size_bytes, cell.held_out}] = cell;
  }
}

bool Record::has_samples() const {
  return std::ranges::any_of(paths, [&](const Path& path) {
    return path.from.driver != kCores && cells_.contains(path.id);
  });
}

sampler::RailReport Record::report(const Path& path) const {
  sampler::RailReport report{.rail = path.from.full_name()};
  const auto cells = cells_.find(path.id);
  if (cells == cells_.end()) return report;
  report.cells = cells->second.size();
  for (const auto& [cell, sample] : cells->second) {
    report.repetitions += sample.repetitions.size();
    for (const Repetition& each : sample.repetitions) report.disturbed += each.disturbed ? 1 : 0;
  }
  return report;
}

void Record::write(profiledb::ProfileDb& db) const {
  db.ensure_platform(platform);
  db.ensure_node(node, platform.id);
  if (peer) {
    db.ensure_platform(peer->platform);
    db.ensure_node(peer->node, peer->platform.id);
  }
  for (const Path& path : paths) db.ensure_path(path);
  db.begin_campaign(campaign);
  db.begin_session(session, campaign.id);
  for (const auto& [path, cells] : cells_) {
    std::vector<Sample> samples;
    for (const auto& [cell, sample] : cells) samples.push_back(sample);
    db.store_samples(session.id, path, samples);
  }
  db.finish_campaign(campaign);
}

std::optional<std::string> write_next_to(const std::string& file, const std::string& content) {
  const char* temporary = std::getenv("TMPDIR");
  const std::filesystem::path elsewhere = temporary != nullptr ? temporary : "/tmp";
  const std::filesystem::path profile = file;
  const std::string name =
      fmt::format("{}.unsaved-{}.db", profile.filename().string(), Id::random().hex().substr(0, 8));
  for (const auto& folder : {profile.parent_path(), elsewhere}) {
    const std::string beside = folder / name;
    try {
      write_file(beside, content, false);
      return beside;
    } catch (const Error&) {  // try the next place
    }
  }
  return std::nullopt;
}

}  // namespace nmt::tools
