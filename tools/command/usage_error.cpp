// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/usage_error.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "tools/command/help.h"
#include "tools/command/options.h"
#include "tools/command/text.h"

namespace nmt::tools {
namespace {

std::string explain_unknown(const std::string& argument, const CLI::App& subcommand) {
  const bool is_option = argument.starts_with('-');
  std::vector<std::string> known;
  if (is_option) {
    for (const CLI::Option* option : options_in_reach(subcommand)) {
      known.push_back(option->get_name(false));
    }
    const std::string name = argument.substr(0, argument.find('='));
    const std::string nearest = suggestion(name, known);
    const bool listed = nearest.starts_with("; there is");
    return fmt::format("no option '{}'{}", name, listed ? "; --help lists them" : nearest);
  }
  for (const CLI::App* sub : verbs_of(subcommand)) known.push_back(sub->get_name());
  if (!known.empty()) return fmt::format("no verb '{}'{}", argument, suggestion(argument, known));
  return fmt::format("unexpected argument '{}'; quote it if it belongs to an option", argument);
}

}  // namespace

const CLI::App& verb_named(const CLI::App& root) {
  const CLI::App* subcommand = &root;
  while (!subcommand->get_subcommands().empty()) subcommand = subcommand->get_subcommands().front();
  return *subcommand;
}

std::string explain(const CLI::ParseError& error, const CLI::App& root) {
  const CLI::App& subcommand = verb_named(root);
  // An unknown option is the more likely cause of a missing one.
  const bool incomplete = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (incomplete || extra) {
    for (const std::string& argument : root.remaining(true)) {
      const bool is_option = argument.starts_with('-');
      if (extra || is_option || !verbs_of(subcommand).empty()) {
        return plain(explain_unknown(argument, subcommand));
      }
    }
  }
  if (incomplete && !verbs_of(subcommand).empty()) {
    std::vector<std::string> names;
    for (const CLI::App* sub : verbs_of(subcommand)) names.push_back(sub->get_name());
    return fmt::format("{} needs a verb{}", full_name(subcommand), suggestion("", names));
  }
  return plain(error.what());
}

}  // namespace nmt::tools
