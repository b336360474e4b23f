// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tools/command/help.h"

namespace nmt::tools {
namespace {

// One case per subcommand: the subcommands and options that may follow it.
void add_words(const CLI::App& app, const std::string& path, std::string* out) {
  std::string words;
  for (const CLI::App* subcommand : verbs_of(app)) words += subcommand->get_name() + ' ';
  for (const CLI::Option* option : options_in_reach(app)) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + ' ';
  }
  words.pop_back();
  *out += fmt::format("    '{}') words='{}' ;;\n", path, words);
  for (const CLI::App* subcommand : verbs_of(app)) {
    add_words(*subcommand, path + ' ' + subcommand->get_name(), out);
  }
}

// One case per option that takes a value: the list of its values, or an empty list.
void add_values(const CLI::App& app, std::string* out) {
  for (const CLI::Option* option : visible_options(app)) {
    const std::string entry = "    " + option->get_name() + ") words='";
    if (!takes_value(*option) || out->find(entry) != std::string::npos) continue;
    std::string values = option->get_type_name();
    if (values.find('|') == std::string::npos) values.clear();
    std::ranges::replace(values, '|', ' ');
    *out += entry + values + "' ;;\n";
  }
  for (const CLI::App* subcommand : verbs_of(app)) add_values(*subcommand, out);
}

void add_paths(const CLI::App& app, const std::string& path, std::string* out) {
  for (const CLI::App* subcommand : verbs_of(app)) {
    const std::string longer = path + ' ' + subcommand->get_name();
    *out += fmt::format("{}'{}'", out->empty() ? "" : " | ", longer);
    add_paths(*subcommand, longer, out);
  }
}

}  // namespace

std::string completion(const CLI::App& root) {
  std::string words, values, paths;
  add_words(root, "", &words);
  add_values(root, &values);
  add_paths(root, "", &paths);
  if (paths.empty()) paths = "''";
  std::string function = "_" + root.get_name();
  std::ranges::replace(function, '-', '_');
  // If there is no suggestion, "-o default" completes files.
  return fmt::format(R"(# bash completion for {0}
{1}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} path='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {2}) path+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case $path in
{3}  esac
  case ${{COMP_WORDS[COMP_CWORD - 1]}} in
{4}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F {1} {0}
)",
                     root.get_name(), function, paths, words, values);
}

}  // namespace nmt::tools
