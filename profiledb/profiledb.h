// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the store: one SQLite file that contains what was measured, where, when and under what
// conditions, and what was derived from it (docs/reference/schema.md).
//
// The file is in rollback-journal mode, so that a published profile stays readable in a read-only
// directory or on a network file system. There is one writer at a time. A second writer waits,
// reports which process it waits for, and gives up at its deadline. Every store_*() is one
// transaction, on disk when it returns. Rows have digests that every read checks: a damaged
// campaign is reported and never used. Every failure is an Error(kDatabase) that names the file,
// the cause and the way out; the old content stays. Not thread-safe.
//
// In reading order:
//   location         which file is the profile, and why
//   open             opens a file as a profile, after checking it
//   lock_wait        waits for another process that has locked the profile
//   in_force         which campaigns count
//   anonymous        removes names and addresses from an export
//   implementation   the implementation of ProfileDb; its methods are in profiledb_*.cpp
//   survey           finds which parts of a profile are damaged
//   merge_contents   adds one profile to another
//   contents_json    a whole profile as JSON
//   catalog          all small tables of a profile, and lookups in them
//   schema           the tables, and their migration from older versions
//   rows             one type for each table
//   row_io           writes a row to a statement, reads it, and computes its digest
//   table            loads, inserts and erases rows of any table
//   repetitions      the repetitions of a sample as compact bytes
//   sqlite           SQLite's objects as types that release themselves
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/path_name.h"
#include "core/plan.h"
#include "core/rail.h"
#include "core/sample.h"
#include "profiledb/location.h"

namespace nmt::profiledb {

struct StoredPlan {
  Plan plan;
  bool is_current = false;  // the samples in force are still those that it was derived from
};

// One campaign, read once: all of its samples, and which of them count.
class CampaignSamples {
 public:
  Campaign campaign;
  std::vector<SampleSet> sets;
  std::string damage;  // why it cannot be read, and there are no sets; else empty

  // Leaves of `sets` what ProfileDb::sample_sets_in_force() has of this campaign.
  void keep_in_force();

 private:
  friend class SampleReader;
  std::vector<std::vector<bool>> counts_;  // each sample of each set
};

class ProfileDb {
 public:
  enum class Mode { kRead, kWrite };
  struct Options {
    Mode mode = Mode::kRead;
    double wait_ns = 30e9;                                // for another writer
    std::function<void(const std::string&)> notice = {};  // "waiting for ..."; may be empty
  };
  // kWrite creates the file and its directory if absent, and migrates an older schema; kRead does
  // neither, and reads an older one as it is. Both refuse files of other programs, and newer
  // schemas, naming both versions.
  ProfileDb(const std::string& file, const Options& options);
  // The same rules without a file: for results that could not be stored, to be exported.
  static ProfileDb in_memory();
  // Whether the file is a database, as profiles are, and no export of one.
  static bool is_database(const std::string& file);
  ~ProfileDb();
  ProfileDb(ProfileDb&&) noexcept;

  const std::string& file() const;

  // Identity. Returns the stored row if one has the same fingerprint (or host, or rail); else
  // inserts.
  Platform ensure_platform(const Platform& platform);
  Node ensure_node(const Node& node, const Id& platform);
  Path ensure_path(const Path& path);
  // A group of stored paths that are measured together. Its id replaces a path's in
  // store_samples().
  Id ensure_path_group(std::span<const Id> paths);

  // Measuring.
  void begin_campaign(const Campaign& campaign);
  void begin_session(const Session& session, const Id& campaign);
  // Stores how much of the campaign's budget the session has used so far.
  void note_elapsed(const Id& session, double elapsed_ns);
  // Stores the current samples; they replace the same cells of the same session and path.
  void store_samples(const Id& session, const Id& path, std::span<const Sample> samples);
  void finish_campaign(const Campaign& campaign);  // complete, finished, quality, remark
  // Newest incomplete campaign of this platform with these options.
  std::optional<Campaign> find_resumable(const Id& platform, const Fields& options) const;

  // Reading back.
  std::vector<Platform> platforms() const;
  std::vector<Path> paths(const Id& platform) const;
  std::map<Id, PathName> path_names() const;                  // of all paths of all platforms
  std::vector<Node> nodes() const;                            // of all platforms
  std::vector<Campaign> campaigns(const Id& platform) const;  // newest first
  std::vector<SampleSet> sample_sets(const Id& campaign) const;
  // Samples to derive from: those of the pinned campaigns. If none is pinned, the newest complete
  // campaign counts for each path and condition, or an incomplete one if there is no other. Paths
  // between the same nodes and rail names count as one here, so measurements from before a change
  // of a rail's fingerprint are superseded.
  std::vector<SampleSet> sample_sets_in_force(const Id& platform) const;
  // Calls use() for each campaign of a platform, newest first, for whoever needs both. use() must
  // not call this object.
  void read_samples(const Id& platform, const std::function<void(CampaignSamples)>& use) const;
  std::vector<Campaign> pinned(const Id& platform) const;  // newest first
  // Pins exactly these campaigns on their platforms; empty: unpins all.
  void pin(std::span<const Id> campaigns);

  // Derived.
  void store_plan(const Plan& plan);  // replaces the platform's plan
  std::optional<Plan> plan(const Id& platform) const;
  std::optional<StoredPlan> stored_plan(const Id& platform) const;
  bool plan_is_current(const Id& platform) const;  // false without a plan

  // Maintenance.
  struct Problem {
    std::string where;  // table, row
    std::string what;
    std::string remedy;  // what can still be saved
  };
  std::vector<Problem> check() const;
  // Drops campaigns that have at least `keep` newer complete ones for everything they measured, but
  // never a pinned one. Returns the number of dropped campaigns.
  std::size_t prune(std::size_t keep);

  // Whole profiles. An import or a merge applies completely or not at all.
  struct ExportOptions {
    bool anonymous = false;  // host names, addresses, serial numbers and command lines removed
    bool salvage = false;    // leave out damaged rows instead of refusing
    std::size_t size_bytes_max = json::kSizeBytesMax;  // limit of import_json()
  };
  // Error(kFailed) if the text would be larger: what is written can be imported.
  std::string export_json(const ExportOptions& options) const;
  // This profile as the content of a file, of any size.
  std::string file_content() const;
  // Union by identifier; equal platforms, nodes, rails and paths become one. Of two versions of a
  // campaign or a sample the more complete one stays. `what` names the text in messages.
  void import_json(std::string_view text, std::string_view what);
  void merge(const ProfileDb& other);

 private:
  Plan plan_of(const json::Value& content) const;
  void name_mpi(Plan& plan) const;
  struct Implementation;
  explicit ProfileDb(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nmt::profiledb
