// SPDX-License-Identifier: BSD-3-Clause
//
// Decisions over several rails.
#include <algorithm>
#include <bit>

#include "runtime/profile.h"
#include "runtime/split.h"
#include "runtime/split_solver.h"

namespace nmt::runtime {
namespace {

static_assert(NMT_SPLIT_RAILS_MAX == SplitSolver::kRailsMax);

// The caller's array of structs; the first element has their size.
class Shares {
 public:
  Shares(nmt_share* first, std::uint32_t count) : first_(first), count_(count) {}

  bool usable() const {
    constexpr std::size_t kQuestion = offsetof(nmt_share, offset_bytes);
    return first_ != nullptr && count_ > 0 && count_ <= NMT_SPLIT_RAILS_MAX &&
           first_->struct_bytes >= kQuestion;
  }
  nmt_share read(std::size_t i) const {
    nmt_share share;
    std::memcpy(&share, at(i), offsetof(nmt_share, offset_bytes));
    return share;
  }
  void write(std::size_t i, std::uint64_t offset_bytes, std::uint64_t bytes, double end_ns,
             std::uint32_t left_out) {
    nmt_share share = read(i);
    share.offset_bytes = offset_bytes;
    share.bytes = bytes;
    share.end_ns = bytes > 0 || left_out == NMT_TAKES_PART ? end_ns : 0;
    share.left_out = left_out;
    share.reserved = 0;
    if (first_->struct_bytes >= sizeof share) [[likely]] {  // a size that the compiler knows
      std::memcpy(at(i), &share, sizeof share);
    } else {
      std::memcpy(at(i), &share, first_->struct_bytes);
    }
  }

