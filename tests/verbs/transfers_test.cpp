// SPDX-License-Identifier: BSD-3-Clause
//
// In a guest, over a device that the kernel drives: what the stub takes for granted.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <optional>

#include "core/error.h"
#include "drivers/verbs/endpoint.h"
#include "tests/drivers/contract.h"

namespace nmt::verbs {
namespace {

// The limits of a rail, and both sides of each.
std::vector<std::size_t> sizes_around_limits(const Rail& rail) {
  const std::size_t inline_bytes = std::stoul(rail.fingerprint.at("inline_bytes"));
  const std::size_t mtu_bytes = std::stoul(rail.fingerprint.at("mtu_bytes"));
  const std::size_t overhead = sizeof(drivers::CellHead) + sizeof(drivers::Frame) + 64;
  std::vector<std::size_t> sizes;
  for (const std::size_t limit : {std::size_t{1}, inline_bytes - overhead, mtu_bytes,
                                  drivers::VerbsCells::kPayloadBytes - sizeof(drivers::Frame) - 64,
                                  drivers::VerbsCells::kPayloadBytes, std::size_t{65536},
                                  std::size_t{1} << 20, std::size_t{8} << 20}) {
    for (std::size_t size = limit - 1; size <= limit + 1; ++size) sizes.push_back(size);
  }
  return sizes;
}

using Transfers = drivers::Contract;

TEST_P(Transfers, DataIsIntactAroundEveryLimit) {
  for (const std::size_t size_bytes : sizes_around_limits(pair_.under_test.rail)) {
    for (const Method method : methods_) {
      EXPECT_TRUE(moves(near(), far(), method, drivers::TestMessage(size_bytes, size_bytes)))
          << to_string(method) << size_bytes;
    }
  }
}

TEST_P(Transfers, GatherListsOfAllLengthsAreIntact) {
  for (std::size_t pieces = 1; pieces <= drivers::kPacketsMax; ++pieces) {
    const std::vector<std::size_t> headers(pieces, 3), bodies(pieces, 101);
    for (const Method method : methods_) {
      EXPECT_TRUE(moves(near(), far(), method, drivers::TestMessage(pieces, headers, bodies)))
          << to_string(method) << pieces;
    }
  }
}

// Random sizes at random places of a large buffer, thousands in each direction at once.
class Direction {
 public:
  Direction(drivers::Endpoint& from, drivers::Endpoint& to, const std::vector<Method>& methods,
            std::uint64_t seed)
      : from_(from), to_(to), methods_(methods), random_(seed), source_(kArena), target_(kArena) {
    for (std::byte& byte : source_) byte = static_cast<std::byte>(random_());
  }

  void step() {
    if (started_ < kTransfers && started_ - sent_ < drivers::kSendsInFlightMax) {
      const double exponent = static_cast<double>(random_() % 1000) / 1000 * 17;
      const auto size = static_cast<std::size_t>(std::exp2(exponent));
      const Stretch stretch{random_() % (kArena - size), size, started_++};
      const drivers::Packet packet{
          std::as_bytes(std::span(&stretch.number, 1)),
          drivers::ConstBytes(source_).subspan(stretch.from, stretch.size)};
      from_.send(methods_[random_() % methods_.size()], {&packet, 1});
      waiting_.push_back(stretch);
    }
    if (!posted_ && received_ < kTransfers) {
      place_ = random_() % 4096;
      to_.receive(header_, drivers::Bytes(target_).subspan(place_, kLargest),
                  drivers::Delivery::kExpected);
      posted_ = true;
    }
  }

  void take(const drivers::Endpoint::Progress& of_from, const drivers::Endpoint::Progress& of_to) {
    sent_ += of_from.sent;
    if (!of_to.received) return;
    posted_ = false;
    const Stretch stretch = waiting_.front();
    waiting_.pop_front();
    ++received_;
    const bool same =
        of_to.received_bytes == stretch.size &&
        std::memcmp(header_.data(), &stretch.number, sizeof stretch.number) == 0 &&
        std::memcmp(target_.data() + place_, source_.data() + stretch.from, stretch.size) == 0;
    wrong_ += !same;
  }

  bool done() const { return received_ == kTransfers && sent_ == kTransfers; }
  unsigned wrong() const { return wrong_; }

 private:
  static constexpr unsigned kTransfers = NMT_TRANSFERS;
  static constexpr std::size_t kArena = 4 << 20;
  static constexpr std::size_t kLargest = 1 << 17;
  struct Stretch {
    std::size_t from, size;
    std::uint64_t number;
  };

  drivers::Endpoint& from_;
  drivers::Endpoint& to_;
  std::vector<Method> methods_;
  std::mt19937_64 random_;
  std::vector<std::byte> source_, target_;
  std::array<std::byte, 8> header_;
  std::deque<Stretch> waiting_;
  std::size_t place_ = 0;
  bool posted_ = false;
  unsigned started_ = 0, sent_ = 0, received_ = 0, wrong_ = 0;
};

TEST_P(Transfers, RandomOnesAreIntactInBothDirectionsAtOnce) {
  Direction there(near(), far(), methods_, 1), back(far(), near(), methods_, 2);
  while (!there.done() || !back.done()) {
    there.step();
    back.step();
    const drivers::Endpoint::Progress of_near = near().poll(), of_far = far().poll();
    there.take(of_near, of_far);
    back.take(of_far, of_near);
  }
  EXPECT_EQ(there.wrong() + back.wrong(), 0u);
}

// The same address with other pages behind it: a kept registration would send the old ones.
TEST_P(Transfers, MemoryThatWasMappedAnewSendsItsNewContent) {
  constexpr std::size_t kBytes = 256 << 10;
  auto& sender = dynamic_cast<drivers::VerbsEndpoint&>(near());
  if (!sender.keeps_registrations()) GTEST_SKIP() << sender.why_not();
  std::vector<std::byte> headers(8), bodies(kBytes);
  void* at = nullptr;
  for (int content = 1; content <= 3; ++content) {
    at = ::mmap(at, kBytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | (at != nullptr ? MAP_FIXED : 0), -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    std::memset(at, content, kBytes);
    for (const std::uint64_t registrations : {1, 0}) {
      const std::uint64_t before = sender.registrations();
      const drivers::Packet packet{drivers::ConstBytes(headers),
                                   drivers::ConstBytes(static_cast<std::byte*>(at), kBytes)};
      far().receive(headers, bodies, drivers::Delivery::kExpected);
      near().send(Method::kRendezvous, {&packet, 1});
      unsigned sent = 0, received = 0;
      ASSERT_TRUE(drivers::eventually([&] {
        sent += near().poll().sent;
        received += far().poll().received;
        return sent == 1 && received == 1;
      }));
      EXPECT_EQ(sender.registrations() - before, registrations) << content;
      EXPECT_EQ(std::ranges::count(bodies, static_cast<std::byte>(content)),
                static_cast<std::ptrdiff_t>(kBytes));
    }
    ::munmap(at, kBytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Rails, Transfers, testing::ValuesIn(drivers::kRailsUnderTest),
                         drivers::name_of_rail);

}  // namespace
}  // namespace nmt::verbs
