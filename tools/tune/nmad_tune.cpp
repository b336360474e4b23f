// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune: answers from a profile, and cares for it. Its verbs, in one table.
#include <functional>

#include "tools/command/command.h"
#include "tools/command/terminal.h"
#include "tools/tune/verbs.h"

namespace {

using nmt::Options;
using nmt::ProfileOptions;

constexpr char kDescription[] =
    "Answers from a profile that nmad-sample measured; without a verb: thresholds.\n"
    "A profile holds what was measured, and what follows from it: curves of durations, and the "
    "sizes at which to change from one transfer method to another. With several platforms in a "
    "profile, answers are this machine's where it was measured, else those of the platform "
    "measured last.";

struct Row {
  const char* path;
  const char* description;
  nmt::Work (*declare)(Options&, const ProfileOptions&);  // null: the verbs below it follow
};

constexpr Row kVerbs[] = {
    {"thresholds", "at which sizes to change method", nmt::declare_thresholds},
    {"show", "what the profile holds, how good and how old", nmt::declare_show},
    {"check", "is this the platform that was measured", nmt::declare_check},
    {"compare", "what thresholds of one rail cost on another", nmt::declare_compare},
    {"curve", "the duration of a method over all sizes", nmt::declare_curve},
    {"predict", "predict durations", nullptr},
    {"predict transfer", "predict the duration of one message", nmt::declare_predict_transfer},
    {"predict alltoall", "predict an exchange between all ranks", nmt::declare_predict_alltoall},
    {"predict alltoallv", "the same, of sizes that differ", nmt::declare_predict_alltoallv},
    {"contention", "what contention does to alltoalls here", nmt::declare_contention},
    {"collectives", "which algorithm and segment for a collective", nmt::declare_collectives},
    {"decide", "which method for a message, by how much, and why", nmt::declare_decide},
    {"split", "share a message among several rails", nmt::declare_split},
    {"compile", "write the profile as a flat snapshot", nmt::declare_compile},
    {"export", "write settings of another stack that pay here", nmt::declare_export},
    {"ab", "compare those settings with the defaults, in turns", nmt::declare_ab},
    {"import-alltoall", "add alltoalls that other tools measured", nmt::declare_import_alltoall},
    {"retune", "derive the plan again from the samples", nmt::declare_retune},
    {"db", "whole profiles: export, import, merge, check, prune, pin", nullptr},
    {"db export", "write the profile as JSON", nmt::declare_db_export},
    {"db import", "add profiles from JSON, all or nothing", nmt::declare_db_import},
    {"db merge", "add profiles; their campaigns count together", nmt::declare_db_merge},
    {"db check", "is every row as it was written", nmt::declare_db_check},
    {"db prune", "drop campaigns that newer ones supersede", nmt::declare_db_prune},
    {"db pin", "choose the campaigns that decisions follow", nmt::declare_db_pin},
};

}  // namespace

int main(int argc, char** argv) {
  nmt::secure_standard_streams();
  nmt::Command command("nmad-tune", kDescription);
  ProfileOptions profile;
  command.options().text("--db", profile.db, "FILE",
                         "the profile (the user's, the site's, the system's)\n"
                         "Where it is not given: $NMADTUNE_DB, else the first that exists of the "
                         "user's, the site's and the system's profile.");
  command.options().text("--platform", profile.platform, "ID",
                         "of which platform (this machine's)\n"
                         "Its identifier, as show prints it, or the beginning of it.");
  command.options().example("nmad-tune thresholds --json");
  for (const Row& row : kVerbs) {
    nmt::Verb verb{row.path, row.description, nullptr};
    if (row.declare != nullptr) {
      verb.declare = [&](Options& options) { return row.declare(options, profile); };
    }
    command.add_verb(verb);
  }
  command.set_default_verb("thresholds");
  return command.run(argc, argv);
}
