// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>

#include <optional>

#include "core/error.h"
#include "node/node.h"
#include "sampler/rail/partner.h"
#include "sampler/rail/peer_timeout.h"
#include "sampler/rail/remote.h"

namespace nmt::sampler {
namespace {

class RemotePartner final : public Partner {
 public:
  RemotePartner(const RailGroup& group, std::span<const RailToSample> rails,
                const node::CorePair& cores, const Clock& clock, std::uint32_t ranks)
      : rail_(name_of(group, rails)),
        peer_(*rails[group.measured].peer),
        clock_(clock),
        ranks_(ranks),
        pinned_(cores.near) {
    peer_.send(remote::kOpen, remote::to_text({.group = group, .machine = remote::machine()}));
    remote::RemoteExchange exchange(peer_);
    rails_.emplace(open_rails(group, rails, drivers::Side::kNear, exchange));
    const bool one_machine = expect(remote::kReady, remote::kAnswerTimeout) == remote::machine();
    shared_core_ = one_machine && cores.near == cores.far;
  }

  OpenRails& rails() override { return *rails_; }
  const Clock& clock() const override { return clock_; }

  // Waits until the other end has stored the cells before, and has posted its first receive.
  void begin(std::span<const Step> block) override {
    timeout_ns_ = exchange_timeout_ns(block, ranks_);
    done_.clear();
    peer_.send(remote::kBlock, remote::to_text(block));
    expect(remote::kGo, remote::kStoreTimeout);
  }

  void idle(std::uint64_t polls_in_vain) override {
    if (shared_core_) ::sched_yield();
    waiting_.rest(polls_in_vain, [this](auto& watched) { return rails_->watch(watched); });
    if (polls_in_vain % kRemotePollsPerCheck != 0) return;
    const std::uint64_t now_ns = clock_.now_ns();
    if (polls_in_vain == kRemotePollsPerCheck) waiting_since_ns_ = now_ns;
    if (done_.empty() && peer_.has_message()) done_ = expect(remote::kDone, remote::kAnswerTimeout);
    if (now_ns - waiting_since_ns_ > timeout_ns_) {
      throw Error(Fault::kPeer, rail_ + ": the peer has not answered for " +
                                    std::to_string(timeout_ns_ / 1'000'000'000) +
                                    " s; check that it still runs and that the network is up");
    }
  }

  node::Interference finish() override {
    if (done_.empty()) done_ = expect(remote::kDone, std::chrono::nanoseconds(timeout_ns_));
    return remote::interference_from(done_);
  }

 private:
  std::string expect(remote::Kind kind, std::chrono::nanoseconds timeout) {
    return remote::expect(peer_.receive(timeout), kind);
  }

  std::string rail_;
  control::Connection& peer_;
  const Clock& clock_;
  std::uint32_t ranks_;
  node::OnCores pinned_;
  std::optional<OpenRails> rails_;
  bool shared_core_ = false;
  drivers::Waiting waiting_;
  std::uint64_t timeout_ns_ = kPeerTimeoutNs;
  std::uint64_t waiting_since_ns_ = 0;
  std::string done_;  // of a far side that finished before this side had its last message
};

}  // namespace

std::unique_ptr<Partner> remote_partner(const RailGroup& group, std::span<const RailToSample> rails,
                                        const node::CorePair& cores, const Clock& clock,
                                        std::uint32_t ranks) {
  return std::make_unique<RemotePartner>(group, rails, cores, clock, ranks);
}

void close_remote_rail(control::Connection& peer) {
  peer.send(remote::kClose, "");
  // Messages sent while this end gave up the rail do not matter any more.
  const Deadline deadline(remote::kCloseTimeout);
  while (peer.receive(std::chrono::milliseconds(deadline.left_ms())).kind != remote::kClosed) {
  }
}

}  // namespace nmt::sampler
