// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/busy_rails.h"

#include <algorithm>

#include "core/error.h"

namespace nmt::sampler {
namespace {

// Bodies are this fraction of the measured transfer, so that little is in transit when the
// direction changes; limited to sizes at which their rail still has its bandwidth.
constexpr std::size_t kBodiesPerTransfer = 8;
constexpr std::size_t kBodyBytesMin = std::size_t{8} << 10;
constexpr std::size_t kEagerBytesMax = std::size_t{64} << 10;  // larger ones by rendezvous
constexpr std::size_t kBodyBytesMax = std::size_t{1} << 20;
// One on the wire and one behind it, while the first is acknowledged.
constexpr std::uint32_t kBodiesOnTheirWayMax = 2;

// The state in every message's header; counts start when the traffic was last settled.
struct Word {
  std::uint32_t turns = 0;  // transfers that the sender has begun on the measured rail
  std::uint32_t taken = 0;  // bodies that the sender has received
  std::uint32_t last = 0;   // not 0: nothing follows
  bool operator==(const Word&) const = default;
};

bool has(const std::vector<Method>& methods, Method method) {
  return std::ranges::find(methods, method) != methods.end();
}

// Without waiting for an answer, if the rail has such a method.
Method eager_method(const std::vector<Method>& methods) {
  return has(methods, Method::kIovec) ? Method::kIovec : methods.front();
}

Method large_method(const std::vector<Method>& methods) {
  return has(methods, Method::kRendezvous) ? Method::kRendezvous : eager_method(methods);
}

}  // namespace

class BusyRails::Lane {
 public:
  Lane(std::unique_ptr<drivers::Endpoint> endpoint, const std::vector<Method>& methods,
       drivers::Side side)
      : eager_(eager_method(methods)),
        large_(large_method(methods)),
        side_(side),
        memory_(kBodyBytesMax, std::byte{0x5a}),
        body_in_(kBodyBytesMax),
        endpoint_(std::move(endpoint)) {
    post_receive();
  }

  void begin_transfer(std::size_t size_bytes) {
    const std::size_t wanted =
        std::clamp(size_bytes / kBodiesPerTransfer, kBodyBytesMin, kBodyBytesMax);
    body_method_ = wanted > kEagerBytesMax ? large_ : eager_;
    const std::size_t most = endpoint_->size_bytes_max(body_method_);
    body_ = drivers::ConstBytes(memory_).first(std::min(wanted, most));
    ++mine_.turns;
  }

  void finish() {
    if (mine_ != Word{}) mine_.last = 1;
  }

  // The last word of this end may still wait behind bodies, and only polls bring it on its way.
  bool settled() const { return mine_ == Word{} && sends_ == 0; }

  bool watch(std::vector<pollfd>& watched) { return endpoint_->watch(watched); }

  void poll() {
    const drivers::Endpoint::Progress progress = endpoint_->poll();
    sends_ -= progress.sent;
    if (progress.received) hear(progress.received_bytes);
    speak();
  }

 private:
  void post_receive() {
    endpoint_->receive(std::as_writable_bytes(std::span(&heard_, 1)), body_in_,
                       drivers::Delivery::kExpected);
  }

  void hear(std::size_t body_bytes) {
    theirs_ = heard_;
    if (body_bytes > 0) ++mine_.taken;
    if (theirs_.last != 0) side_ == drivers::Side::kNear ? settle() : void(mine_.last = 1);
    post_receive();
  }

  void speak() {
    if (sends_ == drivers::kSendsInFlightMax || said_.last != 0) return;
    if (mine_.turns != said_.turns) {
      say({});  // without a body, so that the other end stops at once
    } else if (my_turn() && bodies_sent_ - theirs_.taken < kBodiesOnTheirWayMax) {
      ++bodies_sent_;
      say(body_);
    } else if (mine_ != said_) {
      say({});
    }
  }

  void say(drivers::ConstBytes body) {
    const drivers::Packet packet{std::as_bytes(std::span(&mine_, 1)), body};
    endpoint_->send(body.empty() ? eager_ : body_method_, std::span(&packet, 1));
    ++sends_;
    said_ = mine_;
    if (mine_.last != 0 && side_ == drivers::Side::kFar) settle();
  }

  // The near end begins, the far end answers: a transfer has arrived when the next has begun.
  bool my_turn() const {
    if (mine_.turns == 0 || mine_.last != 0) return false;
    return theirs_.turns < mine_.turns + (side_ == drivers::Side::kNear ? 0 : 1);
  }

  void settle() {
    mine_ = said_ = theirs_ = {};
    bodies_sent_ = 0;
  }

  Method eager_;
  Method large_;
  Method body_method_ = eager_;
  drivers::Side side_;
  std::vector<std::byte> memory_;  // from which bodies are sent
  std::vector<std::byte> body_in_;
  drivers::ConstBytes body_;
  Word mine_;    // to be sent
  Word said_;    // sent last
  Word theirs_;  // received last
  Word heard_;   // being received
  std::uint32_t bodies_sent_ = 0;
  unsigned sends_ = 0;                           // posted, not completed
  std::unique_ptr<drivers::Endpoint> endpoint_;  // destroyed before the memory it sends from
};

BusyRails::BusyRails(drivers::Side side) : side_(side) {}
BusyRails::BusyRails(BusyRails&&) noexcept = default;
BusyRails& BusyRails::operator=(BusyRails&&) noexcept = default;
BusyRails::~BusyRails() = default;

void BusyRails::add(std::unique_ptr<drivers::Endpoint> endpoint,
                    const std::vector<Method>& methods) {
  lanes_.push_back(std::make_unique<Lane>(std::move(endpoint), methods, side_));
}

void BusyRails::begin_transfer(std::size_t size_bytes) {
  for (const auto& lane : lanes_) lane->begin_transfer(size_bytes);
}

void BusyRails::finish() {
  NMT_CHECK(side_ == drivers::Side::kNear);
  for (const auto& lane : lanes_) lane->finish();
}

void BusyRails::poll() {
  for (const auto& lane : lanes_) lane->poll();
}

bool BusyRails::watch(std::vector<pollfd>& watched) {
  return std::ranges::all_of(lanes_, [&](const auto& lane) { return lane->watch(watched); });
}

bool BusyRails::settled() const {
  return std::ranges::all_of(lanes_, [](const auto& lane) { return lane->settled(); });
}

}  // namespace nmt::sampler
