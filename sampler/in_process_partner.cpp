// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.h"
#include "sampler/partner.h"

namespace nmt {
namespace {

class NoExchange final : public Exchange {
 public:
  std::string swap(std::string_view) override {
    throw Error(Fault::kFailed, "both sides of a rail in virtual time live in one process");
  }
};

class InProcessPartner final : public Partner {
 public:
  InProcessPartner(Driver& driver, const Rail& rail, const Buffers& buffers)
      : clock_(*driver.virtual_clock()),
        near_(driver.open(rail, Side::kNear, exchange_)),
        far_(driver.open(rail, Side::kFar, exchange_)),
        responder_(*far_, buffers) {}

  Endpoint& endpoint() override { return *near_; }
  const Clock& clock() const override { return clock_; }

  void begin(std::span<const Step> block) override {
    responder_.begin(std::vector<Step>(block.begin(), block.end()));
  }

  void idle(std::uint64_t polls_in_vain) override {
    NMT_CHECK(polls_in_vain < 1000);  // both sides wait for each other
    responder_.advance();
  }

  Interference finish() override {
    for (std::uint64_t polls = 0; !responder_.done(); ++polls) idle(polls);
    return {};
  }

 private:
  NoExchange exchange_;
  const Clock& clock_;
  std::unique_ptr<Endpoint> near_;
  std::unique_ptr<Endpoint> far_;
  Responder responder_;
};

}  // namespace

std::unique_ptr<Partner> in_process_partner(Driver& driver, const Rail& rail,
                                            const Buffers& buffers) {
  return std::make_unique<InProcessPartner>(driver, rail, buffers);
}

}  // namespace nmt
