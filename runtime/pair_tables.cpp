// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pair_tables.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/split.h"
#include "runtime/split_solver.h"

namespace nmt::runtime {
namespace {

// Relative error that a table may add to the solver's duration; the smallest that makes a pair fit.
constexpr double kTolerances[] = {1e-4, 4e-4};
constexpr std::uint64_t kEnd = SizeIndex<PairTable::kPieces>::kNever;

struct Answer {
  std::uint64_t bytes = 0;  // of the first rail
  double end_ns = 0;
  bool simultaneous = false;
  int carrying = 0;  // which rails carry bytes; a piece never mixes two answers
};

struct TablePiece {
  std::uint64_t from_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint32_t share = 0;
  double end_ns = 0;
  double ns_per_byte = 0;

  std::uint64_t bytes_at(std::uint64_t size) const {
    return bytes + ((size - from_bytes) * share >> 31);
  }
  double end_at(std::uint64_t size) const {
    return end_ns + static_cast<double>(size - from_bytes) * ns_per_byte;
  }
};

class Tabulator {
 public:
  Tabulator(const View& view, std::uint32_t first, std::uint32_t second)
      : view_(view),
        paths_{first, second},
        together_{companion(view, first, {&paths_[1], 1}),
                  companion(view, second, {&paths_[0], 1})} {}

  PairTable table() {
    const std::vector<std::uint64_t> all = bends();
    for (const double tolerance : kTolerances) {
      tolerance_ = tolerance;
      pieces_.clear();
      std::uint64_t from = 0;
      for (const std::uint64_t to : all) {
        if (to > from) cover(from, to);
        from = to;
      }
      cover(from, kEnd);  // the last piece has no end
      if (!full()) break;
    }
    return filled();
  }

 private:
  Answer ask(std::uint64_t size_bytes) const {
    SplitRail rails[2] = {{paths_[0], 0, 0, 0, 0}, {paths_[1], 0, 0, 0, 0}};
    const SplitAnswer answer = split_exactly(view_, size_bytes, rails);
    return {rails[0].bytes, answer.end_ns, answer.simultaneous,
            (rails[0].bytes > 0 ? 1 : 0) + (rails[1].bytes > 0 ? 2 : 0)};
  }

  // Sizes at which the answer may change, ascending, up to kEnd.
  std::vector<std::uint64_t> bends() const {
    std::set<std::uint64_t> sizes;
    const auto add = [&](float bytes) {
      if (bytes < static_cast<float>(kEnd)) sizes.insert(static_cast<std::uint64_t>(bytes) + 1);
    };
    for (const auto& both : {paths_, together_}) {
      const PathBlock* blocks[2] = {&view_.paths[both[0]], &view_.paths[both[1]]};
      const auto add_time = [&](std::uint32_t bits) {
        const float bytes[2] = {carried(blocks[0]->inverse, bits),
                                carried(blocks[1]->inverse, bits)};
        for (const float size : {bytes[0], bytes[1], bytes[0] + bytes[1]}) add(size);
      };
      for (const PathBlock* block : blocks) {
        for (std::uint32_t piece = 1; piece < block->inverse.pieces; ++piece) {
          add_time(block->inverse.knot[piece]);
          add_time(block->inverse.knot[piece] - 1);
        }
        const float least_ns = time_for(block->inverse, block->chunk_bytes_min);
        add_time(std::bit_cast<std::uint32_t>(least_ns));
      }
    }
    return {sizes.begin(), sizes.end()};
  }

  static float carried(const TimeTable& table, std::uint32_t time_bits) {
    const std::uint32_t piece = table.piece_at(time_bits);
    const float past_ns = std::bit_cast<float>(time_bits) - table.start(piece);
    return table.bytes[piece] + past_ns * table.bytes_per_ns[piece];
  }

  // Adds pieces for sizes [from, to).
  void cover(std::uint64_t from, std::uint64_t to) {
    if (full()) return;
    if (!pieces_.empty() && holds(pieces_.back(), from, to)) return;
    const std::uint64_t last = to - 1;
    if (ask(from).carrying != ask(last).carrying) {
      const std::uint64_t change = first_change(from, last);
      cover(from, change);
      cover(change, to);
      return;
    }
    const TablePiece piece = piece_between(from, last);
    if (to - from <= 2 || holds(piece, from, to)) {
      pieces_.push_back(piece);
      return;
    }
    const std::uint64_t middle = from + (to - from) / 2;
    cover(from, middle);
    cover(middle, to);
  }

