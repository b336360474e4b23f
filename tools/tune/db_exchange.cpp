// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune db export, import, merge: whole profiles, from and to files.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/units.h"
#include "tools/command/write_file.h"
#include "tools/tune/open_profile.h"
#include "tools/tune/read_file.h"
#include "tools/tune/retuned.h"

namespace nmt::tools {
namespace {

struct ExportOptions {
  std::string file;
  bool force = false;
  profiledb::ProfileDb::ExportOptions content;
};

Report export_profile(const ExportOptions& options, const ProfileOptions& profile,
                      const Invocation& invocation) {
  const profiledb::ProfileDb db = open_whole_to_read(profile, invocation);
  const std::string text = db.export_json(options.content);
  write_file(options.file, text, options.force);
  Report report;
  report.text.line(fmt::format("{} written to {}", format_bytes(text.size()), options.file));
  report.payload.set("file", options.file).set("size_bytes", text.size());
  report.records = {{"file", "size_bytes"}, {{options.file, text.size()}}};
  report.summary = {{"size_bytes", std::to_string(text.size())}, {"file", options.file}};
  return report;
}

std::vector<Platform> with_old_plans(const profiledb::ProfileDb& db) {
  std::vector<Platform> platforms = db.platforms();
  std::erase_if(platforms,
                [&](const Platform& platform) { return db.plan_is_current(platform.id); });
  return platforms;
}

// A file of results that nmad-sample could not store in the profile is a database itself.
void import_file(profiledb::ProfileDb& staged, const std::string& file) {
  if (profiledb::ProfileDb::is_database(file)) {
    staged.merge(profiledb::ProfileDb(file, {.mode = profiledb::ProfileDb::Mode::kRead}));
  } else {
    staged.import_json(read_file(file), file);
  }
}

// All files are read before the profile is opened or created: all or nothing.
Report import_profile(const std::vector<std::string>& files, const ProfileOptions& profile,
                      const Invocation& invocation) {
  profiledb::ProfileDb staged = profiledb::ProfileDb::in_memory();
  for (const std::string& file : files) import_file(staged, file);
  profiledb::ProfileDb db = open_whole_to_write(profile, invocation, true);
  db.merge(staged);
  return retuned(db, with_old_plans(db));
}

// Complete campaigns that this profile uses for decisions.
std::set<Id> in_force(const profiledb::ProfileDb& db) {
  std::set<Id> ids;
  for (const Platform& platform : db.platforms()) {
    for (const SampleSet& set : db.sample_sets_in_force(platform.id)) {
      if (set.campaign.complete) ids.insert(set.campaign.id);
    }
  }
  return ids;
}

// Campaigns in force in any of the files are pinned together: several launches can separate what
// one launch cannot separate from the rail's speed. If a platform has only one of them, the usual
// rule applies.
Report merge_profiles(const std::vector<std::string>& files, const ProfileOptions& profile,
                      const Invocation& invocation) {
  profiledb::ProfileDb staged = profiledb::ProfileDb::in_memory();
  std::set<Id> candidates;
  for (const std::string& file : files) {
    const profiledb::ProfileDb source(file, {.mode = profiledb::ProfileDb::Mode::kRead});
    candidates.merge(in_force(source));
    staged.merge(source);
  }
  profiledb::ProfileDb db = open_whole_to_write(profile, invocation, true);
  candidates.merge(in_force(db));
  db.merge(staged);

  std::vector<Id> together;
  for (const Platform& platform : db.platforms()) {
    std::vector<Id> ids;
    for (const Campaign& campaign : db.campaigns(platform.id)) {
      if (candidates.contains(campaign.id)) ids.push_back(campaign.id);
    }
    if (ids.size() > 1) together.insert(together.end(), ids.begin(), ids.end());
  }
  if (!together.empty()) db.pin(together);
  return retuned(db, db.platforms());
}

}  // namespace

Work declare_db_export(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<ExportOptions>();
  options.text("FILE", own->file, "FILE", "JSON file to write").required();
  options.flag("--anonymous", own->content.anonymous,
               "without host names, addresses, serial numbers");
  options.flag("--salvage", own->content.salvage, "leave out damaged rows instead of refusing");
  options.flag("--force", own->force, "replace the file");
  options.example("nmad-tune db export profile.json --anonymous");
  return [own, &profile](const Invocation& invocation) {
    return export_profile(*own, profile, invocation);
  };
}

Work declare_db_import(Options& options, const ProfileOptions& profile) {
  const auto files = std::make_shared<std::vector<std::string>>();
  options.texts("FILE", *files, "exports, or results that nmad-sample could not store").required();
  options.example("nmad-tune db import profile.json --db new.db");
  return [files, &profile](const Invocation& invocation) {
    return import_profile(*files, profile, invocation);
  };
}

Work declare_db_merge(Options& options, const ProfileOptions& profile) {
  const auto files = std::make_shared<std::vector<std::string>>();
  options.texts("FILE", *files, "profile databases to merge into --db").required();
  options.example("nmad-tune db merge run1.db run2.db run3.db --db all.db");
  return [files, &profile](const Invocation& invocation) {
    return merge_profiles(*files, profile, invocation);
  };
}

}  // namespace nmt::tools
