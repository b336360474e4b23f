// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/profile_durations.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

#include "core/collective_sample.h"
#include "include/nmadtune.h"
#include "profiledb/profiledb.h"
#include "tuner/tuner.h"

namespace nmt::collectives {
namespace {

struct Sampled {
  std::vector<tuner::CollectiveCell> cells;
  std::vector<SegmentRule> rules;
};

const SegmentRule* rule_for(const std::vector<SegmentRule>& rules,
                            const tuner::CollectiveCell& cell, std::uint64_t size_bytes) {
  const auto found = std::ranges::find_if(rules, [&](const SegmentRule& rule) {
    return rule.operation == cell.operation && rule.nodes == cell.nodes &&
           rule.ranks_per_node == cell.ranks_per_node && rule.covers(size_bytes);
  });
  return found == rules.end() ? nullptr : &*found;
}

// Duration of that algorithm there, with the segment limited to the message's size; 0: not
// measured.
double duration_ns(const tuner::CollectiveCell& cell, const std::string& algorithm,
                   std::uint64_t segment_bytes, std::int64_t leaders) {
  const bool library = algorithm == kLibraryAlgorithm;
  for (const tuner::CollectiveTime& time : cell.times) {
    if (time.algorithm != algorithm) continue;
    const bool whole =
        time.segment_bytes == 0 && segment_bytes >= tuner::message_bytes(cell, algorithm);
    if (library || (time.leaders == leaders && (time.segment_bytes == segment_bytes || whole))) {
      return time.median_ns;
    }
  }
  return 0;
}

// Interpolates on logarithms.
double between(double low_ns, double high_ns, double place) {
  return std::exp(std::lerp(std::log(low_ns), std::log(high_ns), place));
}

std::optional<PredictedCall> predict(const Sampled& sampled, Collective collective, int nodes,
                                     int ranks_per_node, std::uint64_t size_bytes) {
  const tuner::CollectiveCell* below = nullptr;
  const tuner::CollectiveCell* above = nullptr;
  for (const tuner::CollectiveCell& cell : sampled.cells) {
    if (cell.operation != to_string(collective) || cell.nodes != nodes ||
        cell.ranks_per_node != ranks_per_node) {
      continue;
    }
    if (cell.size_bytes <= size_bytes && (!below || cell.size_bytes > below->size_bytes)) {
      below = &cell;
    }
    if (cell.size_bytes >= size_bytes && (!above || cell.size_bytes < above->size_bytes)) {
      above = &cell;
    }
  }
  if (below == nullptr || above == nullptr) return std::nullopt;
  const double place =
      below == above
          ? 0
          : std::log(static_cast<double>(size_bytes) / static_cast<double>(below->size_bytes)) /
                std::log(static_cast<double>(above->size_bytes) /
                         static_cast<double>(below->size_bytes));
  const auto at = [&](const std::string& algorithm, std::uint64_t segment_bytes,
                      std::int64_t leaders) -> std::optional<double> {
    const double low_ns = duration_ns(*below, algorithm, segment_bytes, leaders);
    const double high_ns = duration_ns(*above, algorithm, segment_bytes, leaders);
    if (low_ns <= 0 || high_ns <= 0) return std::nullopt;
    return between(low_ns, high_ns, place);
  };
  const SegmentRule* rule = rule_for(sampled.rules, *below, size_bytes);
  const std::optional<double> library_ns = at(std::string(kLibraryAlgorithm), 0, 1);
  if (rule == nullptr || !library_ns) return std::nullopt;
  if (rule->algorithm == kLibraryAlgorithm) return PredictedCall{.library_ns = *library_ns};
  const std::optional<double> ours_ns = at(rule->algorithm, rule->segment_bytes, rule->leaders);
  if (!ours_ns) return std::nullopt;
  return PredictedCall{.library_ns = *library_ns, .ours_ns = ours_ns};
}

struct Opened {
  std::string file;
  std::string platform_id;
};

// Opens the profile that the replaced calls would use; returns why it cannot.
std::string find_profile(const std::string& mpi, Opened* opened) {
  char message[512] = "";
  nmt_open_options options{};
  options.struct_bytes = sizeof options;
  options.refuse_foreign = 1;
  options.message = message;
  options.message_bytes = sizeof message;
  nmt_profile* profile = nullptr;
  if (nmt_open(&options, &profile) != NMT_OK) return message;
  const std::unique_ptr<nmt_profile, void (*)(nmt_profile*)> closed_at_end(profile, nmt_close);
  nmt_description description{};
  description.struct_bytes = sizeof description;
  if (nmt_describe(profile, &description) != NMT_OK) return "the profile cannot be described";
  *opened = {.file = description.file, .platform_id = description.platform_id};
  nmt_collective_rule rule{};
  rule.struct_bytes = sizeof rule;
  for (std::uint32_t i = 0; nmt_describe_collective(profile, i, &rule) == NMT_OK; ++i) {
    if (rule.mpi == mpi) return "";
  }
  return opened->file + ": no collectives were sampled under " + mpi +
         "; mpirun ... nmad-sample --parts collectives";
}

}  // namespace

ProfileDurations durations_from_profile(const std::string& mpi) {
  Opened opened;
  if (std::string missing = find_profile(mpi, &opened); !missing.empty()) {
    return {.predict = {}, .missing = std::move(missing)};
  }
  try {
    const profiledb::ProfileDb database(opened.file, {.mode = profiledb::ProfileDb::Mode::kRead});
    for (const Platform& platform : database.platforms()) {
      if (platform.id.hex() != opened.platform_id) continue;
      auto sampled = std::make_shared<Sampled>();
      sampled->cells = tuner::collective_cells(database.sample_sets_in_force(platform.id));
      if (const auto plan = database.plan(platform.id)) sampled->rules = plan->segments;
      const auto is_of_another = [&](const auto& each) { return each.mpi != mpi; };
      std::erase_if(sampled->cells, is_of_another);
      std::erase_if(sampled->rules, is_of_another);
      return {.predict =
                  [sampled](Collective collective, int nodes, int ranks_per_node,
                            std::uint64_t size_bytes) {
                    return predict(*sampled, collective, nodes, ranks_per_node, size_bytes);
                  },
              .missing = ""};
    }
  } catch (const std::exception&) {  // mostly because it is a snapshot
  }
  return {.predict = {},
          .missing = opened.file +
                     ": a snapshot has no durations; set NMADTUNE_DB to the profile "
                     "that it was compiled from"};
}

}  // namespace nmt::collectives