 private:
  std::byte* at(std::size_t i) const {
    return reinterpret_cast<std::byte*>(first_) + i * first_->struct_bytes;
  }
  nmt_share* first_;
  std::uint32_t count_;
};

bool is_release(double release_ns) { return release_ns >= 0 && release_ns < 1e15; }

// Reads the rails; NMT_OK, or the status that says what is wrong.
int read_rails(const nmt_profile& profile, const Shares& shares, std::span<SplitRail> rails) {
  for (std::size_t i = 0; i < rails.size(); ++i) {
    const nmt_share share = shares.read(i);
    if (!is_path(&profile, share.path)) return NMT_UNKNOWN;
    if (!is_release(share.release_ns)) return NMT_INVALID;
    rails[i] = {static_cast<std::uint32_t>(share.path), share.release_ns, 0, 0, 0};
    for (std::size_t j = 0; j < i; ++j) {
      if (rails[j].path == rails[i].path) return NMT_INVALID;
    }
  }
  return NMT_OK;
}

// The message begins with the chunk of rail number `front`.
void write_answer(const nmt_profile& profile, const SplitAnswer& answer,
                  std::span<const SplitRail> rails, Shares& shares, nmt_split_result* result,
                  std::size_t front = 0) {
  nmt_split_result whole{};
  if (answer.simultaneous) whole.flags |= NMT_ADVICE_SIMULTANEOUS;
  whole.end_ns = answer.end_ns;
  std::uint64_t offset = rails[front].bytes;
  for (std::size_t i = 0; i < rails.size(); ++i) {
    const SplitRail& rail = rails[i];
    shares.write(i, i == front ? 0 : offset, rail.bytes, rail.end_ns, rail.left_out);
    if (i != front) offset += rail.bytes;
    if (rail.left_out != NMT_TAKES_PART) continue;
    ++whole.chunks;
    whole.flags |= flags_of(profile, rail.path);
    if (rail.bytes > profile.view.paths[rail.path].size_bytes_max) {
      whole.flags |= NMT_ADVICE_EXTRAPOLATED;
    }
  }
  put(result, whole);
}

int split(const nmt_profile& profile, std::uint64_t size_bytes, Shares shares, std::uint32_t count,
          nmt_split_result* result) {
  SplitRail storage[NMT_SPLIT_RAILS_MAX];
  const std::span<SplitRail> rails(storage, count);
  if (const int wrong = read_rails(profile, shares, rails)) return wrong;
  const SplitAnswer answer = split_exactly(profile.view, size_bytes, rails);
  if (answer.end_ns < 0) return NMT_NO_ADVICE;
  write_answer(profile, answer, rails, shares, result);
  return NMT_OK;
}

// Where each further byte is one rail's, the other may be held below a jump: then its chunk ends
// before the message.
void end_apart(const View& view, const PairTable& table, nmt_share* shares, double end_ns) {
  for (const std::size_t i : {0u, 1u}) {
    auto path = static_cast<std::uint32_t>(shares[i].path);
    const auto other = static_cast<std::uint32_t>(shares[1 - i].path);
    if (table.simultaneous != 0) path = companion(view, path, std::span(&other, 1));
    const float alone_ns = time_for(view.paths[path].inverse, shares[i].bytes);
    shares[i].end_ns = std::min(end_ns, shares[i].release_ns + static_cast<double>(alone_ns));
  }
}

// Answers from the table for two rails that are idle or become free at the same time: the result of
// split(), but faster. False if no table covers the question.
bool split_by_table(const nmt_profile& profile, std::uint64_t size_bytes, nmt_share* shares,
                    nmt_split_result* result) {
  const bool plain = shares[0].struct_bytes == sizeof(nmt_share) &&
                     result->struct_bytes >= sizeof(nmt_split_result);
  const double release_ns = shares[0].release_ns;
  if (!plain || !is_release(release_ns) || shares[1].release_ns != release_ns) return false;
  if (!is_path(&profile, shares[0].path) || !is_path(&profile, shares[1].path)) return false;
  if (size_bytes == 0) return false;
  const View& view = profile.view;
  bool in_order = false;
  const PairTable* table = pair_table(view, static_cast<std::uint32_t>(shares[0].path),
                                      static_cast<std::uint32_t>(shares[1].path), &in_order);
  if (table == nullptr) return false;
  const std::uint32_t piece = table->index.piece_at(size_bytes);
  const std::uint64_t bytes = std::min(size_bytes, table->bytes_at(piece, size_bytes));
  const double end_ns = release_ns + table->end_at(piece, size_bytes);
  const std::uint64_t first = in_order ? bytes : size_bytes - bytes;
  const std::uint64_t second = size_bytes - first;
  std::uint32_t flags = 0;
  // No branches on which rail takes part, because they are mispredicted.
  const auto write = [&](nmt_share& share, std::uint64_t offset_bytes, std::uint64_t chunk_bytes) {
    const auto path = static_cast<std::uint32_t>(share.path);
    const std::uint64_t carries = chunk_bytes > 0;
    const std::uint32_t reason = left_out_reason(view, {path, release_ns, 0, 0, 0}, end_ns);
    share.offset_bytes = offset_bytes;
    share.bytes = chunk_bytes;
    share.end_ns = std::bit_cast<double>(std::bit_cast<std::uint64_t>(end_ns) & (0 - carries));
    share.left_out = reason & static_cast<std::uint32_t>(carries - 1);
    const bool beyond = chunk_bytes > view.paths[path].size_bytes_max;
    flags |= std::uint32_t{NMT_ADVICE_EXTRAPOLATED} * beyond;
    flags |= flags_of(profile, path) & static_cast<std::uint32_t>(0 - carries);
  };
  write(shares[0], 0, first);
  write(shares[1], first, second);
  const std::uint32_t both = std::uint32_t{first > 0} & std::uint32_t{second > 0};
  const bool one_takes_all = (table->share[piece] & (PairTable::kOne - 1)) == 0;
  if (both != 0 && one_takes_all) [[unlikely]]
    end_apart(view, *table, shares, end_ns);
  flags |= NMT_ADVICE_SIMULTANEOUS * (both & std::uint32_t{table->simultaneous != 0});
  result->flags = flags;
  result->end_ns = end_ns;
  result->chunks = 1 + both;
  return true;
}

const OffloadRecord* find_offload(const View& view, const char* placement) {
  for (const OffloadRecord& offload : view.offloads) {
    if (std::strcmp(view.text_at(offload.placement), placement) == 0) return &offload;
  }
  return nullptr;
}

// Whether the rail that would carry the whole message sends it eagerly.
bool is_eager(const nmt_profile* profile, std::uint64_t size_bytes,
              std::span<const SplitRail> rails) {
  for (const SplitRail& rail : rails) {
    if (rail.left_out != NMT_TAKES_PART) continue;
    const int method = nmt_method_for(profile, static_cast<int>(rail.path), size_bytes);
    return method == NMT_COPY || method == NMT_IOVEC;
  }
  return false;
}

// The earliest end where this core submits one chunk now and other cores begin theirs `cost_ns`
// later: equation 1 of the paper "multirail on multicore" with the curve of each rail, for each
// rail that this core can take. `rails` are the question and become the answer; `own` is this
// core's.
SplitAnswer split_over_cores(const View& view, std::uint64_t size_bytes, double cost_ns,
                             std::uint32_t idle_cores, std::span<SplitRail> rails,
                             std::size_t& own) {
  SplitRail storage[2][NMT_SPLIT_RAILS_MAX];
  const std::span<SplitRail> tried(storage[0], rails.size()), best(storage[1], rails.size());
  SplitAnswer earliest;
  for (std::size_t i = 0; i < rails.size(); ++i) {
    std::ranges::copy(rails, tried.begin());
    for (std::size_t j = 0; j < rails.size(); ++j) {
      if (j != i) tried[j].release_ns += cost_ns;
    }
    const SplitAnswer answer = split_exactly(view, size_bytes, tried, std::size_t{idle_cores} + 1);
    if (answer.end_ns < 0 || tried[i].left_out != NMT_TAKES_PART) continue;
    if (earliest.end_ns >= 0 && answer.end_ns >= earliest.end_ns) continue;
    earliest = answer;
    own = i;
    std::ranges::copy(tried, best.begin());
  }
  if (earliest.end_ns < 0) return earliest;
  for (std::size_t i = 0; i < rails.size(); ++i) {
    const bool is_busy = rails[i].release_ns >= earliest.end_ns;
    if (best[i].left_out == NMT_LEFT_BUSY && !is_busy) best[i].left_out = NMT_LEFT_OFFLOAD;
  }
  std::ranges::copy(best, rails.begin());
  return earliest;
}

}  // namespace
}  // namespace nmt::runtime