  bool full() const { return pieces_.size() > PairTable::kPieces; }

  std::uint64_t first_change(std::uint64_t from, std::uint64_t last) const {
    const int carrying = ask(from).carrying;
    while (from + 1 < last) {
      const std::uint64_t middle = from + (last - from) / 2;
      (ask(middle).carrying == carrying ? from : last) = middle;
    }
    return last;
  }

  TablePiece piece_between(std::uint64_t from, std::uint64_t last) const {
    const Answer begin = ask(from);
    TablePiece piece{from, begin.bytes, 0, begin.end_ns, 0};
    if (last == from) return piece;
    const Answer end = ask(last);
    const auto length = static_cast<double>(last - from);
    const double share =
        (static_cast<double>(end.bytes) - static_cast<double>(begin.bytes)) / length;
    piece.share = static_cast<std::uint32_t>(std::llround(std::clamp(share, 0.0, 1.0) * 0x1p31));
    piece.ns_per_byte = (end.end_ns - begin.end_ns) / length;
    return piece;
  }

  // Whether the piece predicts the end of its chunks, and they end no later than the solver's.
  bool holds(const TablePiece& piece, std::uint64_t from, std::uint64_t to) const {
    for (const std::uint64_t size : {from, from + (to - from) / 2, to - 1}) {
      const Answer exact = ask(size);
      const std::uint64_t bytes = piece.bytes_at(size);
      const int carrying = (bytes > 0 ? 1 : 0) + (bytes < size ? 2 : 0);
      if (bytes > size || carrying != exact.carrying) return false;
      const double allowed_ns = exact.end_ns * tolerance_;
      const double end_ns = std::max(duration(0, bytes, exact), duration(1, size - bytes, exact));
      if (end_ns > exact.end_ns + allowed_ns) return false;
      if (std::abs(piece.end_at(size) - exact.end_ns) > allowed_ns) return false;
      if (!legal(0, bytes, exact) || !legal(1, size - bytes, exact)) return false;
    }
    return true;
  }

  const PathBlock& block(int rail, const Answer& answer) const {
    return view_.paths[answer.simultaneous ? together_[rail] : paths_[rail]];
  }
  double duration(int rail, std::uint64_t bytes, const Answer& answer) const {
    if (bytes == 0) return 0;
    return static_cast<double>(time_for(block(rail, answer).inverse, bytes));
  }
  bool legal(int rail, std::uint64_t bytes, const Answer& answer) const {
    return answer.carrying != 3 || bytes >= block(rail, answer).chunk_bytes_min;
  }

  PairTable filled() const {
    PairTable table{};
    std::fill(std::begin(table.index.knot) + 1, std::end(table.index.knot), table.index.kNever);
    if (full()) return table;
    table.pieces = static_cast<std::uint32_t>(pieces_.size());
    table.simultaneous = together_[0] != paths_[0] || together_[1] != paths_[1];
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      table.index.knot[i] = static_cast<std::uint32_t>(pieces_[i].from_bytes);
      table.bytes[i] = static_cast<std::uint32_t>(pieces_[i].bytes);
      table.share[i] = pieces_[i].share;
      table.end_ns[i] = static_cast<float>(pieces_[i].end_ns);
      table.ns_per_byte[i] = static_cast<float>(pieces_[i].ns_per_byte);
    }
    table.index.set_first(pieces_.size());
    return table;
  }

  const View& view_;
  std::array<std::uint32_t, 2> paths_;
  std::array<std::uint32_t, 2> together_;  // in simultaneous use
  double tolerance_ = 0;
  std::vector<TablePiece> pieces_;
};

}  // namespace

std::vector<PairTable> make_pair_tables(const View& view,
                                        const std::vector<std::vector<std::uint32_t>>& gates) {
  std::vector<PairTable> tables;
  for (const std::vector<std::uint32_t>& gate : gates) {
    for (std::size_t second = 1; second < gate.size(); ++second) {
      for (std::size_t first = 0; first < second; ++first) {
        tables.push_back(Tabulator(view, gate[first], gate[second]).table());
      }
    }
  }
  return tables;
}

}  // namespace nmt::runtime
