// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "stacks/settings.h"
#include "stacks/writers.h"

namespace nmt::stacks {
namespace {

// Names of hosts and rails come from outside: they must not end a comment.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

}  // namespace

std::string opening(const StackFindings& findings, const std::vector<std::string>& how_to_load,
                    std::string_view mark) {
  std::string text = fmt::format("{} {}\n", mark, one_line(findings.origin));
  text += fmt::format("{} For {} {}.\n", mark, findings.stack, findings.version);
  for (const std::string& line : how_to_load) {
    text += fmt::format("{} {}\n", mark, one_line(line));
  }
  return text + "\n";
}

std::string evidence(const GroupVerdict& verdict) {
  const std::string replaced =
      verdict.defaults.empty() ? "the stack's own choice" : to_variant(verdict.defaults);
  return one_line(fmt::format(
      "# {:.2f} times as fast ({:.2f} to {:.2f}), most at {} ({:.2f}); measured on {} of {}, {}, "
      "{}; replaces {}{}{}",
      verdict.gain.value, verdict.gain.low, std::min(verdict.gain.high, 99.99),
      format_bytes(verdict.best_size_bytes), verdict.best.value, verdict.rail, verdict.host,
      verdict.mpi, verdict.measured_utc, replaced, verdict.shared.empty() ? "" : "; ",
      verdict.shared));
}

std::string with_evidence(const StackFindings& findings, const Fields& spelled,
                          std::string_view prefix) {
  std::string text;
  for (const auto& [name, value] : spelled) {
    for (const GroupVerdict& verdict : findings.verdicts) {
      if (verdict.kept && as_spelled(verdict.settings).contains(name)) {
        text += evidence(verdict) + "\n";
      }
    }
    text += fmt::format("{}{}={}\n", prefix, name, value);
  }
  return text;
}

std::string left_out(const StackFindings& findings) {
  std::string text;
  for (const GroupVerdict& verdict : findings.verdicts) {
    if (verdict.kept) continue;
    text += one_line(fmt::format("# left out: {}: {} (measured on {} of {}, {})",
                                 to_variant(verdict.settings), verdict.reason, verdict.rail,
                                 verdict.host, verdict.measured_utc)) +
            "\n";
  }
  for (const std::string& note : findings.notes) text += "# " + one_line(note) + "\n";
  return text;
}

}  // namespace nmt::stacks
