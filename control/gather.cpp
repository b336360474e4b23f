// SPDX-License-Identifier: BSD-3-Clause
#include "control/gather.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string_view>

#include "core/error.h"

namespace nmt::control {
namespace {

constexpr std::uint64_t kTextBytesMax = std::uint64_t{1} << 30;
// So many ranks are asked before their turn, so that rank 0 need not wait until a rank wakes up.
constexpr std::size_t kAskedAhead = 8;

void hand_text(const nmt_mpi_table& mpi, const std::string& text, int to) {
  NMT_CHECK(text.size() <= kTextBytesMax);
  const std::uint64_t size_bytes = text.size();
  mpi.hand(&size_bytes, sizeof size_bytes, to);
  mpi.hand(text.data(), size_bytes, to);
}

std::string fetch_text(const nmt_mpi_table& mpi, int from) {
  std::uint64_t size_bytes = 0;
  mpi.fetch(&size_bytes, sizeof size_bytes, from);
  NMT_CHECK(size_bytes <= kTextBytesMax);
  std::string text(size_bytes, '\0');
  mpi.fetch(text.data(), size_bytes, from);
  return text;
}

void append(std::string* framed, const std::string& text) {
  const std::uint64_t size_bytes = text.size();
  framed->append(reinterpret_cast<const char*>(&size_bytes), sizeof size_bytes);
  *framed += text;
}

std::vector<std::string> texts_in(std::string_view framed) {
  std::vector<std::string> texts;
  while (!framed.empty()) {
    std::uint64_t size_bytes = 0;
    NMT_CHECK(framed.size() >= sizeof size_bytes);
    framed.copy(reinterpret_cast<char*>(&size_bytes), sizeof size_bytes);
    framed.remove_prefix(sizeof size_bytes);
    NMT_CHECK(framed.size() >= size_bytes);
    texts.emplace_back(framed.substr(0, size_bytes));
    framed.remove_prefix(size_bytes);
  }
  return texts;
}

// Rank r hands on what the ranks r to r + 2^k - 1 have, where 2^k is the lowest bit of r: so texts
// arrive in the order of ranks.
std::string framed_along_tree(const nmt_mpi_table& mpi, const std::string& text) {
  const int own = mpi.rank(), ranks = mpi.size();
  std::string framed;
  append(&framed, text);
  for (int bit = 1; bit < ranks; bit *= 2) {
    if ((own & bit) != 0) {
      hand_text(mpi, framed, own - bit);
      return {};
    }
    if (own + bit < ranks) framed += fetch_text(mpi, own + bit);
  }
  return framed;
}

}  // namespace

std::vector<std::string> gather_along_tree(const nmt_mpi_table& mpi, const std::string& text) {
  return texts_in(framed_along_tree(mpi, text));
}

std::vector<std::string> gather_for_all(const nmt_mpi_table& mpi, const std::string& text) {
  std::string framed = framed_along_tree(mpi, text);
  std::uint64_t size_bytes = framed.size();
  mpi.broadcast(&size_bytes, sizeof size_bytes);
  NMT_CHECK(size_bytes <= kTextBytesMax);
  framed.resize(size_bytes);
  mpi.broadcast(framed.data(), size_bytes);
  return texts_in(framed);
}

void collect_one_by_one(const nmt_mpi_table& mpi, std::span<const int> ranks,
                        const std::string& text, const TakeText& take) {
  char turn = 1;
  if (mpi.rank() != 0) {
    mpi.fetch(&turn, sizeof turn, 0);
    hand_text(mpi, text, 0);
    return;
  }
  std::exception_ptr failure;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (; asked < std::min(i + kAskedAhead, ranks.size()); ++asked) {
      if (ranks[asked] != 0) mpi.hand(&turn, sizeof turn, ranks[asked]);
    }
    std::string each = ranks[i] == 0 ? text : fetch_text(mpi, ranks[i]);
    if (failure) continue;
    try {
      take(ranks[i], std::move(each));
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nmt::control
