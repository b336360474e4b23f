// SPDX-License-Identifier: BSD-3-Clause
//
// What a rail's port counts of errors while it is measured.
#include <gtest/gtest.h>

#include "tests/sampler/described_rail.h"

namespace nmt::sampler {
namespace {

using Errors = std::map<std::string, std::uint64_t>;

// A described rail whose port counts as planned: before and after it is measured.
class CountingDriver final : public drivers::Driver {
 public:
  CountingDriver(Errors before, Errors after)
      : rail_(described(crossing_rail())), counts_{std::move(before), std::move(after)} {}

  std::string_view name() const override { return rail_->name(); }
  drivers::Detection detect() override { return rail_->detect(); }
  std::unique_ptr<drivers::Endpoint> open(const Rail& rail, drivers::Side side,
                                          drivers::Exchange& exchange) override {
    return rail_->open(rail, side, exchange);
  }
  std::vector<Method> methods(const Rail& rail) const override { return rail_->methods(rail); }
  Clock* virtual_clock() override { return rail_->virtual_clock(); }
  Errors link_errors(const Rail&) override { return counts_[asked_++ == 0 ? 0 : 1]; }

 private:
  std::unique_ptr<drivers::Driver> rail_;
  Errors counts_[2];
  int asked_ = 0;
};

RailReport report_of(Errors before, Errors after) {
  CountingDriver driver(std::move(before), std::move(after));
  SampleCollector recorder;
  return sample(driver, {.budget_ns = 2e9}, recorder).rails.at(0);
}

TEST(LinkErrors, OfTheTimeOfMeasuringAreInTheReportOfTheRail) {
  const RailReport report = report_of({{"symbol_error", 5}}, {{"symbol_error", 17}});
  EXPECT_EQ(report.link_errors, (Errors{{"symbol_error", 12}}));
  EXPECT_TRUE(report.has_link_errors());
}

TEST(LinkErrors, ThatDidNotRiseAreNone) {
  const RailReport report = report_of({{"symbol_error", 5}}, {{"symbol_error", 5}});
  EXPECT_EQ(report.link_errors, Errors());
  EXPECT_FALSE(report.has_link_errors());
}

TEST(LinkErrors, OfAFewRetransmitsAreNoReasonToWarn) {
  RailReport report{.repetitions = 1000, .link_errors = {{"tcp_retransmits", 3}}};
  EXPECT_FALSE(report.has_link_errors());
  report.link_errors["tcp_retransmits"] = 300;
  EXPECT_TRUE(report.has_link_errors());
}

}  // namespace
}  // namespace nmt::sampler
