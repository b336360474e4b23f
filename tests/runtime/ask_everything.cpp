// SPDX-License-Identifier: BSD-3-Clause
#include "tests/runtime/ask_everything.h"

#include <cstdlib>

#include "runtime/profile.h"
#include "runtime/signatures.h"

namespace nmt::planted {
namespace {

constexpr std::uint64_t kSizes[] = {0,         1,         7,       64,
                                    1500,      4096,      65535,   65536,
                                    99999,     1 << 20,   1 << 26, std::uint64_t{1} << 33,
                                    INT64_MAX, UINT64_MAX};

// What is asked must stay a sum of chunks.
void split(const nmt_profile& profile, std::uint64_t size_bytes, std::uint32_t rails,
           double release_ns) {
  nmt_share shares[8] = {};
  nmt_split_result result{};
  result.struct_bytes = sizeof result;
  for (std::uint32_t i = 0; i < rails; ++i) {
    shares[i].struct_bytes = sizeof *shares;
    shares[i].path = static_cast<int>(i);
    shares[i].release_ns = i * release_ns;
  }
  if (nmt_split(&profile, size_bytes, shares, rails, &result) == NMT_OK) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < rails; ++i) sum += shares[i].bytes;
    if (sum != size_bytes) std::abort();
  }
  nmt_eager_chunks(&profile, "shared-cache", 2, size_bytes, shares, rails, &result);
}

void ask_path(const nmt_profile& profile, int path, std::uint64_t size_bytes) {
  nmt_prediction prediction{};
  prediction.struct_bytes = sizeof prediction;
  nmt_method_for(&profile, path, size_bytes);
  nmt_duration_ns(&profile, path, size_bytes);
  for (const int method :
       {int{NMT_COPY}, int{NMT_IOVEC}, int{NMT_RENDEZVOUS}, int{NMT_ANY_METHOD}}) {
    nmt_predict(&profile, path, method, size_bytes, &prediction);
  }
  for (const std::uint64_t other : kSizes) nmt_aggregate(&profile, path, size_bytes, other);
}

void ask_thresholds(const nmt_profile& profile, int path) {
  for (int decision = NMT_DECIDE_IOVEC; decision <= NMT_DECIDE_AGGREGATION; ++decision) {
    nmt_threshold_info info{};
    info.struct_bytes = sizeof info;
    if (nmt_threshold(&profile, path, decision, &info) != NMT_OK) continue;
    nmt_range range{};
    range.struct_bytes = sizeof range;
    for (std::uint32_t i = 0; i <= info.ranges && i < 100; ++i) {
      nmt_threshold_range(&profile, path, decision, i, &range);
    }
  }
}

// Of rails, devices and peers that no profile knows.
void ask_unknown(const nmt_profile& profile) {
  constexpr const char* kNobody = "no-such-name.example";
  nmt_condition condition{};
  condition.struct_bytes = sizeof condition;
  condition.peer = kNobody;
  nmt_peer_rail rails[4] = {};
  rails[0].struct_bytes = sizeof *rails;
  const int answers[] = {nmt_find_path(&profile, kNobody, nullptr),
                         nmt_find_path(&profile, kNobody, &condition),
                         nmt_find_path(&profile, nullptr, &condition),
                         nmt_peer_rails(&profile, kNobody, nullptr, 1 << 20, rails, 4),
                         nmt_peer_rails(&profile, kNobody, &condition, 0, rails, 0)};
  for (const int answer : answers) {
    if (answer != NMT_NO_ADVICE) std::abort();
  }
}

}  // namespace

void ask_everything(const nmt_profile& profile) {
  nmt_description description{};
  description.struct_bytes = sizeof description;
  nmt_describe(&profile, &description);
  ask_unknown(profile);
  const int paths = static_cast<int>(std::min<std::uint32_t>(description.paths, 8));
  for (int path = 0; path < paths; ++path) {
    nmt_path_description about{};
    about.struct_bytes = sizeof about;
    nmt_describe_path(&profile, path, &about);
    nmt_find_path(&profile, about.rail, nullptr);
    nmt_device device{};
    device.struct_bytes = sizeof device;
    for (std::uint32_t i = 0; i < 4; ++i) nmt_describe_device(&profile, path, i, &device);
    nmt_peer_rail rails[4] = {};
    rails[0].struct_bytes = sizeof *rails;
    nmt_peer_rails(&profile, about.peer_host, nullptr, 1 << 20, rails, 4);
    nmt_fast_line line = NMT_FAST_LINE;
    nmt_fast_path(&profile, path, &line);
    ask_thresholds(profile, path);
    for (const std::uint64_t size : kSizes) ask_path(profile, path, size);
  }
  nmt_exchange exchange{};
  exchange.struct_bytes = sizeof exchange;
  exchange.ranks_per_node = 1;
  exchange.ranks = 40;
  nmt_prediction prediction{};
  prediction.struct_bytes = sizeof prediction;
  for (const std::uint64_t size : kSizes) {
    exchange.size_bytes = size;
    for (const char* algorithm : {static_cast<const char*>(nullptr), "bruck"}) {
      exchange.algorithm = algorithm;
      nmt_alltoall(&profile, &exchange, &prediction);
    }
    nmt_segment_bytes(&profile, "bcast", size, 4, 8);
    nmt_collective_rule rule{};
    rule.struct_bytes = sizeof rule;
    nmt_describe_collective(&profile, static_cast<std::uint32_t>(size % 3), &rule);
    nmt_collective_call call{};
    call.struct_bytes = sizeof call;
    call.nodes = 4;
    call.ranks_per_node = 8;
    call.ranks = 8;
    call.operation = "bcast";
    call.size_bytes = size;
    nmt_collective_rule_for(&profile, &call, &rule);
    nmt_library_rule library{};
    library.struct_bytes = sizeof library;
    nmt_describe_library_rule(&profile, static_cast<std::uint32_t>(size % 3), &library);
    call.operation = "allreduce";
    nmt_library_rule_for(&profile, &call, &library);
    for (int rails = 1; rails <= paths; ++rails) {
      for (const double release_ns : {0.0, 3000.0}) {
        split(profile, size, static_cast<std::uint32_t>(rails), release_ns);
      }
    }
  }
}

void ask_everything(std::span<const std::byte> bytes) {
  nmt_profile profile;
  profile.view = runtime::check(bytes, "snapshot");
  profile.signatures = runtime::signatures_of(profile.view);
  profile.collective_rules = runtime::CollectiveRules(profile.view);
  ask_everything(profile);
}

}  // namespace nmt::planted
