// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune: answers from a profile, and maintenance of it. The table of its subcommands.
#include <functional>

#include "tools/command/command.h"
#include "tools/command/terminal.h"
#include "tools/tune/subcommands.h"

namespace {

using nmt::tools::Options;
using nmt::tools::ProfileOptions;

constexpr char kDescription[] =
    "Prints decisions from the profile that nmad-sample wrote (default: thresholds).\n"
    "A profile holds measurements and what was derived from them: curves of durations, and "
    "the sizes at which to change from one transfer method to another. If a profile holds "
    "several platforms, nmad-tune takes this machine's, else the one that was measured last.";

struct Row {
  const char* path;
  const char* description;
  nmt::tools::Work (*declare)(Options&, const ProfileOptions&);  // null: its subcommands follow
  bool rare = false;
};

constexpr Row kVerbs[] = {
    {"thresholds", "print the sizes at which to change the transfer method",
     nmt::tools::declare_thresholds},
    {"show", "list what the profile holds, its quality and its age", nmt::tools::declare_show},
    {"check", "check that this platform is the one that was measured", nmt::tools::declare_check},
    {"outliers", "report nodes, links and rails that are slower than others",
     nmt::tools::declare_outliers},
    {"diff", "report what became slower or faster beyond noise", nmt::tools::declare_diff},
    {"compare", "report what the thresholds of one rail cost on another",
     nmt::tools::declare_compare},
    {"curve", "print the duration of one method at all sizes", nmt::tools::declare_curve},
    {"predict", "predict the duration of a message or of an alltoall", nullptr},
    {"predict transfer", "predict the duration of one message",
     nmt::tools::declare_predict_transfer},
    {"predict alltoall", "predict the duration of an alltoall (MPI_Alltoall)",
     nmt::tools::declare_predict_alltoall},
    {"predict alltoallv", "predict the duration of an alltoall of unequal sizes (MPI_Alltoallv)",
     nmt::tools::declare_predict_alltoallv},
    {"contention", "print the contention signature of this network",
     nmt::tools::declare_contention},
    {"collectives", "print the algorithm and the segment for each collective",
     nmt::tools::declare_collectives},
    {"decide", "choose the method for a message, and explain the choice",
     nmt::tools::declare_decide},
    {"split", "split a message over several rails", nmt::tools::declare_split},
    {"report", "write a page with plots of the whole profile, for a browser",
     nmt::tools::declare_report},
    {"compile", "write the profile as a snapshot, for jobs of many ranks",
     nmt::tools::declare_compile, true},
    {"export", "write the settings that make another stack faster here",
     nmt::tools::declare_export},
    {"ab", "compare exported settings with the stack's defaults", nmt::tools::declare_ab},
    {"import-alltoall", "import alltoalls that other tools measured",
     nmt::tools::declare_import_alltoall, true},
    {"retune", "derive the plan from the samples again", nmt::tools::declare_retune, true},
    {"db", "manage profiles: export, merge, check, pin, approve ...", nullptr},
    {"db export", "write the profile as JSON", nmt::tools::declare_db_export},
    {"db import", "import exported profiles, all or none", nmt::tools::declare_db_import},
    {"db merge", "merge profiles into --db; all their campaigns count",
     nmt::tools::declare_db_merge},
    {"db check", "check that no row of the profile is damaged", nmt::tools::declare_db_check},
    {"db prune", "delete campaigns that newer ones supersede", nmt::tools::declare_db_prune},
    {"db pin", "choose the campaigns that decisions follow", nmt::tools::declare_db_pin},
    {"db approve", "publish a profile to all users of this node", nmt::tools::declare_db_approve},
    {"db rollback", "publish the profile before this one again", nmt::tools::declare_db_rollback},
    {"db off", "turn all advice off, for all users of this node", nmt::tools::declare_db_off},
    {"db on", "turn advice on again", nmt::tools::declare_db_on},
};

}  // namespace

int main(int argc, char** argv) {
  nmt::tools::secure_standard_streams();
  nmt::tools::Command command("nmad-tune", kDescription);
  ProfileOptions profile;
  command.options().text(
      "--db", profile.db, "FILE",
      "profile (default: the user's, site's or system's)\n"
      "Without it: $NMADTUNE_DB, else the first that exists of the user's, the site's and the "
      "system's profile.");
  command.options().text("--platform", profile.platform, "ID",
                         "platform in the profile (default: this machine's)\n"
                         "Its identifier, as nmad-tune show prints it, or the first digits of it.");
  command.options().example("nmad-tune thresholds --json");
  for (const Row& row : kVerbs) {
    nmt::tools::Subcommand subcommand{row.path, row.description, nullptr, row.rare};
    if (row.declare != nullptr) {
      subcommand.declare = [&](Options& options) { return row.declare(options, profile); };
    }
    command.add_subcommand(subcommand);
  }
  command.set_default_subcommand("thresholds");
  return command.run(argc, argv);
}
