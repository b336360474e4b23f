// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/shm/driver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

#include "core/deadline.h"
#include "core/error.h"
#include "drivers/shm/endpoint.h"

namespace nmt::drivers {
namespace {

// A process that waits for a killed peer ends within five seconds, with everything else it has to
// do.
constexpr std::chrono::seconds kOpenTimeout{3};

// What each side sends the other: its process, and from the near side the address to connect to.
struct Introduction {
  pid_t process = 0;
  std::string address;

  std::string text() const { return fmt::format("{} {}", process, address); }

  static Introduction parse(std::string_view text) {
    Introduction introduction;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, introduction.process);
    if (error != std::errc() || introduction.process <= 0 || rest == end || *rest != ' ') {
      throw Error(
          Fault::kPeer,
          "shm: unexpected message from the peer; run the same version of nmadtune on both ends");
    }
    introduction.address = std::string(rest + 1, end);
    return introduction;
  }
};

class ShmDriver final : public Driver {
 public:
  std::string_view name() const override { return "shm"; }

  Detection detect() override {
    Detection detection;
    const std::optional<Refusal> refused = attach_refused();
    if (refused) detection.refusals.push_back(*refused);
    detection.rails.push_back({"shm",
                               "",
                               {{"cross_memory_attach", refused ? "no" : "yes"},
                                {"ring_cell_bytes", std::to_string(Ring::kCellBytes)},
                                {"ring_cells", std::to_string(Ring::kCells)}}});
    return detection;
  }

  std::vector<Method> methods(const Rail& rail) const override {
    std::vector<Method> offered = {Method::kCopy, Method::kIovec};
    const auto attach = rail.fingerprint.find("cross_memory_attach");
    if (attach != rail.fingerprint.end() && attach->second == "yes") {
      offered.push_back(Method::kRendezvous);
    }
    return offered;
  }

  std::unique_ptr<Endpoint> open(const Rail& rail, Side side, Exchange& exchange) override {
    node::allow_cross_memory_attach();
    return side == Side::kNear ? open_near(rail, exchange) : open_far(rail, exchange);
  }

 private:
  // The probe forks, so it runs once per driver.
  std::optional<Refusal> attach_refused() {
    if (!probed_) attach_refused_ = node::probe_cross_memory_attach("shm rendezvous");
    probed_ = true;
    return attach_refused_;
  }

  static std::unique_ptr<Endpoint> open_near(const Rail& rail, Exchange& exchange) {
    node::LocalListener listener;
    node::SharedSegment segment = node::SharedSegment::create(sizeof(ShmRings));
    const Introduction far =
        Introduction::parse(exchange.swap(Introduction{::getpid(), listener.address()}.text()));
    node::LocalSocket socket = listener.accept(far.process, Deadline(kOpenTimeout));
    segment.send(socket);
    return std::make_unique<ShmEndpoint>(rail.full_name(), Side::kNear, std::move(segment),
                                         std::move(socket), far.process);
  }

  static std::unique_ptr<Endpoint> open_far(const Rail& rail, Exchange& exchange) {
    const Introduction near =
        Introduction::parse(exchange.swap(Introduction{::getpid(), ""}.text()));
    const Deadline deadline(kOpenTimeout);
    node::LocalSocket socket = node::LocalSocket::connect(near.address, near.process, deadline);
    node::SharedSegment segment = node::SharedSegment::receive(socket, sizeof(ShmRings), deadline);
    return std::make_unique<ShmEndpoint>(rail.full_name(), Side::kFar, std::move(segment),
                                         std::move(socket), near.process);
  }

  bool probed_ = false;
  std::optional<Refusal> attach_refused_;
};

}  // namespace

std::unique_ptr<Driver> make_shm_driver() { return std::make_unique<ShmDriver>(); }

}  // namespace nmt::drivers
