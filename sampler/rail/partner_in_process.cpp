// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.h"
#include "sampler/rail/partner.h"

namespace nmt::sampler {
namespace {

class NoExchange final : public drivers::Exchange {
 public:
  std::string swap(std::string_view) override {
    throw Error(Fault::kFailed, "both sides of a rail in virtual time live in one process");
  }
};

class InProcessPartner final : public Partner {
 public:
  InProcessPartner(const RailGroup& group, std::span<const RailToSample> rails,
                   const Buffers& buffers)
      : clock_(*rails[group.measured].driver->virtual_clock()),
        near_(open_rails(group, rails, drivers::Side::kNear, exchange_)),
        far_(open_rails(group, rails, drivers::Side::kFar, exchange_)),
        responder_(far_, buffers) {}

  OpenRails& rails() override { return near_; }
  const Clock& clock() const override { return clock_; }

  void begin(std::span<const Step> block) override {
    responder_.begin(std::vector<Step>(block.begin(), block.end()));
  }

  // Time moves when every endpoint was polled without news, so this polls all of them.
  void idle(std::uint64_t) override {
    const std::uint64_t now_ns = clock_.now_ns();
    if (now_ns != last_ns_) idle_at_once_ = 0;
    last_ns_ = now_ns;
    NMT_CHECK(++idle_at_once_ < 1000);  // both sides wait for each other
    near_.busy.poll();
    far_.busy.poll();
    responder_.advance();
  }

  node::Interference finish() override {
    while (!responder_.done()) idle(1);
    return {};
  }

 private:
  NoExchange exchange_;
  const Clock& clock_;
  OpenRails near_;
  OpenRails far_;
  Responder responder_;
  std::uint64_t last_ns_ = 0;
  unsigned idle_at_once_ = 0;  // calls of idle() without any progress of time
};

}  // namespace

std::unique_ptr<Partner> in_process_partner(const RailGroup& group,
                                            std::span<const RailToSample> rails,
                                            const Buffers& buffers) {
  return std::make_unique<InProcessPartner>(group, rails, buffers);
}

}  // namespace nmt::sampler
