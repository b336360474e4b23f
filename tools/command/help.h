// SPDX-License-Identifier: BSD-3-Clause
//
// The help of a command or subcommand, on one screen of 80 columns and 24 lines if possible.
//
// It has the usage, one line about what the command does, one line per option or subcommand, the
// options that all subcommands share, and an example (the footer of the CLI11 app). The manual page
// (tools/command/manual.h) comes from the same tree and has the rest.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::tools {

inline constexpr char kRareOptions[] = "Rare";  // group of options that only the manual shows

class Help final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

// What help, manual page and completion read from the CLI11 tree.
std::vector<const CLI::Option*> visible_options(const CLI::App& app);
// Options of the app, then those of the apps around it, with the help flag last.
std::vector<const CLI::Option*> options_in_reach(const CLI::App& app);
std::vector<const CLI::Option*> positionals(const CLI::App& app);
std::vector<const CLI::App*> verbs_of(const CLI::App& app);
bool takes_value(const CLI::Option& option);
std::string full_name(const CLI::App& app);        // "nmad-tune db export"
std::string signature(const CLI::Option& option);  // "--budget TIME", "FILE..."
std::string usage(const CLI::App& app);            // "nmad-tune db export [OPTION...] FILE"
std::string_view first_line(std::string_view text);
std::string_view after_first_line(std::string_view text);
std::string sentence(std::string_view text);  // with a capital and a full stop

}  // namespace nmt::tools