int nmt_split(const nmt_profile* profile, uint64_t size_bytes, nmt_share* shares, uint32_t rails,
              nmt_split_result* result) {
  if (profile == nullptr || size_bytes > nmt::runtime::kSizeBytesMax) return NMT_INVALID;
  const nmt::runtime::Shares array(shares, rails);
  if (!array.usable() || !nmt::runtime::is_writable(result)) return NMT_INVALID;
  if (rails == 2 && nmt::runtime::split_by_table(*profile, size_bytes, shares, result))
    return NMT_OK;
  return nmt::runtime::split(*profile, size_bytes, array, rails, result);
}

int nmt_eager_chunks(const nmt_profile* profile, const char* placement, uint32_t idle_cores,
                     uint64_t size_bytes, nmt_share* shares, uint32_t rails,
                     nmt_split_result* result) {
  if (profile == nullptr || placement == nullptr || size_bytes > nmt::runtime::kSizeBytesMax) {
    return NMT_INVALID;
  }
  nmt::runtime::Shares array(shares, rails);
  if (!array.usable() || !nmt::runtime::is_writable(result)) return NMT_INVALID;
  nmt::runtime::SplitRail storage[2][NMT_SPLIT_RAILS_MAX];
  const std::span<nmt::runtime::SplitRail> whole(storage[0], rails);
  if (const int wrong = nmt::runtime::read_rails(*profile, array, whole)) return wrong;
  const nmt::runtime::OffloadRecord* offload = nmt::runtime::find_offload(profile->view, placement);
  if (offload == nullptr) return NMT_NO_ADVICE;
  const std::span<nmt::runtime::SplitRail> chunks(storage[1], rails);
  std::copy(whole.begin(), whole.end(), chunks.begin());

  const nmt::runtime::SplitAnswer alone =
      nmt::runtime::split_exactly(profile->view, size_bytes, whole, 1);
  if (alone.end_ns < 0) return NMT_NO_ADVICE;
  const bool may_pay = idle_cores > 0 && rails > 1 && offload->cost_ns < alone.end_ns;
  if (may_pay && nmt::runtime::is_eager(profile, size_bytes, whole)) {
    std::size_t own = 0;
    const nmt::runtime::SplitAnswer parallel = nmt::runtime::split_over_cores(
        profile->view, size_bytes, offload->cost_ns, idle_cores, chunks, own);
    if (parallel.end_ns >= 0 && parallel.end_ns < alone.end_ns) {
      nmt::runtime::write_answer(*profile, parallel, chunks, array, result, own);
      return 1;
    }
  }
  for (nmt::runtime::SplitRail& rail : whole) {
    const bool idle = rail.left_out == NMT_LEFT_SMALL || rail.left_out == NMT_LEFT_TOGETHER;
    if (idle) rail.left_out = NMT_LEFT_OFFLOAD;
  }
  nmt::runtime::write_answer(*profile, alone, whole, array, result);
  return 0;
}
