// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/help.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "tools/command/text.h"

namespace nmt::tools {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;
constexpr std::size_t kTermMax = 28;

struct Entry {
  std::string term;
  std::string description;
};

// Terms in one column, descriptions wrapped in the next; below the term if it is too long.
std::string entries(const std::vector<Entry>& list) {
  std::size_t column = 0;
  for (const Entry& entry : list) {
    const std::size_t width = display_width(entry.term);
    if (width <= kTermMax) column = std::max(column, width);
  }
  column += kIndent + kGap;
  std::string out;
  for (const Entry& entry : list) {
    std::string line = std::string(kIndent, ' ') + entry.term;
    if (line.size() + kGap > column) {
      out += line + '\n';
      line.clear();
    }
    for (const std::string& part : wrap(first_line(entry.description), kColumns - column)) {
      line.resize(column, ' ');
      out += line + part + '\n';
      line.clear();
    }
  }
  return out;
}

// A command that only groups verbs shows the example of its first one.
std::string example(const CLI::App& app) {
  const std::vector<const CLI::App*> verbs = verbs_of(app);
  const CLI::App& shown = app.get_footer().empty() && !verbs.empty() ? *verbs.front() : app;
  return shown.get_footer().empty() ? "" : "\nExample: " + shown.get_footer() + '\n';
}

std::string options_of_verbs(const CLI::App& app) {
  std::string list;
  for (const CLI::Option* option : options_in_reach(app)) {
    if (option->get_group() == kRareOptions) continue;
    list += (list.empty() ? "" : ", ") + signature(*option);
  }
  return "All take " + list + ".";
}

}  // namespace

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string_view after_first_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
}

std::string sentence(std::string_view text) {
  std::string out(text);
  if (out.empty()) return out;
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out.ends_with('.') || out.ends_with('?') ? out : out + '.';
}

std::vector<const CLI::Option*> visible_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) {
    return option->nonpositional() && !option->get_group().empty();
  });
}

std::vector<const CLI::Option*> positionals(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + ' ' + app.get_name();
}

bool takes_value(const CLI::Option& option) { return !option.get_type_name().empty(); }

std::string signature(const CLI::Option& option) {
  if (option.get_positional()) {
    const std::string name = option.get_name(true);
    const bool several = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
    return several ? name + "..." : name;
  }
  const std::string name = option.get_name(false, true);
  return takes_value(option) ? name + ' ' + option.get_type_name() : name;
}

std::string usage(const CLI::App& app) {
  std::string text = full_name(app);
  if (!verbs_of(app).empty()) text += app.get_require_subcommand_min() > 0 ? " VERB" : " [VERB]";
  for (const CLI::Option* option : visible_options(app)) {
    if (option->get_required()) text += ' ' + signature(*option);
  }
  text += " [OPTION...]";
  for (const CLI::Option* option : positionals(app)) {
    const std::string name = signature(*option);
    text += option->get_required() ? ' ' + name : " [" + name + ']';
  }
  return text;
}

std::vector<const CLI::Option*> options_in_reach(const CLI::App& app) {
  std::vector<const CLI::Option*> options;
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    for (const CLI::Option* option : visible_options(*level)) {
      if (option != level->get_help_ptr()) options.push_back(option);
    }
  }
  if (app.get_help_ptr() != nullptr) options.push_back(app.get_help_ptr());
  return options;
}

std::string Help::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  std::string out;
  for (const std::string& line : wrap("Usage: " + usage(*app), kColumns - kIndent)) {
    out += std::string(out.empty() ? 0 : kIndent, ' ') + line + '\n';
  }
  for (const std::string& line : wrap(sentence(first_line(app->get_description())), kColumns)) {
    out += line + '\n';
  }
  std::vector<Entry> list;
  std::string rare;
  for (const CLI::App* subcommand : verbs_of(*app)) {
    if (subcommand->get_group() == kRareOptions) {
      rare += (rare.empty() ? "" : ", ") + subcommand->get_name();
      continue;
    }
    list.push_back(
        {subcommand->get_name(), std::string(first_line(subcommand->get_description()))});
  }
  if (!rare.empty()) list.push_back({"more:", rare});
  if (!list.empty()) {  // the help of each subcommand explains the options
    out += '\n' + entries(list) + '\n';
    for (const std::string& line : wrap(options_of_verbs(*app), kColumns)) out += line + '\n';
    return out + example(*app);
  }
  for (const CLI::Option* option : positionals(*app)) {
    list.push_back({signature(*option), option->get_description()});
  }
  for (const CLI::Option* option : options_in_reach(*app)) {
    if (option->get_group() == kRareOptions) continue;
    list.push_back({signature(*option), option->get_description()});
  }
  out += '\n' + entries(list);
  return out + example(*app);
}

}  // namespace nmt::tools
