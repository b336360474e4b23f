// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/call_record.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace nmt::collectives {
namespace {

constexpr std::array<std::string_view, 17> kNames = {
    "barrier",   "bcast",     "gather",     "gatherv",        "scatter",
    "scatterv",  "allgather", "allgatherv", "alltoall",       "alltoallv",
    "alltoallw", "reduce",    "allreduce",  "reduce_scatter", "reduce_scatter_block",
    "scan",      "exscan"};

// The final step of splitmix64: numbers of calls form patterns, and so do powers of two.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

bool is_kept(std::uint64_t number, int zeros) { return std::countr_zero(mixed(number)) >= zeros; }

template <class Value>
void append(std::vector<std::byte>& bytes, const Value* values, std::size_t count = 1) {
  const auto* begin = reinterpret_cast<const std::byte*>(values);
  bytes.insert(bytes.end(), begin, begin + count * sizeof(Value));
}

template <class Value>
void take(std::span<const std::byte>& bytes, Value* values, std::size_t count = 1) {
  if (count != 0) std::memcpy(values, bytes.data(), count * sizeof(Value));
  bytes = bytes.subspan(count * sizeof(Value));
}

}  // namespace

std::string_view to_string(Collective collective) {
  return kNames[static_cast<std::size_t>(collective)];
}

bool begins_at_root(Collective collective) {
  return collective == Collective::kBcast || collective == Collective::kScatter ||
         collective == Collective::kScatterv;
}

std::int16_t size_class(std::uint64_t size_bytes) {
  return static_cast<std::int16_t>((std::bit_width(std::max<std::uint64_t>(size_bytes, 1)) - 1) /
                                   2);
}

std::uint64_t class_begin(std::int16_t size_class) {
  return size_class <= 0 ? 0 : std::uint64_t{1} << (2 * size_class);
}

void CallLog::add(std::uint64_t size_bytes, SampledCall call) {
  call.number = sums_.calls++;
  sums_.size_bytes += size_bytes;
  sums_.took_ns += call.took_ns;
  if (sampled_max_ == 0 || !is_kept(call.number, zeros_)) return;
  if (sampled_.size() == sampled_max_) {
    ++zeros_;
    std::erase_if(sampled_, [&](const SampledCall& each) { return !is_kept(each.number, zeros_); });
    if (sampled_.size() == sampled_max_ || !is_kept(call.number, zeros_)) return;
  }
  sampled_.push_back(call);
}

std::vector<std::byte> pack(std::span<const GroupLog* const> groups, bool with_sampled) {
  std::vector<std::byte> bytes;
  for (const GroupLog* group : groups) {
    for (const auto& [kind, log] : group->kinds) {
      const std::uint64_t sampled = with_sampled ? log.sampled().size() : 0;
      append(bytes, &group->head);
      append(bytes, &kind);
      append(bytes, &log.sums());
      append(bytes, &sampled);
      append(bytes, log.sampled().data(), sampled);
    }
  }
  return bytes;
}

std::vector<PackedKind> unpack(std::span<const std::byte> bytes) {
  std::vector<PackedKind> kinds;
  while (!bytes.empty()) {
    PackedKind& each = kinds.emplace_back();
    std::uint64_t sampled = 0;
    take(bytes, &each.group);
    take(bytes, &each.kind);
    take(bytes, &each.sums);
    take(bytes, &sampled);
    each.sampled.resize(sampled);
    take(bytes, each.sampled.data(), sampled);
  }
  return kinds;
}

}  // namespace nmt::collectives
