// SPDX-License-Identifier: BSD-3-Clause
//
// The table of writers, and what they share.
#include "stacks/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/version.h"
#include "stacks/readers.h"
#include "stacks/versions.h"
#include "stacks/writers.h"

namespace nmt::stacks {
namespace {

struct Writer {
  std::string_view stack;
  std::vector<ExportedFile> (*write)(const StackFindings& findings);
  std::vector<ExportedFile> (*write_rules)(const StackFindings& findings);
  std::size_t (*check)(std::string_view text, std::string_view what, std::string_view version,
                       const std::vector<std::string>& known);
};

// Behind a message's size stands a component in the rules of coll/han, a number in those of
// coll/tuned.
bool names_components(std::string_view text) {
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    comment = text[i] == '#' || (comment && text[i] != '\n');
    const bool letter = (text[i] >= 'a' && text[i] <= 'z');
    const bool blank_before = i > 0 && (text[i - 1] == ' ' || text[i - 1] == '\t');
    if (!comment && letter && blank_before) return true;
  }
  return false;
}

// A rules file begins with a number or its header, settings with a name.
std::size_t check_openmpi(std::string_view text, std::string_view what, std::string_view version,
                          const std::vector<std::string>&) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    const bool rules = (line[begin] >= '0' && line[begin] <= '9') ||
                       line.substr(begin).starts_with("rule-file-version");
    if (!rules) return read_mca_params(text, what, version).size();
    if (!names_components(text)) return read_tuned_rules(text, what, version).size();
    if (older(version, "4.1")) {
      throw Error(Fault::kFailed, fmt::format("{}: these are rules of coll/han, which Open MPI {} "
                                              "does not have; it came with 4.1",
                                              what, version));
    }
    return read_han_rules(text, what, version).size();
  }
  return 0;
}
// A selection file is a JSON object, which comments may precede; a settings file has names.
std::size_t check_mpich(std::string_view text, std::string_view what, std::string_view version,
                        const std::vector<std::string>& known) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool selection =
      begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '/');
  if (selection) return read_selection(text, what, known, !older(version, "4.2")).size();
  return read_environment(text, what).size();
}
std::size_t check_ucx(std::string_view text, std::string_view what, std::string_view version,
                      const std::vector<std::string>&) {
  return read_ucx_conf(text, what, version).size();
}
std::size_t check_libfabric(std::string_view text, std::string_view what, std::string_view,
                            const std::vector<std::string>&) {
  return read_environment(text, what).size();
}
std::size_t check_newmadeleine(std::string_view text, std::string_view what, std::string_view,
                               const std::vector<std::string>&) {
  return read_nm_ns(text, what).size();
}
std::vector<ExportedFile> no_rules(const StackFindings&) { return {}; }

constexpr std::array kWriters = {
    Writer{"openmpi", write_openmpi, write_openmpi_rules, check_openmpi},
    Writer{"mpich", write_mpich, write_mpich_rules, check_mpich},
    Writer{"ucx", write_ucx, no_rules, check_ucx},
    Writer{"libfabric", write_libfabric, no_rules, check_libfabric},
    Writer{"newmadeleine", write_newmadeleine, no_rules, check_newmadeleine},
};

// Of a stack that has versions.
const Writer& find_writer(std::string_view stack) {
  const auto found = std::ranges::find(kWriters, versions_of(stack).stack, &Writer::stack);
  NMT_CHECK(found != kWriters.end());
  return *found;
}

}  // namespace

Fields kept_settings(const StackFindings& findings) {
  Fields settings;
  for (const GroupVerdict& verdict : findings.verdicts) {
    if (verdict.kept) settings.insert(verdict.settings.begin(), verdict.settings.end());
  }
  return settings;
}

std::size_t check_file(std::string_view stack, std::string_view version, std::string_view text,
                       std::string_view what, const std::vector<std::string>& known) {
  return find_writer(stack).check(text, what, version, known);
}

std::vector<ExportedFile> write_rules(const StackFindings& findings) {
  return find_writer(findings.stack).write_rules(findings);
}

std::vector<ExportedFile> write_files(const StackFindings& findings) {
  return find_writer(findings.stack).write(findings);
}

}  // namespace nmt::stacks
