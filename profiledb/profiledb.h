// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the store: one SQLite file that keeps what was measured, where, when, under what
// conditions, and what was derived from it (docs/reference/schema.md).
//
// Rollback-journal mode, so that a published profile stays readable on a read-only directory or a
// network file system. One writer at a time; a second one waits, says for whom, and gives up at
// its deadline. Every store_*() is one transaction, on disk when it returns. Rows carry digests,
// checked whenever they are read: a damaged campaign is named and never used. All failures are
// Error(kDatabase) that names the file, the cause and the way out; the old content stays.
// Not thread-safe.
//
// In reading order:
//   location         which file is the profile, and why
//   open             opens a file as a profile, and checks what it is
//   lock_wait        waits for another process that has locked the profile
//   in_force         which campaigns count
//   anonymous        removes from an export what names the site
//   implementation   what stands behind ProfileDb, whose methods are in profiledb_*.cpp
//   survey           which parts of a profile are whole
//   merge_contents   adds one profile to another
//   contents_json    a whole profile as JSON
//   catalog          all small tables of a profile, and lookups in them
//   schema           the tables, and how older ones are brought up to date
//   rows             one type for each table
//   row_io           a row into a statement and out of it, with its digest
//   table            loads, inserts and erases rows of any table
//   repetitions      the repetitions of a sample as compact bytes
//   sqlite           SQLite's objects, which close themselves
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/plan.h"
#include "core/rail.h"
#include "core/sample.h"
#include "profiledb/location.h"

namespace nmt {

class ProfileDb {
 public:
  enum class Mode { kRead, kWrite };
  struct Options {
    Mode mode = Mode::kRead;
    double wait_ns = 30e9;                                // for another writer
    std::function<void(const std::string&)> notice = {};  // "waiting for ..."; may be empty
  };
  // kWrite creates the file and its directory where absent and migrates an older schema; kRead
  // does neither. Refuses foreign files and newer schemas, with both numbers.
  ProfileDb(const std::string& file, const Options& options);
  // Same rules, no file: for results that could not be stored, to be exported.
  static ProfileDb in_memory();
  ~ProfileDb();
  ProfileDb(ProfileDb&&) noexcept;

  const std::string& file() const;

  // Identity. The stored twin where one with equal fingerprint (host, rail) exists, else inserted.
  Platform ensure_platform(const Platform& platform);
  Node ensure_node(const Node& node, const Id& platform);
  Path ensure_path(const Path& path);
  // Stored paths that are measured together; its id stands for a path's in store_samples().
  Id ensure_path_group(std::span<const Id> paths);

  // Measuring.
  void begin_campaign(const Campaign& campaign);
  void begin_session(const Session& session, const Id& campaign);
  // How much of the campaign's budget the session has taken so far.
  void note_elapsed(const Id& session, double elapsed_ns);
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
  // wins, an incomplete one only where there is nothing else. Paths between the same nodes and
  // rail names count as one here: what a rail was before its fingerprint changed is superseded.
  std::vector<SampleSet> sample_sets_in_force(const Id& platform) const;
  // These together are in force on their platforms; empty: nothing is pinned any more.
  void pin(std::span<const Id> campaigns);

  // Derived.
  void store_plan(const Plan& plan);  // replaces the platform's
  std::optional<Plan> plan(const Id& platform) const;
  // Whether the samples in force are still those that the stored plan was derived from.
  bool plan_is_current(const Id& platform) const;

  // Care.
  struct Problem {
    std::string where;  // table, row
    std::string what;
    std::string remedy;  // what can be saved
  };
  std::vector<Problem> check() const;
  // Drops campaigns that have at least `keep` newer complete ones for everything they measured;
  // never a pinned one. Returns how many.
  std::size_t prune(std::size_t keep);

  // Whole profiles. Import and merge are all or nothing.
  struct ExportOptions {
    bool anonymous = false;  // host names, addresses, serial numbers and command lines removed
    bool salvage = false;    // leave out what is damaged instead of refusing
    std::size_t size_bytes_max = json::kSizeBytesMax;  // as import_json() takes it
  };
  // Error(kFailed) where it would be larger: what is written can be imported.
  std::string export_json(const ExportOptions& options) const;
  // Union, by identifier; equal platforms, nodes, rails and paths are folded together. Of two
  // versions of a campaign or a sample the one that knows more stays. `what` names the text.
  void import_json(std::string_view text, std::string_view what);
  void merge(const ProfileDb& other);

 private:
  struct Implementation;
  explicit ProfileDb(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nmt
