// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune export: settings of another stack that pay on this machine, as files that it loads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "tools/command/terminal.h"
#include "tools/command/write_file.h"
#include "tools/stack/stack.h"
#include "tools/tune/open_profile.h"
#include "tools/tune/read_file.h"

namespace nmt::tools {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string stack;
  std::string output;  // a file or a folder; empty: standard output
  std::string version;
  std::string check;  // a file to check; empty: write
  bool force = false;
};

// NewMadeleine has one format, of one version.
std::string version_to_check_for(const ExportOptions& options) {
  if (!options.version.empty() || options.stack == "newmadeleine") {
    return stacks::export_version(options.stack, options.version, "");
  }
  const std::string installed = installed_version(options.stack);
  if (installed.empty()) {
    throw Error(
        Fault::kUsage,
        fmt::format("--check: cannot find out which version of {} is installed here; name the "
                    "version that will read the file with --for VERSION",
                    options.stack));
  }
  return installed;
}

// What is to be said if a file that was exported for one version is to be read by another; empty
// if it is for that one, or says nothing.
std::string other_version_told(const ExportOptions& options, const std::string& text,
                               const std::string& version) {
  const std::string said = fmt::format(" For {} ", options.stack);  // as its first lines say it
  const std::size_t at = text.find(said);
  if (at == std::string::npos) return {};
  const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1: the first line
  const std::string_view mark = std::string_view(text).substr(line, at - line);
  if (mark != "#" && mark != "//") return {};
  const std::size_t begin = at + said.size();
  std::string meant = text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
  if (meant.ends_with('.')) meant.pop_back();
  if (meant.empty() || version == meant || version.starts_with(meant + ".")) return {};
  return fmt::format(
      "{0} was written for {1} {2}, and {1} {3} is to read it; write it again with nmad-tune "
      "export {1} --for {3}",
      options.check, options.stack, meant, version);
}

Report check_by_reader(const ExportOptions& options) {
  const std::string version = version_to_check_for(options);
  // Of another version, only the form of names can be checked.
  const bool is_known =
      options.stack == "mpich" && stacks::is_meant("mpich", version, installed_version("mpich"));
  const std::vector<std::string> known =
      is_known ? known_mpich_algorithms() : std::vector<std::string>{};
  const std::string text = read_file(options.check);
  const std::string other_version = other_version_told(options, text, version);
  Report report;
  if (!other_version.empty()) report.warnings.push_back(other_version);
  std::size_t count = 0;
  try {
    count = stacks::check_file(options.stack, version, text, options.check, known);
  } catch (const Error& error) {
    if (other_version.empty()) throw;
    throw Error(error.fault(), fmt::format("{}; {}", error.what(), other_version));
  }
  report.text.line(fmt::format("{}: {} settings, rules, collectives or sizes that {} {} reads",
                               options.check, count, options.stack, version));
  report.payload.set("file", options.check).set("count", count);
  warn_of_untried(options.stack, version, &report);
  report.summary = {{"stack", options.stack}, {"count", std::to_string(count)}};
  return report;
}

// The one file under the requested name, or all files under their own names in a folder.
std::vector<std::string> paths_of(const std::vector<stacks::ExportedFile>& files,
                                  const std::string& output) {
  const bool folder = output.ends_with('/') || fs::is_directory(output);
  if (!folder && files.size() > 1) {
    throw Error(Fault::kUsage, fmt::format("--output {}: {} files are written; name a folder",
                                           output, files.size()));
  }
  std::vector<std::string> paths;
  for (const stacks::ExportedFile& file : files) {
    paths.push_back(folder ? (fs::path(output) / file.name).string() : output);
  }
  return paths;
}

std::string folder_of(const std::string& output) {
  const fs::path path = fs::absolute(output.empty() ? "." : output);
  const bool folder = output.empty() || output.ends_with('/') || fs::is_directory(output);
  const std::string absolute = (folder ? path : path.parent_path()).lexically_normal().string();
  return absolute.size() > 1 && absolute.ends_with('/') ? absolute.substr(0, absolute.size() - 1)
                                                        : absolute;
}

// Asks the stack itself about the file, if it is installed here.
void check_by_stack(const std::vector<stacks::ExportedFile>& files, Report* report) {
  for (const stacks::ExportedFile& file : files) {
    if (file.name != "mca-params.conf") continue;
    const LoadedSettings loaded =
        ask_ompi_info(file.content, stacks::read_mca_params(file.content, file.name));
    if (!loaded.installed) {
      report->text.line("Not checked with Open MPI: ompi_info is not installed");
      return;
    }
    report->text.line(
        fmt::format("ompi_info: Open MPI accepts {}{}", fmt::join(loaded.taken, ", "),
                    loaded.unlisted.empty()
                        ? ""
                        : fmt::format("; it does not list: {}", fmt::join(loaded.unlisted, ", "))));
    if (!loaded.refused.empty()) {
      report->problem.emplace(Fault::kFailed,
                              fmt::format("ompi_info shows {}", fmt::join(loaded.refused, "; ")));
    }
  }
}

