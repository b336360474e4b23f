// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/terminal.h"
#include "tools/command/text.h"

namespace nmt::tools {
namespace {

constexpr std::string_view kEraseLine = "\r\033[K";

// If the terminal is gone, measuring continues.
void write_quietly(const std::string& text) {
  try {
    write_all(STDERR_FILENO, text);
  } catch (const Error&) {
  }
}

}  // namespace

ProgressLine::ProgressLine(bool quiet, Terminal terminal)
    : overwrites_(!quiet && terminal == Terminal::kSeen && is_terminal(STDERR_FILENO)),
      adds_(!quiet && terminal == Terminal::kBehindLauncher) {}

void ProgressLine::show(const sampler::Progress& progress) {
  constexpr auto kInterval = std::chrono::milliseconds(100);
  const auto now = std::chrono::steady_clock::now();
  if (!(overwrites_ || adds_) || now < next_) return;
  next_ = now + kInterval;
  const std::string line = fmt::format(
      "{:3.0f} %  {} left  {}  {}  {} cells", std::floor(progress.done * 100),
      format_duration(progress.left_ns), plain(progress.rail), progress.phase, progress.cells);
  if (adds_) {
    const int tenth = static_cast<int>(progress.done * 10);
    if (std::exchange(tenth_, tenth) != tenth) write_quietly(line + "\n");
    return;
  }
  shown_ = true;
  write_quietly(std::string(kEraseLine) + line.substr(0, terminal_width(STDERR_FILENO) - 1));
}

void ProgressLine::clear() {
  if (!shown_) return;
  shown_ = false;
  write_quietly(std::string(kEraseLine));
}

}  // namespace nmt::tools
