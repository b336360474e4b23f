// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/multi_pair.h"

#include <sched.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.h"
#include "sampler/rail/partner.h"
#include "sampler/rail/ping_pong.h"
#include "sampler/rail/rail_time.h"
#include "sampler/rail/remote.h"

namespace nmt::sampler {
namespace {

using control::Connection;
using control::Message;

// Polls, because a rank that slept would start its repetitions later than the others.
Message receive_at_once(Connection& from) {
  const Deadline deadline(remote::kOrderTimeout);
  while (!from.has_message() && !deadline.passed()) ::sched_yield();
  return from.receive(remote::kAnswerTimeout);
}

std::uint64_t lost_ns(const node::Interference& interference) {
  return interference.run_delay_ns + interference.steal_ns;
}

class Companion {
 public:
  Companion(Connection& leader, const CompanionPair& pair, std::uint64_t size_bytes_max)
      : leader_(leader), pair_(pair), size_bytes_max_(size_bytes_max) {}

  void run() {
    for (;;) {
      const Message order = leader_.receive(remote::kOrderTimeout, remote::kTextBytesMax);
      switch (order.kind) {
        case remote::kOpen:
          or_tell([&] { open(order.text); });
          break;
        case remote::kBlock:
          or_tell([&] { measure(order.text); });
          break;
        case remote::kClose:
          close();
          break;
        case remote::kEnd:
          return pair_.end(order.text);
        default:
          remote::expect(order, remote::kEnd);
      }
    }
  }

 private:
  // Reports a failure to the leader, which then closes the rail.
  template <class Work>
  void or_tell(Work work) {
    try {
      work();
    } catch (const Error& error) {
      if (closing_) return close();
      leader_.send(remote::kFailure, error.what());
    }
  }

  void open(const std::string& rail) {
    benchmark_ = pair_.open(rail, [this] { line_up(); });
    leader_.send(remote::kReady, "");
  }

  void measure(const std::string& text) {
    if (!benchmark_) throw Error(Fault::kPeer, "a block before a rail was opened");
    const std::vector<Step> steps = remote::steps_from(text, size_bytes_max_);
    leader_.send(remote::kDone, remote::to_text(benchmark_->run(steps)));
  }

  void line_up() {
    leader_.send(remote::kLineUp, "");
    Message answer = receive_at_once(leader_);
    closing_ = answer.kind == remote::kClose;
    remote::expect(std::move(answer), remote::kLineUp);
  }

  void close() {
    closing_ = false;
    benchmark_.reset();
    pair_.close();
    leader_.send(remote::kClosed, "");
  }

  Connection& leader_;
  const CompanionPair& pair_;
  std::uint64_t size_bytes_max_;
  std::unique_ptr<Benchmark> benchmark_;
  bool closing_ = false;  // the leader gave up the rail while this rank waited to start
};

// One pair of ranks over a real rail, pinned while it lives.
class RealPair final : public Benchmark {
 public:
  RealPair(const RailGroup& group, std::span<const RailToSample> rails, RailTime& time,
           std::uint32_t ranks, std::function<void()> line_up)
      : partner_(remote_partner(group, rails, time.cores, time.clock, ranks)),
        ping_pong_(*partner_, time.buffers, &time.meter, std::move(line_up)) {}
  BlockResult run(std::span<const Step> block) override { return ping_pong_.run(block); }
  const Clock& clock() const override { return ping_pong_.clock(); }

 private:
  std::unique_ptr<Partner> partner_;
  PingPong ping_pong_;
};

}  // namespace

void open_companions(Companions companions, const std::string& rail) {
  for (Connection* each : companions) each->send(remote::kOpen, rail);
}

void line_up(Companions companions) {
  for (Connection* each : companions) remote::expect(receive_at_once(*each), remote::kLineUp);
  for (Connection* each : companions) each->send(remote::kLineUp, "");
}

void close_companions(Companions companions) {
  std::optional<Error> lost;
  for (Connection* each : companions) {
    try {
      close_remote_rail(*each);
    } catch (const Error& error) {
      lost.emplace(error);
    }
  }
  if (lost) throw Error(*lost);
}

MultiPair::MultiPair(Benchmark& own, Companions companions) : own_(own), companions_(companions) {
  for (Connection* each : companions_) {
    remote::expect(each->receive(remote::kCloseTimeout), remote::kReady);
  }
}

// Of the interference, that of the pair that lost most time: one disturbed rank disturbs all.
BlockResult MultiPair::run(std::span<const Step> block) {
  const std::uint64_t start_ns = clock().now_ns();
  const std::string text = remote::to_text(block);
  for (Connection* each : companions_) each->send(remote::kBlock, text);
  BlockResult all = own_.run(block);
  for (Connection* each : companions_) {
    const BlockResult one = remote::result_from(
        remote::expect(each->receive(remote::kOrderTimeout, remote::kTextBytesMax), remote::kDone),
        block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      all.totals_ns[i].insert(all.totals_ns[i].end(), one.totals_ns[i].begin(),
                              one.totals_ns[i].end());
    }
    if (lost_ns(one.interference) > lost_ns(all.interference)) all.interference = one.interference;
  }
  all.elapsed_ns = clock().now_ns() - start_ns;
  return all;
}

CompanionsEnd::CompanionsEnd(Companions companions)
    : companions_(companions), report_(remote::to_text(CampaignReport{})) {}

CompanionsEnd::~CompanionsEnd() {
  for (Connection* each : companions_) {
    try {
      each->send(remote::kEnd, report_);
    } catch (const Error&) {  // it is lost, and needs no end
    }
  }
}

void follow_leader(Connection& leader, const CompanionPair& pair, std::uint64_t size_bytes_max) {
  Companion(leader, pair, size_bytes_max).run();
}

void accompany_campaign(std::span<const RailToSample> rails, const SamplingOptions& options,
                        Connection& leader) {
  NMT_CHECK(!rails.empty() && rails.front().peer != nullptr);
  Connection& far = *rails.front().peer;
  RailTime time(options);
  const auto open = [&](const std::string& name, std::function<void()> line_up) {
    const auto named = std::ranges::find_if(
        rails, [&](const RailToSample& each) { return each.rail.full_name() == name; });
    if (named == rails.end()) {
      throw Error(Fault::kPeer, "another rank of this node cannot use " + json::printable(name) +
                                    "; nmad-sample --list says why");
    }
    const RailGroup group{.measured = static_cast<std::size_t>(named - rails.begin())};
    return std::make_unique<RealPair>(group, rails, time, options.ranks_per_node,
                                      std::move(line_up));
  };
  follow_leader(leader,
                {.open = open,
                 .close = [&] { close_remote_rail(far); },
                 .end = [&](const std::string& report) { far.send(remote::kEnd, report); }},
                largest_exchange_bytes(options));
}

}  // namespace nmt::sampler