// For people at a terminal; the file must not be able to control it.
void show(const stacks::ExportedFile& file, Report* report) {
  report->text.heading("# " + file.name);
  std::istringstream lines(file.content);
  for (std::string line; std::getline(lines, line);) {
    std::ranges::replace(line, '\t', ' ');
    report->text.line(line);
  }
}

// For all other readers, byte for byte; each of several files below its name.
void write_out(const std::vector<stacks::ExportedFile>& files, Report* report) {
  for (const stacks::ExportedFile& file : files) {
    if (files.size() > 1) report->file_content += "# " + file.name + '\n';
    report->file_content += file.content;
  }
}

// Settings of UCX below an MPI. The MPI may have a UCX of its own, so this is no reason to refuse.
void warn_of_other_ucx(const stacks::StackFindings& findings, Report* report) {
  const Fields settings = stacks::kept_settings(findings);
  const bool has_some = std::ranges::any_of(
      settings, [](const auto& setting) { return setting.first.starts_with("UCX_"); });
  if (findings.measured_ucx.empty() || !has_some) return;
  const std::string installed = installed_version("ucx");
  if (installed.empty()) return;
  if (stacks::is_same_version("ucx", installed, findings.measured_ucx)) return;
  report->warnings.push_back(
      fmt::format("{0} was measured over ucx {1}, and ucx {2} is installed here; if {0} uses that "
                  "one now, measure again with nmad-sample --stack {0}",
                  findings.stack, findings.measured_ucx, installed));
}

// If the stack was updated since, what was measured need not hold any more.
void refuse_other_version(const ExportOptions& options, const stacks::StackFindings& findings,
                          const std::string& profile) {
  if (!options.version.empty()) return;
  const std::string installed = installed_version(options.stack);
  const auto other =
      installed.empty()
          ? measured_under_another(findings, profile, findings.measured, "was measured as well")
          : measured_under_another(findings, profile, installed, "is installed here");
  if (!other) return;
  throw Error(Fault::kStale, fmt::format("{0}, or, if jobs still run {1}, name it: --for {1}",
                                         other->told, other->version));
}

Report export_settings(const ExportOptions& options, const ProfileOptions& profile_options,
                       const Invocation& invocation) {
  stacks::export_version(options.stack, options.version, "");
  if (!options.check.empty()) return check_by_reader(options);
  const OpenProfile profile = open_to_read(profile_options, invocation);
  const bool own_rails = options.stack == "newmadeleine";
  const Plan plan = own_rails ? read_plan(profile, invocation) : Plan{};
  const stacks::StackFindings findings =
      find_settings(profile.db, profile.platform.id, own_rails ? &plan : nullptr,
                    {.stack = options.stack,
                     .version = options.version,
                     .folder = folder_of(options.output),
                     .profile = profile.location.file});
  refuse_other_version(options, findings, profile.location.file);
  const std::vector<stacks::ExportedFile> files = stacks::write_files(findings);
  Report report;
  if (!options.output.empty()) {
    const std::vector<std::string> paths = paths_of(files, options.output);
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (options.output.ends_with('/')) fs::create_directories(options.output);
      write_file(paths[i], files[i].content, options.force);
      report.text.line(fmt::format("{} written", paths[i]));
    }
  } else if (is_terminal(STDOUT_FILENO)) {
    for (const stacks::ExportedFile& file : files) show(file, &report);
  } else {
    write_out(files, &report);
  }
  if (files.empty()) {
    report.text.line("No file is written: no setting is measurably faster here");
    for (const std::string& note : findings.notes) report.text.line(note);
  }
  add_verdicts(findings.verdicts, &report);
  warn_of_untried(findings.stack, findings.version, &report);
  warn_of_other_ucx(findings, &report);
  check_by_stack(files, &report);
  json::Value written = json::Value::array();
  for (const stacks::ExportedFile& file : files) {
    written.push_back(json::Value::object().set("name", file.name).set("content", file.content));
  }
  report.payload.set("stack", findings.stack).set("version", findings.version);
  report.payload.set("files", std::move(written));
  report.summary = {{"stack", findings.stack},
                    {"version", findings.version},
                    {"settings", std::to_string(stacks::kept_settings(findings).size())},
                    {"files", std::to_string(files.size())}};
  return report;
}

}  // namespace

Work declare_export(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<ExportOptions>();
  options
      .text(
          "STACK", own->stack, "STACK",
          "stack: openmpi, mpich, ucx, libfabric or newmadeleine\n"
          "The first four need a campaign of nmad-sample --stack: export writes the settings that "
          "were measurably better, and lists the others with the reason. newmadeleine is derived "
          "from the rails of this profile.")
      .required();
  options.text("--output,-o", own->output, "FILE|DIR",
               "file, or folder for several files (default: standard output)");
  options.text("--for", own->version, "VERSION",
               "version of the stack (default: the one measured; with --check, the one installed)");
  options.text(
      "--check", own->check, "FILE",
      "only check a file of that stack, such as one edited by hand\n"
      "Reads it by the stack's own grammar. Reports the line of what the stack would refuse or "
      "misread.");
  options.flag("--force", own->force, "replace files");
  options.example("nmad-tune export openmpi -o settings/");
  return [own, &profile](const Invocation& invocation) {
    return export_settings(*own, profile, invocation);
  };
}

}  // namespace nmt::tools
