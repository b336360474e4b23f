// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "tools/command/help.h"
#include "tools/command/text.h"

namespace nmt::tools {
namespace {

constexpr std::pair<const char*, const char*> kExitCodes[] = {
    {"0", "Done."},
    {"1", "Failed."},
    {"2", "Wrong usage."},
    {"3", "No usable rail."},
    {"4",
     "The result is partial, or the machine was too disturbed to trust it. What was measured "
     "is stored and marked."},
    {"5", "The peer is lost or did not answer in time."},
    {"6", "The profile cannot be used: missing, empty, damaged or locked."},
    {"7", "The profile does not hold for this platform as it is now."},
    {"8", "Something became slower, beyond noise and beyond --tolerance."},
    {"128+N", "Signal N ended the command. What was measured until then is stored."},
};
constexpr std::pair<const char*, const char*> kEnvironment[] = {
    {"NMADTUNE_DB", "The profile, if --db does not name one."},
    {"NMADTUNE_SECRET",
     "The secret of both ends of nmad-sample --peer and --serve: 64 hex digits."},
    {"XDG_DATA_HOME", "Folder of the user's profile (default: ~/.local/share)."},
    {"NO_COLOR", "Set to any value: no highlighting on a terminal."},
};
constexpr std::pair<const char*, const char*> kFiles[] = {
    {"~/.local/share/nmadtune/profile.db", "The user's profile."},
    {"/etc/nmadtune/profile.db", "The site's profile, read if the user has none."},
    {"/etc/nmadtune/off", "As long as it is there, nothing is advised on this node."},
    {"/var/lib/nmadtune/profile.db", "The system's profile (nmad-sample --system), read last."},
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out.append("\\&").append(1, c);
    } else {
      out += c;
    }
  }
  return out;
}

// Text as lines of less than 80 columns, none of which begins like a roff request.
std::string paragraph(std::string_view text) {
  constexpr std::size_t kColumns = 72;  // escapes need more columns
  std::string out;
  for (const std::string& line : wrap(text, kColumns)) out += escaped(line) + '\n';
  return out;
}

// A description as sentences; its first line is the one of the help.
std::string sentences(std::string_view description) {
  const std::string first = sentence(first_line(description));
  const std::string_view rest = after_first_line(description);
  return paragraph(rest.empty() ? first : first + ' ' + std::string(rest));
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }

std::string tagged(const std::string& term, std::string_view description) {
  return fmt::format(".TP\n{}\n{}", term, sentences(description));
}

// "--budget TIME" with typed parts in bold and placeholders in italics.
std::string option_term(const CLI::Option& option) {
  const std::string text = signature(option);
  if (option.get_positional()) return "\\fI" + escaped(text) + "\\fR";
  const std::size_t blank = text.find(' ');
  const std::string name = bold(text.substr(0, blank));
  if (blank == std::string::npos) return name;
  return name + " \\fI" + escaped(text.substr(blank + 1)) + "\\fR";
}

std::string options(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : positionals(app)) {
    out += tagged(option_term(*option), option->get_description());
  }
  for (const CLI::Option* option : visible_options(app)) {
    if (app.get_parent() != nullptr && option == app.get_help_ptr()) continue;
    out += tagged(option_term(*option), option->get_description());
  }
  return out;
}

template <class Entries>
std::string section(std::string_view title, const Entries& entries) {
  std::string out = fmt::format(".SH {}\n", title);
  for (const auto& [term, description] : entries) out += tagged(bold(term), description);
  return out;
}

void add_verbs(const CLI::App& app, std::string* out) {
  for (const CLI::App* subcommand : verbs_of(app)) {
    if (verbs_of(*subcommand).empty()) {
      *out += fmt::format(".SS {}\n{}", escaped(usage(*subcommand)),
                          sentences(subcommand->get_description()));
      *out += options(*subcommand);
    } else {
      add_verbs(*subcommand, out);
    }
  }
}

void add_examples(const CLI::App& app, std::string* out) {
  if (!app.get_footer().empty()) {
    *out += tagged(bold(app.get_footer()), first_line(app.get_description()));
  }
  for (const CLI::App* subcommand : verbs_of(app)) add_examples(*subcommand, out);
}

}  // namespace

std::string manual(const CLI::App& root) {
  const std::string name = root.get_name();
  const std::string description = root.get_description();
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string out =
      fmt::format(".TH {} 1 \"\" \"nmadtune {}\" \"User Commands\"\n", escaped(title), NMT_VERSION);
  out += fmt::format(".SH NAME\n{} \\- {}", escaped(name), paragraph(first_line(description)));
  out += fmt::format(".SH SYNOPSIS\n{}\n", bold(usage(root)));
  out += ".SH DESCRIPTION\n" + paragraph(after_first_line(description));
  if (!verbs_of(root).empty()) {
    out += ".SH VERBS\n";
    add_verbs(root, &out);
  }
  out += ".SH OPTIONS\n" + options(root);
  out += section("EXIT STATUS", kExitCodes);
  out += section("ENVIRONMENT", kEnvironment);
  out += section("FILES", kFiles);
  out += ".SH EXAMPLES\n";
  add_examples(root, &out);
  const std::string other = name == "nmad-tune" ? "nmad-sample" : "nmad-tune";
  return out + fmt::format(".SH SEE ALSO\n.BR {} (1)\n", escaped(other));
}

}  // namespace nmt::tools
