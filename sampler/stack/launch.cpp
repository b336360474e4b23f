// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/stack/launch.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "core/deadline.h"
#include "core/error.h"
#include "core/units.h"
#include "node/node.h"

namespace nmt::sampler {
namespace {

constexpr std::size_t kOutputBytesMax = std::size_t{16} << 20;
constexpr std::size_t kWordsBytes = 1500;  // the last bytes of its standard error
constexpr std::chrono::milliseconds kReadTimeout{100};
constexpr useconds_t kEndLookUs = 1000;  // a job may seem to take this much longer
constexpr std::chrono::seconds kEndTimeout{5};

std::string last_words(const std::string& words) {
  const std::string tail =
      words.size() > kWordsBytes ? words.substr(words.size() - kWordsBytes) : words;
  return tail.empty() ? "it printed nothing" : "it printed: " + tail;
}

}  // namespace

Launched launch(const JobCommand& what) {
  const auto start = std::chrono::steady_clock::now();
  const Deadline deadline{std::chrono::duration<double, std::nano>(what.timeout_ns)};
  std::string output, errors;
  node::Subprocess process({.command = what.launcher,
                            .arguments = what.program,
                            .environment = what.environment,
                            .reads_errors = true,
                            .own_group = true,
                            .end_timeout = kEndTimeout});
  const auto fail = [&](const std::string& how) {
    throw Error(Fault::kFailed,
                fmt::format("--launcher '{}' {}; {}", what.launcher, how, last_words(errors)));
  };
  const auto fail_where_due = [&] {
    if (what.interrupted && what.interrupted()) fail("was interrupted");
    if (deadline.passed()) fail("did not end within " + format_duration(what.timeout_ns));
  };
  while (process.read(kReadTimeout, &output, &errors)) {
    if (output.size() > kOutputBytesMax) fail("printed more than " + format_bytes(kOutputBytesMax));
    if (errors.size() > 2 * kWordsBytes) errors.erase(0, errors.size() - kWordsBytes);
    fail_where_due();
  }
  while (!process.status()) {
    fail_where_due();
    ::usleep(kEndLookUs);
  }
  const int status = *process.status();
  if (WIFSIGNALED(status)) fail(fmt::format("was ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) fail(fmt::format("failed with {}", WEXITSTATUS(status)));
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
  return {.out = std::move(output), .elapsed_ns = static_cast<double>(elapsed.count())};
}

}  // namespace nmt::sampler
