// SPDX-License-Identifier: BSD-3-Clause
//
// The verbs of nmad-tune: each declares its options and returns what it does. The table of them is
// in nmad_tune.cpp.
#pragma once

#include <string>

#include "tools/command/command.h"

namespace nmt {

// What all verbs share; outlives them.
struct ProfileOptions {
  std::string db;        // --db; empty: the default
  std::string platform;  // --platform: the beginning of an identifier; empty: chosen
};

// Answers.
Work declare_thresholds(Options& options, const ProfileOptions& profile);
Work declare_show(Options& options, const ProfileOptions& profile);
Work declare_check(Options& options, const ProfileOptions& profile);
Work declare_compare(Options& options, const ProfileOptions& profile);
Work declare_curve(Options& options, const ProfileOptions& profile);
Work declare_predict_transfer(Options& options, const ProfileOptions& profile);
Work declare_predict_alltoall(Options& options, const ProfileOptions& profile);
Work declare_predict_alltoallv(Options& options, const ProfileOptions& profile);
Work declare_collectives(Options& options, const ProfileOptions& profile);
Work declare_contention(Options& options, const ProfileOptions& profile);
Work declare_decide(Options& options, const ProfileOptions& profile);
Work declare_split(Options& options, const ProfileOptions& profile);

// The profile in another form.
Work declare_compile(Options& options, const ProfileOptions& profile);

// Settings of other stacks.
Work declare_export(Options& options, const ProfileOptions& profile);
Work declare_ab(Options& options, const ProfileOptions& profile);

// Other people's measurements.
Work declare_import_alltoall(Options& options, const ProfileOptions& profile);

// Changes of what is derived.
Work declare_retune(Options& options, const ProfileOptions& profile);

// Whole profiles.
Work declare_db_export(Options& options, const ProfileOptions& profile);
Work declare_db_import(Options& options, const ProfileOptions& profile);
Work declare_db_merge(Options& options, const ProfileOptions& profile);
Work declare_db_check(Options& options, const ProfileOptions& profile);
Work declare_db_prune(Options& options, const ProfileOptions& profile);
Work declare_db_pin(Options& options, const ProfileOptions& profile);

}  // namespace nmt
