// SPDX-License-Identifier: BSD-3-Clause
//
// NewMadeleine: its sampling files, one for each network, from our own curves. It has no file for
// its thresholds (they are component attributes), so they are not written.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/error.h"
#include "stacks/readers.h"
#include "stacks/writers.h"
#include "tuner/tuner.h"

namespace nmt {
namespace {

constexpr std::uint64_t kSizeBytesMax = std::uint64_t{32} << 20;  // as its reader expects
constexpr double kMebibyte = 1 << 20;

// The driver's name in file names.
std::string network_of(const std::string& rail) {
  const std::string driver = rail.substr(0, rail.find(':'));
  return driver == "verbs" ? "ibverbs" : driver;
}

std::string sampling_file(const RailPlan& rail) {
  std::string text;
  for (std::uint64_t size_bytes = 1; size_bytes <= kSizeBytesMax; size_bytes *= 2) {
    const auto predicted = predict_transfer(rail, size_bytes, std::nullopt);
    if (!predicted || predicted->duration_ns <= 0) return {};
    text += fmt::format("{}\t{:f}\n", size_bytes,
                        static_cast<double>(size_bytes) / predicted->duration_ns * 1e9 / kMebibyte);
  }
  return text;
}

}  // namespace

std::vector<ExportedFile> write_newmadeleine(const StackFindings& findings) {
  std::map<std::string, std::string> files;  // the first rail of each network
  for (const RailPlan& rail : findings.plan->rails) {
    if (rail.regime != "hot" || !rail.busy_rails.empty()) continue;
    const std::string name = fmt::format("{}_{}.nm_ns", network_of(rail.rail), findings.machine);
    const std::string text = files.contains(name) ? "" : sampling_file(rail);
    if (text.empty()) continue;
    NMT_CHECK(!read_nm_ns(text, name).empty());
    files.emplace(name, text);
  }
  std::vector<ExportedFile> all;
  for (auto& [name, text] : files) all.push_back({name, text});
  return all;
}

}  // namespace nmt
