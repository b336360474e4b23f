// SPDX-License-Identifier: BSD-3-Clause
//
// Eager chunks that occupy a core while they are submitted: handed to another core exactly where
// equation 1 of the paper "multirail on multicore" says that it pays, and done when it says.
#include "tests/engine/programmed_io.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "node/node.h"
#include "tests/runtime/planted.h"

namespace nmt::engine {
namespace {

constexpr double kPaperHandingOverNs = 3000;  // paper "multirail on multicore", IV-B
constexpr double kModelError = 0.005;         // whole bytes, and the tables of a snapshot

// This core and that of a helper, in virtual time from the moment at which a message is sent. The
// helper begins when the chunk was handed over. Each core has a number of its own, so it does not
// matter when the kernel lets the helper run.
class TwoCores {
 public:
  explicit TwoCores(double handing_over_ns) : handing_over_ns_(handing_over_ns) {}

  void occupy(double duration_ns) {
    (std::this_thread::get_id() == own_ ? own_ns_ : helper_ns_) += duration_ns;
  }
  bool helped() const { return helper_ns_ > 0; }
  double end_ns() const { return std::max(own_ns_, helped() ? handing_over_ns_ + helper_ns_ : 0); }

 private:
  double handing_over_ns_;
  const std::thread::id own_ = std::this_thread::get_id();
  double own_ns_ = 0;
  double helper_ns_ = 0;
};

// What became of a message.
struct Submitted {
  double end_ns = 0;
  bool helped = false;
  std::vector<std::size_t> bytes;  // by rail
};

// Whatever the placement of the cores of this machine.
std::vector<OffloadCost> handing_over(double cost_ns) {
  std::vector<OffloadCost> costs;
  for (const char* placement :
       {"shared-cache", "same-package", "other-package", "hardware-threads"}) {
    costs.push_back({placement, cost_ns, cost_ns, cost_ns});
  }
  return costs;
}

// By engines that have sent nothing before. Their clock stands still, so no helper is ever late.
Submitted submit(const std::string& strategy, double handing_over_ns,
                 const std::vector<std::size_t>& segments_bytes) {
  const std::vector<ProgrammedIoRail> rails = published_rails();
  const planted::Profile profile(plan_of(rails, handing_over(handing_over_ns)));
  const VirtualClock clock;
  TwoCores cores(handing_over_ns);
  ProgrammedIoCouple couple(
      rails, {.strategy = strategy, .profile = profile.get(), .clock = &clock, .helpers_max = 1},
      [&cores](double duration_ns) { cores.occupy(duration_ns); });
  couple.transfer_ns(segments_bytes);
  return {cores.end_ns(), cores.helped(), {couple.bytes_sent(0), couple.bytes_sent(1)}};
}

// Equation 1 with a line for each rail: when a message has been submitted over both, in chunks that
// end together. This core begins with the chunk of `own` at once, another core with that of `other`
// after the handing over. Infinite if one of them would get nothing.
double together_ns(const ProgrammedIoRail& own, const ProgrammedIoRail& other,
                   double handing_over_ns, std::size_t size_bytes) {
  const double begins_ns = handing_over_ns + other.startup_ns;
  const double end_ns = (own.startup_ns * other.ns_per_byte + begins_ns * own.ns_per_byte +
                         own.ns_per_byte * other.ns_per_byte * static_cast<double>(size_bytes)) /
                        (own.ns_per_byte + other.ns_per_byte);
  return end_ns > begins_ns && end_ns > own.startup_ns ? end_ns : INFINITY;
}

bool has_another_core() { return node::allowed_cores().size() > 1; }

// Figure 4 (a).
TEST(ProgrammedIo, OfTwoChunksByOneCoreTakesAsLongAsBothTogether) {
  const std::vector<ProgrammedIoRail> rails = published_rails();
  const Submitted submitted = submit("greedy", kPaperHandingOverNs, {9000, 7000});
  EXPECT_FALSE(submitted.helped);
  EXPECT_EQ(submitted.bytes, (std::vector<std::size_t>{9000, 7000}));
  EXPECT_NEAR(submitted.end_ns, rails[0].submission_ns(9000) + rails[1].submission_ns(7000), 1);
}

// Figures 4 (b) and 4 (c).
TEST(ProgrammedIo, IsHandedToAnotherCoreExactlyWhereEquationOneSaysThatItPays) {
  if (!has_another_core()) GTEST_SKIP() << "there is one core only";
  const std::vector<ProgrammedIoRail> rails = published_rails();
  int whole = 0, shared = 0;
  for (const double handing_over_ns : {500.0, kPaperHandingOverNs, 20e3}) {
    for (std::size_t size_bytes = 512; size_bytes < 65536; size_bytes += size_bytes / 2) {
      const double alone_ns =
          std::min(rails[0].submission_ns(size_bytes), rails[1].submission_ns(size_bytes));
      const double both_ns = std::min(together_ns(rails[0], rails[1], handing_over_ns, size_bytes),
                                      together_ns(rails[1], rails[0], handing_over_ns, size_bytes));
      if (std::abs(both_ns - alone_ns) < kModelError * alone_ns) continue;  // too near to tell
      const bool pays = both_ns < alone_ns;
      ++(pays ? shared : whole);
      const Submitted submitted = submit("offload", handing_over_ns, {size_bytes});
      SCOPED_TRACE(std::to_string(size_bytes) + " B, handed over in " +
                   std::to_string(handing_over_ns) + " ns");
      EXPECT_EQ(submitted.helped, pays);
      EXPECT_EQ(submitted.bytes[0] > 0 && submitted.bytes[1] > 0, pays);
      EXPECT_EQ(submitted.bytes[0] + submitted.bytes[1], size_bytes);
      const double end_ns = std::min(alone_ns, both_ns);
      EXPECT_NEAR(submitted.end_ns, end_ns, kModelError * end_ns);
    }
  }
  EXPECT_GE(whole, 10);
  EXPECT_GE(shared, 10);
}

// Figure 9: up to 30 % by the paper's form, in which both cores begin after the handing over.
TEST(ProgrammedIo, OverThePapersRailsSavesAtLeastWhatThePaperEstimates) {
  if (!has_another_core()) GTEST_SKIP() << "there is one core only";
  const std::vector<ProgrammedIoRail> rails = published_rails();
  const double alone_ns = rails[0].submission_ns(32768);
  const double estimated_ns = kPaperHandingOverNs + together_ns(rails[0], rails[1], 0, 32768);
  EXPECT_NEAR(1 - estimated_ns / alone_ns, 0.3, 0.01);
  const double end_ns = submit("offload", kPaperHandingOverNs, {32768}).end_ns;
  EXPECT_LE(end_ns, estimated_ns);
  EXPECT_GE(end_ns, estimated_ns - kPaperHandingOverNs);
  EXPECT_FALSE(submit("offload", kPaperHandingOverNs, {2048}).helped);
}

}  // namespace
}  // namespace nmt::engine
