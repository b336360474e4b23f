// SPDX-License-Identifier: BSD-3-Clause
//
// The help of a command or subcommand, on one screen of 80 columns and 24 lines where that can be.
//
// Usage, one line of what it does, one line per option or subcommand, the options that all
// subcommands share, an example (the footer of the CLI11 app). The manual page
// (tools/command/manual.h) comes from the same tree and says the rest.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

inline constexpr char kRareOptions[] = "Rare";  // group of those that help leaves to the manual

class Help final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

// What help, manual page and completion read of the CLI11 tree.
std::vector<const CLI::Option*> visible_options(const CLI::App& app);
// Those of the app, then those of the apps around it, the help flag last.
std::vector<const CLI::Option*> options_in_reach(const CLI::App& app);
std::vector<const CLI::Option*> positionals(const CLI::App& app);
std::vector<const CLI::App*> verbs_of(const CLI::App& app);
bool takes_value(const CLI::Option& option);
std::string full_name(const CLI::App& app);        // "nmad-tune db export"
std::string signature(const CLI::Option& option);  // "--budget TIME", "FILE..."
std::string usage(const CLI::App& app);            // "nmad-tune db export [OPTION...] FILE"
std::string_view first_line(std::string_view text);
std::string_view after_first_line(std::string_view text);
std::string sentence(std::string_view text);  // begins and ends like one

}  // namespace nmt
