// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between the two ends of a campaign between two nodes, over the control connection
// (control/control.h). They are sent between blocks, never inside one.
//
//   near                                  far
//   kOpen      the group's rails     ->       opens its ends, pins itself
//   kExchange  addresses            <->
//                                    <-   kReady
//   kBlock     steps                 ->   kGo, then answers over the rail
//                                    <-   kDone  its interference
//   kCells     measured cells        ->       stores them too
//   kProgress                        ->
//   kClose                           ->   kClosed, in any case
//   kEnd       the report            ->
//
// Either end may send kFailure with the cause instead of anything. Texts are JSON, read without
// trust: numbers are limited to what a campaign with these options can request.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "control/control.h"
#include "core/json.h"
#include "sampler/rail/benchmark.h"
#include "sampler/rail/campaign.h"

namespace nmt::sampler::remote {

enum Kind : std::uint16_t {
  kOpen = 64,
  kExchange,
  kReady,
  kBlock,
  kGo,
  kDone,
  kCells,
  kProgress,
  kClose,
  kClosed,
  kEnd,
  kFailure,
  kLineUp,  // among ranks of one node (multi_pair.h)
};

inline constexpr std::chrono::seconds kAnswerTimeout{5};
inline constexpr std::chrono::seconds kCloseTimeout{10};  // the other end may still be opening
// The other end may wait for its profile, which another process is writing.
inline constexpr std::chrono::seconds kStoreTimeout{40};
inline constexpr std::chrono::seconds kOrderTimeout{60};
// For a cell with its repetitions, and for the report of a campaign of 256 rails.
inline constexpr std::size_t kTextBytesMax = std::size_t{32} << 20;
inline constexpr std::size_t kRepetitionsMax = std::size_t{1} << 19;  // per cell

// Identifies this machine: both ends compare it to find whether they share their cores.
std::string machine();

struct Opening {
  RailGroup group;      // numbers in the list that both have
  std::string machine;  // of the near end
};
std::string to_text(const Opening& opening);
Opening opening_from(const std::string& text, std::size_t rails);

std::string to_text(std::span<const Step> block);
std::vector<Step> steps_from(const std::string& text, std::uint64_t size_bytes_max);

// Of a companion (multi_pair.h).
std::string to_text(const BlockResult& result);
BlockResult result_from(const std::string& text, std::span<const Step> block);

std::string to_text(const node::Interference& interference);
node::Interference interference_from(const std::string& text);

// Rails have their names at each end; busy rails of a condition get the reader's names.
struct Cells {
  RailGroup group;
  std::vector<Sample> cells;
};
std::string to_text(const RailGroup& group, std::span<const Sample> cells);
Cells cells_from(const std::string& text, std::span<const RailToSample> rails,
                 std::uint64_t size_bytes_max);

std::string to_text(const Progress& progress);
Progress progress_from(const std::string& text);

std::string to_text(const CampaignReport& report);
CampaignReport report_from(const std::string& text, std::span<const RailToSample> rails);

// The text of a message of this kind, else Error(kPeer) with the other end's error.
std::string expect(control::Message message, Kind kind);

// Exchanges addresses of a rail's two ends over the connection.
class RemoteExchange final : public drivers::Exchange {
 public:
  explicit RemoteExchange(control::Connection& peer) : peer_(peer) {}
  std::string swap(std::string_view mine) override;
  bool closed() const { return closed_; }  // the near end gave up the rail instead

 private:
  control::Connection& peer_;
  bool closed_ = false;
};

}  // namespace nmt::sampler::remote
