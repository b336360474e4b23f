// SPDX-License-Identifier: BSD-3-Clause
//
// The subcommands of nmad-tune: each declares its options and returns its work. nmad_tune.cpp has
// the table of them.
//
// One file each, in the order of the help:
//   nmad_tune              main(), and the table of subcommands
//   thresholds             thresholds
//   show                   show
//   check                  check
//   outliers               outliers
//   diff                   diff
//   diff_sides             the two sides of diff
//   compare                compare
//   curve                  curve
//   predict                predict transfer
//   predict_alltoall       predict alltoall, predict alltoallv
//   collectives            collectives
//   predict_collectives    collectives --nodes --per-node
//   contention             contention
//   decide                 decide
//   split                  split
//   report                 report
//   compile                compile
//   export                 export
//   ab                     ab
//   import_alltoall        import-alltoall
//   retune                 retune
//   db_exchange            db export, db import, db merge
//   db_care                db check, db prune, db pin
//   db_publish             db approve, db rollback, db off, db on
//   open_profile           opens the profile that a subcommand uses
//   read_file              reads a user's file
//   advice                 the profile, asked through the C ABI
//   ab_rows                the rows of ab, by size
//   ab_collectives         the collectives of ab
//   retuned                derives plans again, and reports them
//   signatures             the contention signature that a subcommand uses
//   split_ways             other ways to split a message
//   alltoall_choice        which algorithm an alltoall takes
//   alltoall_terms         questions about alltoalls on a command line
//   report_offloads        prints the cost of submitting from another core
//   report_registrations   prints the cost of registration
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/sample.h"
#include "profiledb/profiledb.h"
#include "tools/command/command.h"

namespace nmt::tools {

// Shared by all subcommands; outlives them.
struct ProfileOptions {
  std::string db;        // --db; empty: the default
  std::string platform;  // --platform: the beginning of an identifier; empty: chosen
};

// Answers.
Work declare_thresholds(Options& options, const ProfileOptions& profile);
Work declare_show(Options& options, const ProfileOptions& profile);
Work declare_check(Options& options, const ProfileOptions& profile);
Work declare_outliers(Options& options, const ProfileOptions& profile);
Work declare_diff(Options& options, const ProfileOptions& profile);
Work declare_compare(Options& options, const ProfileOptions& profile);
Work declare_curve(Options& options, const ProfileOptions& profile);
Work declare_predict_transfer(Options& options, const ProfileOptions& profile);
Work declare_predict_alltoall(Options& options, const ProfileOptions& profile);
Work declare_predict_alltoallv(Options& options, const ProfileOptions& profile);
Work declare_collectives(Options& options, const ProfileOptions& profile);
Work declare_contention(Options& options, const ProfileOptions& profile);
Work declare_decide(Options& options, const ProfileOptions& profile);
Work declare_split(Options& options, const ProfileOptions& profile);
Work declare_report(Options& options, const ProfileOptions& profile);

// Answers of the subcommands show, check, collectives and diff that the report shows too, of a
// profile that is open.
struct OpenProfile;
class DiffSide;
struct CampaignContent {
  std::set<std::string> rails;
  std::size_t cells = 0;
  std::string damage;  // why it cannot be read; empty if it can
  void add(const SampleSet& set);
};
Report show_platform(const OpenProfile& profile, const profiledb::StoredPlan& plan,
                     const std::map<Id, CampaignContent>& campaigns);
Report check_platform(const OpenProfile& profile);
// `sets`: the samples in force. Throws Error(kFailed) if there are no collectives.
Report show_collectives(const OpenProfile& profile, const Plan& plan,
                        const std::vector<SampleSet>& sets);
// Throws Error(kFailed) if they have no path in common.
Report diff_sides(const DiffSide& before, const DiffSide& after);

// The profile in another form.
Work declare_compile(Options& options, const ProfileOptions& profile);

// Settings of other stacks.
Work declare_export(Options& options, const ProfileOptions& profile);
Work declare_ab(Options& options, const ProfileOptions& profile);

// Measurements of other tools.
Work declare_import_alltoall(Options& options, const ProfileOptions& profile);

// Changes of derived data.
Work declare_retune(Options& options, const ProfileOptions& profile);

// Whole profiles.
Work declare_db_export(Options& options, const ProfileOptions& profile);
Work declare_db_import(Options& options, const ProfileOptions& profile);
Work declare_db_merge(Options& options, const ProfileOptions& profile);
Work declare_db_check(Options& options, const ProfileOptions& profile);
Work declare_db_prune(Options& options, const ProfileOptions& profile);
Work declare_db_pin(Options& options, const ProfileOptions& profile);

// What all users of a node get.
Work declare_db_approve(Options& options, const ProfileOptions& profile);
Work declare_db_rollback(Options& options, const ProfileOptions& profile);
Work declare_db_off(Options& options, const ProfileOptions& profile);
Work declare_db_on(Options& options, const ProfileOptions& profile);

}  // namespace nmt::tools
