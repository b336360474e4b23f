// SPDX-License-Identifier: BSD-3-Clause
//
// One line on stderr for each message that an engine has sent (NMADTUNE_LOG=transfers).
//
// Entries are stored in memory that is allocated in advance. They are printed when the engine has
// nothing else to do, or when half of that memory is full. Entries that do not fit are counted and
// dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/method.h"

namespace nmt::engine {

// How a message has been sent so far.
struct SendTrace {
  std::uint64_t rails = 0;  // bit 1 << number of a rail of the engine; rails above 63 are left out
  std::uint32_t chunks = 0;
  std::uint32_t methods = 0;  // bit 1 << Method

  void add(std::uint32_t rail, Method method) {
    if (rail < 64) rails |= std::uint64_t{1} << rail;
    methods |= 1u << static_cast<unsigned>(method);
    ++chunks;
  }
};

class TransferLog {
 public:
  explicit TransferLog(std::size_t room) { entries_.reserve(room); }

  // Never allocates.
  void add(const std::string& peer, std::uint64_t size_bytes, const SendTrace& trace,
           double duration_ns);
  bool half_full() const { return entries_.size() >= entries_.capacity() / 2; }
  // Returns the lines of all entries and removes them.
  std::string take(const std::vector<std::string>& rails);

 private:
  struct Entry {
    const std::string* peer = nullptr;  // of a gate, which lives as long as the engine
    std::uint64_t size_bytes = 0;
    SendTrace trace;
    double duration_ns = 0;
  };
  std::vector<Entry> entries_;
  std::uint64_t left_out_ = 0;
};

}  // namespace nmt::engine
