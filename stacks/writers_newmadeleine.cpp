// SPDX-License-Identifier: BSD-3-Clause
//
// NewMadeleine: its sampling files, one for each network, from our own curves. It has no file for
// its thresholds (they are component attributes), so they are not written.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/error.h"
#include "core/version.h"
#include "stacks/readers.h"
#include "stacks/settings.h"
#include "stacks/writers.h"
#include "tuner/tuner.h"

namespace nmt::stacks {
namespace {

constexpr std::uint64_t kSizeBytesMax = std::uint64_t{32} << 20;  // as its reader expects
constexpr double kMebibyte = 1 << 20;

// The drivers that it has for a rail's network, as their sampling files are called: from June 2017
// on one for small packets and one for large ones (nmad/interfaces/session/src/nm_session.c).
std::vector<std::string> drivers_of(const std::string& rail, const std::string& version) {
  const std::string network = rail.substr(0, rail.find(':'));
  if (older(version, "2017.06")) return {network == "verbs" ? "ibverbs" : network};
  const std::string driver = "nm:minidriver_" + network;
  if (network == "verbs") return {"nm:minidriver_ibverbs_bybuf", "nm:minidriver_ibverbs_lr2"};
  if (network == "shm") return {driver, "nm:minidriver_largeshm"};
  return {driver, driver + "-large"};
}

std::string sampling_file(const RailPlan& rail) {
  std::string text;
  for (std::uint64_t size_bytes = 1; size_bytes <= kSizeBytesMax; size_bytes *= 2) {
    const auto predicted = tuner::predict_transfer(rail, size_bytes, std::nullopt);
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
    if (rail.regime != "hot" || !rail.is_alone()) continue;
    const std::string text = sampling_file(rail);
    if (text.empty()) continue;
    NMT_CHECK(!read_nm_ns(text, rail.rail).empty());
    for (const std::string& driver : drivers_of(rail.rail, findings.version)) {
      files.emplace(fmt::format("{}_{}.nm_ns", driver, findings.machine), text);
    }
  }
  std::vector<ExportedFile> all;
  for (auto& [name, text] : files) all.push_back({name, text});
  return all;
}

}  // namespace nmt::stacks
