// SPDX-License-Identifier: BSD-3-Clause
//
// One command, from its arguments to its exit code: the conventions that all commands share
// (docs/architecture.md, "Conventions of the commands").
//
// A command declares its options and does its work in a function that returns a Report. This code
// does the rest. It turns every error into one line on standard error, an "error" member of the
// JSON document and an exit code (each CLI11 parse error 2, an Error its Fault). It provides
// --json, --csv, --quiet, --help on one screen, and a manual page and bash completion from the same
// tree (--man, --completion).
//
// Shared by all commands. In reading order:
//   options                       declares options, and checks their values
//   help                          the help of a command
//   manual                        its manual page
//   completion                    its completion for bash
//   usage_error                   explains why a command line was refused
//   report                        the results of a command, for every output form
//   text                          headings, lines and tables for people
//   records                       rows for programs, as CSV
//   terminal                      standard input, output and error
//   write_file                    writes a user's file completely or not at all
//   opened_profile                a profile opened through the C ABI
//   this_machine                  this machine's platform and node, for a profile
//   tune_profile                  derives and stores the plan of a profile
//   path_choice                   which paths of a profile a user asks for
//   named_plans                   rail plans by the names of nodes and peers
//   report_thresholds             prints thresholds
//   pair_times                    latency and bandwidth of pairs of nodes, launch by launch
//   utc                           dates
//   report_outliers               prints nodes, links and rails that are out of line
//   report_concurrent_bandwidth   prints the bandwidth of rails in use at the same time
//   report_verification           prints a verification
//   report_guidelines             prints where an MPI's own collectives are too slow
//   collectives_library           runs collectives of libnmadtune-mpi.so
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command/options.h"
#include "tools/command/report.h"

namespace nmt::tools {

// How a command was called, for its work.
struct Invocation {
  std::string tool;
  std::string command_line;  // quoted for a shell
  bool quiet = false;
  bool text = true;  // results are for people, not JSON or CSV

  // "TOOL: MESSAGE" on standard error, unless quiet.
  void notice(std::string_view message) const;
};

using Work = std::function<Report(const Invocation&)>;

// A subcommand by its path ("thresholds", "db export"). declare() adds its options and returns its
// work. A path without declare() groups the subcommands below it, which come after it.
struct Subcommand {
  std::string path;
  std::string description;
  std::function<Work(Options&)> declare;
  bool rare = false;  // only named in the help, without its description
};

class Command {
 public:
  // The first line of `description` is for the help, the rest for the manual page.
  Command(const std::string& name, const std::string& description);
  ~Command();

  Options options() { return Options(*app_); }  // of the command, shared by all subcommands
  void add_subcommand(const Subcommand& subcommand);
  void set_work(Work work) {
    work_[app_.get()] = std::move(work);
  }  // of a command without subcommands
  void set_default_subcommand(std::string subcommand) {
    default_subcommand_ = std::move(subcommand);
  }

  // Never throws. Prints the results and returns the exit code. Call it once.
  int run(int argc, const char* const* argv);

 private:
  enum class Form { kText, kJson, kCsv };

  void declare_shared_options();
  Report report(const std::vector<std::string>& arguments);
  void parse(std::vector<std::string> arguments);
  Report verbatim(const std::string& text);
  int print(const Report& report) const;
  std::string rendered(const Report& report, int descriptor) const;
  json::Value document(const Report& report) const;

  std::unique_ptr<CLI::App> app_;
  std::map<const CLI::App*, Work> work_;
  std::string default_subcommand_;
  Invocation invocation_;
  Form form_ = Form::kText;
  bool json_ = false;
  bool csv_ = false;
  bool manual_ = false;
  bool completion_ = false;
};

}  // namespace nmt::tools
