// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the store: one SQLite file that keeps what was measured, where, when, under what
// conditions, and what was derived from it (docs/schema.md).
//
// Rollback-journal mode, so that a published profile stays readable on a read-only directory or a
// network file system. One writer at a time; a second one waits, says for whom, and gives up at
// its deadline. Every store_*() is one transaction, on disk when it returns. Rows carry digests,
// checked whenever they are read: a damaged campaign is named and never used. All failures are
// Error(kDatabase) that names the file, the cause and the way out; the old content stays.
// Not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/sample.h"

namespace nmt {

// Where the profile is, and why there (nmad-tune show --origin).
struct Location {
  std::string file;
  std::string reason;  // "--db", "$NMADTUNE_DB", "user's profile", "system profile" ...
};
// First of: `option` (--db), $NMADTUNE_DB, ${XDG_DATA_HOME:-~/.local/share}/nmadtune/profile.db,
// /etc/nmadtune/profile.db, /var/lib/nmadtune/profile.db; for reading the first that exists.
Location locate_for_reading(const std::string& option);
Location locate_for_writing(const std::string& option, bool system);

class ProfileDb {
 public:
  enum class Mode { kRead, kWrite };
  struct Options {
    Mode mode = Mode::kRead;
    double wait_ns = 30e9;  // for another writer
    std::function<void(const std::string&)> notice = {};  // "waiting for ..."; may be empty
  };
  // kWrite creates the file and its directory where absent and migrates an older schema; kRead
  // does neither. Refuses foreign files and newer schemas, with both numbers.
  ProfileDb(const std::string& file, const Options& options);
  ~ProfileDb();
  ProfileDb(ProfileDb&&) noexcept;

  const std::string& file() const;

  // Identity. The stored twin where one with equal fingerprint (host, rail) exists, else inserted.
  Platform ensure_platform(const Platform& platform);
  Node ensure_node(const Node& node, const Id& platform);
  Path ensure_path(const Path& path);

  // Measuring.
  void begin_campaign(const Campaign& campaign);
  void begin_session(const Session& session, const Id& campaign);
  // The samples as they are now, replacing the same cells of the same session and path.
  void store_samples(const Id& session, const Id& path, std::span<const Sample> samples);
  void finish_campaign(const Campaign& campaign);  // complete, finished, quality, remark
  // Newest incomplete campaign of this platform with these options.
  std::optional<Campaign> find_resumable(const Id& platform, const Fields& options) const;

  // Reading back.
  std::vector<Platform> platforms() const;
  std::vector<Path> paths(const Id& platform) const;
  std::vector<Campaign> campaigns(const Id& platform) const;  // newest first
  std::vector<SampleSet> sample_sets(const Id& campaign) const;
  // Campaigns to derive from: the pinned ones; else per path and condition the newest complete one
  // wins, an incomplete one only where there is nothing else.
  std::vector<SampleSet> sample_sets_in_force(const Id& platform) const;
  void pin(std::span<const Id> campaigns);  // these together are in force; empty: unpin all

  // Derived.
  void store_plan(const Plan& plan);  // replaces the platform's
  std::optional<Plan> plan(const Id& platform) const;

  // Care.
  struct Problem {
    std::string where;   // table, row
    std::string what;
    std::string remedy;  // what can be saved
  };
  std::vector<Problem> check() const;
  std::size_t prune(std::size_t keep);  // newest complete campaigns per platform; returns dropped

  // Whole profiles. Import and merge are all or nothing.
  struct ExportOptions {
    bool anonymous = false;  // host names, addresses and serial numbers removed
  };
  std::string export_json(const ExportOptions& options) const;
  void import_json(std::string_view text, std::string_view what);  // union, by identifier
  void merge(const ProfileDb& other);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nmt
