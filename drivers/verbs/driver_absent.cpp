// SPDX-License-Identifier: BSD-3-Clause
//
// The verbs driver of a build without libibverbs: no rails, and the reason.
#include "core/error.h"
#include "drivers/verbs/driver.h"

namespace nmt::drivers {
namespace {

class AbsentDriver final : public Driver {
 public:
  std::string_view name() const override { return "verbs"; }
  Detection detect() override {
    return {.rails = {},
            .refusals = {{"verbs", "this build has no InfiniBand verbs",
                          "install libibverbs-dev and build with NMADTUNE_WITH_VERBS"}}};
  }
  std::unique_ptr<Endpoint> open(const Rail& rail, Side, Exchange&) override {
    throw Error(Fault::kFailed, rail.full_name() +
                                    ": this build has no InfiniBand verbs; install libibverbs-dev "
                                    "and build nmadtune again");
  }
  std::vector<Method> methods(const Rail&) const override { return {}; }
};

}  // namespace

std::unique_ptr<Driver> make_verbs_driver() { return std::make_unique<AbsentDriver>(); }

}  // namespace nmt::drivers
