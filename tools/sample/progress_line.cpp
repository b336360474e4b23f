// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/terminal.h"
#include "tools/command/text.h"

namespace nmt {
namespace {

constexpr std::string_view kEraseLine = "\r\033[K";

// A terminal that went away is no reason to stop measuring.
void write_quietly(const std::string& text) {
  try {
    write_all(STDERR_FILENO, text);
  } catch (const Error&) {
  }
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : enabled_(!quiet && is_terminal(STDERR_FILENO)) {}

void ProgressLine::show(const Progress& progress) {
  constexpr auto kInterval = std::chrono::milliseconds(100);
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  const std::string line = fmt::format("{:3.0f} %  {} left  {}  {}  {} cells", progress.done * 100,
                                       format_duration(progress.left_ns), plain(progress.rail),
                                       progress.phase, progress.cells);
  write_quietly(std::string(kEraseLine) + line.substr(0, terminal_width(STDERR_FILENO) - 1));
}

void ProgressLine::clear() {
  if (!shown_) return;
  shown_ = false;
  write_quietly(std::string(kEraseLine));
}

}  // namespace nmt
