// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>

#include "core/clock.h"
#include "core/error.h"
#include "core/plan_json.h"
#include "node/node.h"
#include "tools/command/completion.h"
#include "tools/command/help.h"
#include "tools/command/manual.h"
#include "tools/command/terminal.h"
#include "tools/command/usage_error.h"

namespace nmt::tools {
namespace {

constexpr int kSchemaVersion = 1;  // of the JSON documents of commands

// The argument in a form that can be typed again.
std::string quoted(const std::string& argument) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@^";
  if (!argument.empty() && argument.find_first_not_of(kSafe) == std::string::npos) return argument;
  std::string out = "'";
  for (const char c : argument) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

void print_message(std::string_view tool, std::string_view message) noexcept {
  try {
    write_all(STDERR_FILENO, fmt::format("{}: {}\n", tool, plain(message)));
  } catch (const std::exception&) {  // there is no stream left for an error
  }
}

json::Value environment() {
  const Fields fingerprint = node::cheap_fingerprint();
  json::Value out = json::Value::object();
  out.set("host", node::host_name());
  out.set("utc", utc_now());
  out.set("platform", node::platform_name(fingerprint));
  out.set("fingerprint", to_json(fingerprint));
  return out;
}

// A value in a SUMMARY ends at the next blank.
std::string summary_line(const Report& report) {
  std::string line = "SUMMARY";
  for (const auto& [key, value] : report.summary) {
    std::string word = plain(value);
    std::ranges::replace(word, ' ', '_');
    line += fmt::format(" {}={}", key, word);
  }
  return line + '\n';
}

Report failed(Fault fault, const std::string& message) {
  Report report;
  report.problem = Problem(fault, message);
  return report;
}

}  // namespace

void Invocation::notice(std::string_view message) const {
  if (!quiet) print_message(tool, message);
}

Command::Command(const std::string& name, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, name)) {
  invocation_.tool = name;
  app_->formatter(std::make_shared<Help>());
  app_->fallthrough();
  app_->require_subcommand(0, 1);
  app_->set_help_flag("-h,--help", "print this help (more: man " + name + ")");
}

// Called after the command's own options, so that help lists those first.
void Command::declare_shared_options() {
  CLI::Option* json = app_->add_flag("--json", json_, "print one JSON document");
  app_->add_flag("--csv", csv_, "print CSV with a header row")->excludes(json);
  app_->add_flag("--quiet", invocation_.quiet, "print the last line only, no progress");
  app_->set_version_flag("--version", invocation_.tool + " " NMT_VERSION, "print the version");
  app_->add_flag("--man", manual_, "print the manual page (roff)")->group("");
  app_->add_flag("--completion", completion_, "print the bash completion")->group("");
}

Command::~Command() = default;

void Command::add_subcommand(const Subcommand& subcommand) {
  const std::size_t blank = subcommand.path.rfind(' ');
  CLI::App* parent = blank == std::string::npos
                         ? app_.get()
                         : app_->get_subcommand(subcommand.path.substr(0, blank));
  CLI::App* sub = parent->add_subcommand(subcommand.path.substr(blank + 1), subcommand.description);
  sub->footer("");
  if (subcommand.rare) sub->group(kRareOptions);
  if (subcommand.declare) {
    Options options(*sub);
    work_[sub] = subcommand.declare(options);
  } else {
    sub->require_subcommand(1, 1);
  }
}

void Command::parse(std::vector<std::string> arguments) {
  const auto parse_once = [&] {
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  };
  try {
    parse_once();
    if (default_subcommand_.empty() || !app_->get_subcommands().empty() || manual_ || completion_)
      return;
  } catch (const CLI::ExtrasError&) {
    const bool starts_with_option = app_->remaining().front().starts_with('-');
    if (default_subcommand_.empty() || !app_->get_subcommands().empty() || !starts_with_option)
      throw;
  }
  arguments.insert(arguments.begin(), default_subcommand_);
  parse_once();
}

// A text that was requested itself, for every output form.
Report Command::verbatim(const std::string& text) {
  form_ = Form::kText;
  Report report;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    report.text.line(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  return report;
}

Report Command::report(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
    form_ = json_ ? Form::kJson : csv_ ? Form::kCsv : Form::kText;
    invocation_.text = form_ == Form::kText;
    if (manual_) return verbatim(manual(*app_));
    if (completion_) return verbatim(completion(*app_));
    return work_.at(&verb_named(*app_))(invocation_);
  } catch (const CLI::CallForHelp&) {
    return verbatim(verb_named(*app_).help());
  } catch (const CLI::CallForVersion&) {
    return verbatim(app_->version());
  } catch (const CLI::ParseError& error) {
    return failed(Fault::kUsage, fmt::format("{} (see {} --help)", explain(error, *app_),
                                             full_name(verb_named(*app_))));
  } catch (const Error& error) {
    return failed(error.fault(), error.what());
  } catch (const std::exception& error) {
    return failed(Fault::kFailed, error.what());
  }
}

json::Value Command::document(const Report& report) const {
  json::Value out = json::Value::object();
  out.set("schema_version", kSchemaVersion);
  out.set("tool", invocation_.tool);
  out.set("version", NMT_VERSION);
  out.set("command_line", invocation_.command_line);
  out.set("environment", environment());
  for (const auto& [key, value] : *report.payload.get_if<json::Value::Object>()) {
    out.set(key, value);
  }
  if (report.problem) {
    json::Value error = json::Value::object();
    error.set("code", report.problem->exit_code);
    error.set("message", report.problem->message);
    out.set("error", std::move(error));
  }
  return out;
}

std::string Command::rendered(const Report& report, int descriptor) const {
  switch (form_) {
    case Form::kJson:
      return document(report).dump() + '\n';
    case Form::kCsv:
      return to_csv(report.records);
    case Form::kText:
      break;
  }
  std::string text;
  if (!invocation_.quiet || report.summary.empty()) {
    text = report.text.render(
        {.width = terminal_width(descriptor), .highlight = takes_highlighting(descriptor)});
  }
  if (!report.summary.empty()) text += summary_line(report);
  return text;
}

int Command::print(const Report& report) const {
  if (report.silent) return 0;
  for (const std::string& warning : report.warnings)
    print_message(invocation_.tool, "warning: " + warning);
  if (report.problem) print_message(invocation_.tool, report.problem->message);
  const int exit_code = report.problem ? report.problem->exit_code : 0;
  try {
    if (form_ == Form::kText && !report.file_content.empty()) {
      write_all(STDOUT_FILENO, report.file_content);
      write_all(STDERR_FILENO, rendered(report, STDERR_FILENO), "standard error");
    } else {
      write_all(STDOUT_FILENO, rendered(report, STDOUT_FILENO));
    }
  } catch (const std::exception& error) {
    print_message(invocation_.tool, error.what());
    return exit_code != 0 ? exit_code : static_cast<int>(Fault::kFailed);
  }
  return exit_code;
}

int Command::run(int argc, const char* const* argv) {
  declare_shared_options();
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  invocation_.command_line = invocation_.tool;
  for (const std::string& argument : arguments) {
    invocation_.command_line += ' ' + quoted(argument);
  }
  // Searches before the parsing, because an error must be printed in the form that the command line
  // requests.
  const auto asks_for = [&](std::string_view flag) {
    return std::ranges::find(arguments, flag) != arguments.end();
  };
  form_ = asks_for("--json") ? Form::kJson : asks_for("--csv") ? Form::kCsv : Form::kText;
  return print(report(arguments));
}

}  // namespace nmt::tools
