// SPDX-License-Identifier: BSD-3-Clause
//
// Rails that carry a rendezvous out in several ways: the one that the profile predicts to be
// fastest for the size is used.
#include <gtest/gtest.h>

#include "core/method.h"
#include "tests/engine/memory_link.h"
#include "tests/engine/traffic.h"
#include "tests/runtime/planted.h"

namespace nmt::engine {
namespace {

constexpr std::size_t kReadFaster = 256 << 10;
constexpr std::size_t kWriteFaster = 8 << 20;

struct Sent {
  std::size_t size_bytes = 0;
  unsigned variant = 0;
};

// Notes by which variant each rendezvous was sent.
class Noting final : public drivers::Endpoint {
 public:
  Noting(std::unique_ptr<drivers::Endpoint> real, std::vector<Sent>& noted)
      : real_(std::move(real)), noted_(noted) {}
  void send(Method method, std::span<const drivers::Packet> packets) override {
    Sent sent{.variant = variant_};
    for (const drivers::Packet& packet : packets) sent.size_bytes += packet.body.size();
    if (method == Method::kRendezvous) noted_.push_back(sent);
    real_->send(method, packets);
  }
  void use(Method, unsigned variant) override { variant_ = variant; }
  void receive(drivers::Bytes headers, drivers::Bytes bodies, drivers::Delivery delivery) override {
    real_->receive(headers, bodies, delivery);
  }
  void listen(drivers::Bytes headers) override { real_->listen(headers); }
  void accept(std::span<const drivers::Bytes> bodies) override { real_->accept(bodies); }
  Progress poll() override { return real_->poll(); }
  void copy(drivers::Bytes to, drivers::ConstBytes from) override { real_->copy(to, from); }
  std::size_t size_bytes_max(Method method) const override { return real_->size_bytes_max(method); }

 private:
  std::unique_ptr<drivers::Endpoint> real_;
  std::vector<Sent>& noted_;
  unsigned variant_ = 0;
};

// Copies are slow; reading wins up to 1 MiB, writing above.
planted::Profile profile_of_variants() {
  PlanCurve read = planted::curve(benchmark::kTransfer, "rendezvous",
                                  {{1, 10e3}, {1 << 20, 1e6}, {16 << 20, 30e6}});
  read.variant = "rdma_read";
  PlanCurve write = planted::curve(benchmark::kTransfer, "rendezvous",
                                   {{1, 50e3}, {1 << 20, 1e6}, {16 << 20, 16e6}});
  write.variant = "rdma_write";
  return planted::Profile(planted::plan({planted::rail(
      "memory:0",
      {planted::curve(benchmark::kTransfer, "copy", {{1, 5e3}, {16 << 20, 90e6}}), read, write},
      {planted::threshold(DecisionKind::kRendezvous, {4096})})}));
}

std::vector<Sent> variants_used(nmt_profile* profile, std::vector<std::string_view> offered) {
  std::vector<Sent> noted, other;
  Engine near({.profile = profile}), far({});
  const auto wire = std::make_shared<MemoryWire>(1);
  const std::vector<Method> methods(kMethods.begin(), kMethods.end());
  std::vector<LinkDescription> sides[2];
  sides[0].push_back({std::make_unique<Noting>(std::make_unique<MemoryEndpoint>(wire, 0), noted),
                      "memory:0", methods, offered});
  sides[1].push_back({std::make_unique<Noting>(std::make_unique<MemoryEndpoint>(wire, 1), other),
                      "memory:0", methods, offered});
  near.add_gate("far", std::move(sides[0]));
  far.add_gate("near", std::move(sides[1]));
  for (const std::size_t size_bytes : {kReadFaster, kWriteFaster, kReadFaster}) {
    const std::vector<std::byte> from(size_bytes, std::byte{0x5a});
    std::vector<std::byte> to(size_bytes);
    const drivers::ConstBytes what[] = {from};
    const drivers::Bytes where[] = {to};
    const Engine::Request send = near.isend(0, 1, what), receive = far.irecv(0, 1, where);
    bool sent = false, received = false;
    EXPECT_TRUE(turn_until(near, far, [&] {
      sent = sent || near.test(send).has_value();
      received = received || far.test(receive).has_value();
      return sent && received;
    }));
    EXPECT_EQ(from, to);
  }
  return noted;
}

TEST(Variants, OfARendezvousAreChosenBySize) {
  const planted::Profile profile = profile_of_variants();
  std::size_t read = 0, written = 0;
  for (const Sent& sent : variants_used(profile.get(), {"rdma_read", "rdma_write"})) {
    EXPECT_EQ(sent.variant, sent.size_bytes > std::size_t{1} << 20 ? 1u : 0u) << sent.size_bytes;
    ++(sent.variant == 0 ? read : written);
  }
  EXPECT_GE(read, 2u);
  EXPECT_GE(written, 1u);
}

TEST(Variants, StayTheDefaultWithoutAdvice) {
  for (const Sent& sent : variants_used(nullptr, {"rdma_read", "rdma_write"})) {
    EXPECT_EQ(sent.variant, 0u);
  }
}

TEST(Variants, ThatTheRailDoesNotHaveAreNotAskedFor) {
  const planted::Profile profile = profile_of_variants();
  for (const Sent& sent : variants_used(profile.get(), {"other"})) EXPECT_EQ(sent.variant, 0u);
}

}  // namespace
}  // namespace nmt::engine
