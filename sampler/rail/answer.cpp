// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/answer.h"

#include <sched.h>

#include <optional>
#include <utility>

#include "core/error.h"
#include "sampler/rail/offload.h"
#include "sampler/rail/peer_timeout.h"
#include "sampler/rail/rail_group.h"
#include "sampler/rail/rail_time.h"
#include "sampler/rail/remote.h"

namespace nmt::sampler {
namespace {

using control::Message;

class Answerer {
 public:
  Answerer(std::span<const RailToSample> rails, const SamplingOptions& options, Observer& observer)
      : rails_(rails),
        options_(options),
        observer_(observer),
        near_(*rails.front().peer),
        buffers_(largest_exchange_bytes(options), node::private_cache_bytes()) {
    ::sched_getaffinity(0, sizeof affinity_, &affinity_);
  }

  ~Answerer() { ::sched_setaffinity(0, sizeof affinity_, &affinity_); }

  CampaignReport run() {
    while (!report_) {
      if (!wait_for_order()) {
        near_.send(remote::kFailure, "interrupted on the peer");
        return {.interrupted = true};
      }
      obey(near_.receive(remote::kAnswerTimeout, remote::kTextBytesMax));
    }
    return *report_;
  }

 private:
  // False if this end is interrupted.
  bool wait_for_order() const {
    constexpr std::chrono::milliseconds kLook{100};
    const Deadline deadline(remote::kOrderTimeout);
    while (!near_.has_message(kLook)) {
      if (observer_.interrupted()) return false;
      if (deadline.passed()) {
        throw Error(Fault::kPeer,
                    near_.peer() +
                        ": the peer has stopped sending orders; check that it still runs and "
                        "that the network is up");
      }
    }
    return !observer_.interrupted();
  }

  void obey(const Message& order) {
    switch (order.kind) {
      case remote::kOpen:
        return or_tell([&] { open(order.text); });
      case remote::kBlock:
        return or_tell([&] { answer(order.text); });
      case remote::kClose:
        close();
        return near_.send(remote::kClosed, "");
      case remote::kCells:
        return keep(order.text);
      case remote::kProgress:
        return show(order.text);
      case remote::kEnd:
        report_ = remote::report_from(order.text, rails_);
        return;
      case remote::kFailure:
        throw Error(Fault::kPeer, "the peer reports: " + json::printable(order.text, 500));
      default:
        throw Error(Fault::kPeer, near_.peer() +
                                      ": unexpected message from the peer; run the same version of "
                                      "nmadtune on both nodes");
    }
  }

  // Reports a rail's failure to the near end, and continues with the others.
  template <class Work>
  void or_tell(Work work) {
    try {
      work();
    } catch (const Error& error) {
      close();
      near_.send(remote::kFailure, error.what());
      if (std::exchange(closed_, false)) near_.send(remote::kClosed, "");
    }
  }

  void open(const std::string& text) {
    const remote::Opening opening = remote::opening_from(text, rails_.size());
    const bool one_machine = opening.machine == remote::machine();
    const int core = one_machine ? cores_.far : cores_.near;
    shared_core_ = one_machine && cores_.near == cores_.far;
    node::pin_to(core);
    remote::RemoteExchange exchange(near_);
    group_ = opening.group;
    try {
      opened_.emplace(open_rails(group_, rails_, drivers::Side::kFar, exchange));
    } catch (const Error&) {
      closed_ = exchange.closed();
      throw;
    }
    responder_.emplace(*opened_, buffers_);
    meter_.emplace(core, core);
    near_.send(remote::kReady, remote::machine());
  }

  void close() {
    responder_.reset();
    opened_.reset();
    meter_.reset();
  }

  void answer(const std::string& text) {
    if (!opened_)
      throw Error(Fault::kPeer,
                  "the peer asked for measurements before it opened a rail; run the same version "
                  "of nmadtune on both nodes");
    std::vector<Step> steps = remote::steps_from(text, largest_exchange_bytes(options_));
    const std::chrono::duration<std::uint64_t, std::nano> timeout(
        2 * exchange_timeout_ns(steps, options_.ranks_per_node));
    const node::Interference before = meter_->read();
    responder_->begin(std::move(steps));
    near_.send(remote::kGo, "");
    Deadline deadline(timeout);
    for (unsigned in_vain = 1; !responder_->done(); ++in_vain) {
      if (responder_->advance()) in_vain = 0;
      if (in_vain == 0) continue;
      if (shared_core_) ::sched_yield();
      waiting_.rest(in_vain, [this](auto& watched) { return opened_->watch(watched); });
      if (in_vain % kRemotePollsPerCheck != 0) continue;
      if (near_.has_message()) return;  // inside a block, only kClose or a hang-up comes
      if (in_vain == kRemotePollsPerCheck) deadline = Deadline(timeout);
      if (deadline.passed()) {
        throw Error(Fault::kPeer, name_of(group_, rails_) +
                                      ": no data arrives over this rail; check its cable, its "
                                      "routes and the firewalls of both nodes");
      }
    }
    near_.send(remote::kDone, remote::to_text(meter_->read().since(before)));
  }

  void keep(const std::string& text) {
    const remote::Cells cells = remote::cells_from(text, rails_, largest_exchange_bytes(options_));
    observer_.measured(rails_[cells.group.measured].rail, cells.cells);
  }

  void show(const std::string& text) {
    Progress progress = remote::progress_from(text);
    progress.rail = name_of(group_, rails_);
    observer_.progress(progress);
  }

  std::span<const RailToSample> rails_;
  const SamplingOptions& options_;
  Observer& observer_;
  control::Connection& near_;
  Buffers buffers_;
  cpu_set_t affinity_{};
  const node::CorePair cores_ = cores_of(options_);  // of all cores allowed before pinning
  bool shared_core_ = false;
  drivers::Waiting waiting_;
  bool closed_ = false;  // the near end gave up the rail while it was opened
  RailGroup group_;
  std::optional<OpenRails> opened_;
  std::optional<Responder> responder_;
  std::optional<node::InterferenceMeter> meter_;
  std::optional<CampaignReport> report_;
};

// Best effort: an error here matters less than `error`.
void report(control::Connection& near, const Error& error) {
  try {
    near.send(remote::kFailure, error.what());
  } catch (const Error&) {
  }
}

}  // namespace

CampaignReport answer_campaign(std::span<const RailToSample> rails, const SamplingOptions& options,
                               Observer& observer) {
  NMT_CHECK(!rails.empty() && rails.front().peer != nullptr);
  try {
    if (options.offload) {
      const std::vector<Sample> samples =
          sample_offload(RealClock(), offload_budget_ns(options.budget_ns));
      if (!samples.empty()) observer.measured(cores_rail(), samples);
    }
    return Answerer(rails, options, observer).run();
  } catch (const Error& error) {
    if (error.fault() == Fault::kPeer) return {.peer_lost = error.what()};
    report(*rails.front().peer, error);
    throw;
  }
}

}  // namespace nmt::sampler
