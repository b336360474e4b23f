// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/fake/driver.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <random>
#include <utility>

#include "core/error.h"
#include "core/id.h"
#include "drivers/fake/description.h"

namespace nmt::drivers {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Random factors of one rail in one launch. All rails of a launch share the session's factor; the
// repetitions of different rails are independent streams.
class Noise {
 public:
  Noise(const FakeRail& rail, std::uint64_t file_seed, std::uint64_t launch_seed)
      : noise_(rail.noise), random_(stream(file_seed, launch_seed, rail.name)) {
    std::mt19937_64 launch = stream(file_seed, launch_seed, "");
    session_ = 1 + noise_.session_drift * std::uniform_real_distribution<>(-1, 1)(launch);
    const double sigma = std::sqrt(std::log1p(noise_.cv * noise_.cv));
    spread_ = std::lognormal_distribution<>(0, sigma);
  }

  double session() const { return session_; }

  double draw() {
    double factor = session_;
    if (noise_.cv > 0) factor *= spread_(random_);
    if (noise_.outlier_rate > 0 && std::bernoulli_distribution(noise_.outlier_rate)(random_)) {
      factor *= noise_.outlier_factor;
    }
    return factor;
  }

 private:
  static std::mt19937_64 stream(std::uint64_t file_seed, std::uint64_t launch_seed,
                                std::string_view name) {
    const std::uint64_t mixed = Digest().add(file_seed).add(launch_seed).add(name).value();
    std::seed_seq sequence{static_cast<std::uint32_t>(mixed),
                           static_cast<std::uint32_t>(mixed >> 32)};
    return std::mt19937_64(sequence);
  }

  FakeNoise noise_;
  std::mt19937_64 random_;
  double session_ = 1;
  std::lognormal_distribution<> spread_;
};

// A message on the wire. The sender holds it until it is counted as sent, the receiver until it is
// delivered.
struct Message {
  Method method = Method::kCopy;
  std::vector<std::byte> headers;
  std::vector<ConstBytes> bodies;
  std::size_t size_bytes = 0;
  double start_ns = 0;
  double arrival_ns = kNever;  // of a rendezvous: known when its receive is posted
  bool taken = false;          // delivered; the sender owns its bodies again
};
using SharedMessage = std::shared_ptr<Message>;

// One direction of a rail: messages not yet delivered, and the last message sent.
struct Direction {
  std::deque<SharedMessage> waiting;
  SharedMessage last;
};

// What the two endpoints of a rail share. Index 0 is the near side, or the direction from it.
struct Wire {
  Wire(const FakeRail& described, Noise launch_noise)
      : rail(&described), noise(std::move(launch_noise)) {}

  const FakeRail* rail;
  Noise noise;
  double factor = 1;  // of the current repetition
  Direction directions[2];
  bool joined[2] = {false, false};
  bool left[2] = {false, false};

  bool quiet(double now_ns) const {
    for (const Direction& direction : directions) {
      if (!direction.waiting.empty()) return false;
      if (direction.last && direction.last->arrival_ns > now_ns) return false;
    }
    return true;
  }
};

class FakeEndpoint;

// The time of all rails of one driver. It moves to the next event when every endpoint was polled
// without news.
class World {
 public:
  double now_ns() const { return now_ns_; }
  VirtualClock& clock() { return clock_; }
  void join(FakeEndpoint* endpoint) { endpoints_.push_back(endpoint); }
  void leave(FakeEndpoint* endpoint) { std::erase(endpoints_, endpoint); }
  void changed();  // something happened: every endpoint may have work again
  void polled_in_vain(FakeEndpoint* endpoint);
  bool shares_its_bus(const Wire& wire) const;  // with another rail that carries a message now
  void move_to(double time_ns) {
    now_ns_ = std::max(now_ns_, time_ns);
    clock_.advance_to(static_cast<std::uint64_t>(std::llround(now_ns_)));
  }

 private:
  VirtualClock clock_;
  double now_ns_ = 0;
  std::vector<FakeEndpoint*> endpoints_;
};

class FakeEndpoint final : public Endpoint {
 public:
  FakeEndpoint(World& world, std::shared_ptr<Wire> wire, Side side)
      : world_(world),
        wire_(std::move(wire)),
        mine_(side == Side::kNear ? 0 : 1),
        out_(wire_->directions[mine_]),
        in_(wire_->directions[1 - mine_]) {
    wire_->joined[mine_] = true;
    world_.join(this);
    world_.changed();
  }

  ~FakeEndpoint() override {
    wire_->left[mine_] = true;
    out_.waiting.clear();  // their bodies may disappear with the sender
    world_.leave(this);
    world_.changed();
  }

  void send(Method method, std::span<const Packet> packets) override {
    NMT_CHECK(!packets.empty() && packets.size() <= kPacketsMax);
    NMT_CHECK(uncounted_.size() < kSendsInFlightMax);
    if (mine_ == 0 && wire_->quiet(world_.now_ns())) wire_->factor = wire_->noise.draw();
    auto message = std::make_shared<Message>();
    message->method = method;
    for (const Packet& packet : packets) {
      message->headers.insert(message->headers.end(), packet.header.begin(), packet.header.end());
      message->bodies.push_back(packet.body);
      message->size_bytes += packet.body.size();
    }
    const bool behind = out_.last && out_.last->arrival_ns > world_.now_ns();
    message->start_ns =
        behind && out_.last->arrival_ns != kNever ? out_.last->arrival_ns : world_.now_ns();
    if (method != Method::kRendezvous) {
      message->arrival_ns = message->start_ns + duration_ns(*message, behind);
    }
    out_.last = message;
    out_.waiting.push_back(message);
    uncounted_.push_back(std::move(message));
    world_.changed();
  }

  void receive(Bytes headers, Bytes bodies, Delivery delivery) override {
    NMT_CHECK(!posted_);
    posted_ = Posted{headers, {bodies}, delivery};
    world_.changed();
  }

  void listen(Bytes headers) override {
    NMT_CHECK(!posted_);
    posted_ = Posted{headers, {}, Delivery::kExpected, Posted::Stage::kListening};
    world_.changed();
  }

  void accept(std::span<const Bytes> bodies) override {
    NMT_CHECK(posted_ && posted_->stage == Posted::Stage::kAnnounced);
    posted_->bodies.assign(bodies.begin(), bodies.end());
    posted_->stage = Posted::Stage::kPlaced;
    world_.changed();
  }

  Progress poll() override {
    Progress progress;
    while (!uncounted_.empty() && uncounted_.front()->taken) {
      uncounted_.pop_front();
      ++progress.sent;
    }
    const bool due = next_event_ns() <= world_.now_ns();
    if (due && posted_->stage == Posted::Stage::kListening) {
      announce(progress);
    } else if (due) {
      const SharedMessage message = std::move(in_.waiting.front());
      in_.waiting.pop_front();
      message->taken = true;
      deliver(*message);
      progress.received = true;
      progress.received_bytes = message->size_bytes;
    }
    if (progress.sent > 0 || progress.received || progress.announced) {
      world_.changed();
    } else if (wire_->left[1 - mine_] && in_.waiting.empty()) {
      throw Error(Fault::kPeer, place() + ": the peer closed the connection");
    } else {
      world_.polled_in_vain(this);
    }
    return progress;
  }

  void copy(Bytes to, ConstBytes from) override {
    NMT_CHECK(to.size() == from.size());
    move_bytes(to.data(), from);
    if (!wire_->rail->memcpy) return;
    const double base_ns = wire_->rail->memcpy->at(static_cast<double>(to.size()));
    world_.move_to(world_.now_ns() + base_ns * wire_->noise.draw());
  }

  std::size_t size_bytes_max(Method) const override { return std::size_t{1} << 40; }

  // When the first message is announced or received; never if it is announced and not yet accepted.
  double next_event_ns() {
    if (!posted_ || in_.waiting.empty() || posted_->stage == Posted::Stage::kAnnounced) {
      return kNever;
    }
    const Message& message = *in_.waiting.front();
    const bool asks = posted_->stage == Posted::Stage::kListening;
    if (asks && message.arrival_ns == kNever) return message.start_ns;
    return receive_done_ns();
  }

  const Wire& wire() const { return *wire_; }

  bool idle = false;  // polled without news since the last change

 private:
  struct Posted {
    enum class Stage { kPlaced, kListening, kAnnounced };
    Bytes headers;
    std::vector<Bytes> bodies;
    Delivery delivery = Delivery::kExpected;
    Stage stage = Stage::kPlaced;
    double done_ns = kNever;  // set when the first message is known
  };

  std::string place() const { return "fake:" + wire_->rail->name; }

  double duration_ns(const Message& message, bool behind) const {
    const FakeRail& rail = *wire_->rail;
    const double size_bytes = static_cast<double>(message.size_bytes);
    const double packets = static_cast<double>(message.bodies.size());
    const bool is_changed =
        message.start_ns >= rail.change_from_ns && message.start_ns < rail.change_to_ns;
    const double changed = is_changed ? rail.change_factor : 1;
    const double factor =
        changed * wire_->factor * (world_.shares_its_bus(*wire_) ? rail.slowdown : 1);
    if (packets > 1) return factor * rail.aggregate_ns(message.method, packets, size_bytes);
    return factor * (behind ? rail.second_packet_ns(message.method, size_bytes)
                            : rail.transfer_ns(message.method, size_bytes));
  }

  // When the posted receive of the first message completes. A rendezvous starts when its receive is
  // posted. An unexpected message is copied once more after it has arrived.
  double receive_done_ns() {
    Message& message = *in_.waiting.front();
    if (message.arrival_ns == kNever) {
      message.arrival_ns =
          std::max(message.start_ns, world_.now_ns()) + duration_ns(message, false);
    }
    if (posted_->done_ns == kNever) {
      const bool copies =
          posted_->delivery == Delivery::kUnexpected && message.method != Method::kRendezvous;
      const double size_bytes = static_cast<double>(message.size_bytes);
      const double copy_ns = copies ? wire_->rail->unexpected_copy_ns(size_bytes) : 0;
      posted_->done_ns = message.arrival_ns + wire_->factor * copy_ns;
    }
    return posted_->done_ns;
  }

  void announce(Progress& progress) {
    const Message& message = *in_.waiting.front();
    posted_->stage = Posted::Stage::kAnnounced;
    check_room(message, message.size_bytes);
    std::copy(message.headers.begin(), message.headers.end(), posted_->headers.begin());
    progress.announced = true;
    progress.header_bytes = message.headers.size();
    progress.body_bytes = message.size_bytes;
  }

  void check_room(const Message& message, std::size_t room_bytes) const {
    if (message.size_bytes <= room_bytes && message.headers.size() <= posted_->headers.size()) {
      return;
    }
    throw Error(Fault::kFailed, place() + ": received a message of " +
                                    std::to_string(message.size_bytes) +
                                    " bytes into a buffer of " + std::to_string(room_bytes));
  }

  void deliver(const Message& message) {
    std::size_t room_bytes = 0;
    for (const Bytes place : posted_->bodies) room_bytes += place.size();
    check_room(message, room_bytes);
    const Posted posted = *std::exchange(posted_, std::nullopt);
    std::copy(message.headers.begin(), message.headers.end(), posted.headers.begin());
    auto place = posted.bodies.begin();
    std::size_t filled_bytes = 0;  // of the current place
    for (ConstBytes body : message.bodies) {
      while (!body.empty()) {
        const Bytes room = place->subspan(filled_bytes);
        const ConstBytes part = body.first(std::min(room.size(), body.size()));
        move_bytes(room.data(), part);
        body = body.subspan(part.size());
        filled_bytes += part.size();
        if (filled_bytes == place->size()) ++place, filled_bytes = 0;
      }
    }
  }

  // Both sides may use the same buffer (a simulated ping-pong needs only one).
  static void move_bytes(std::byte* to, ConstBytes from) {
    if (to != from.data() && !from.empty()) std::memmove(to, from.data(), from.size());
  }

  World& world_;
  std::shared_ptr<Wire> wire_;
  int mine_;
  Direction& out_;
  Direction& in_;
  std::deque<SharedMessage> uncounted_;  // sent, not yet reported by poll()
  std::optional<Posted> posted_;
};

void World::changed() {
  for (FakeEndpoint* endpoint : endpoints_) endpoint->idle = false;
}

bool World::shares_its_bus(const Wire& wire) const {
  return std::ranges::any_of(endpoints_, [&](const FakeEndpoint* each) {
    const Wire& other = each->wire();
    return &other != &wire && !wire.rail->bus.empty() && other.rail->bus == wire.rail->bus &&
           !other.quiet(now_ns_);
  });
}

void World::polled_in_vain(FakeEndpoint* endpoint) {
  endpoint->idle = true;
  double next_ns = kNever;
  for (FakeEndpoint* each : endpoints_) {
    if (!each->idle) return;
    next_ns = std::min(next_ns, each->next_event_ns());
  }
  if (next_ns == kNever) return;
  move_to(next_ns);
  changed();
}

class FakeDriver final : public Driver {
 public:
  FakeDriver(FakeDescription description, std::uint64_t launch_seed)
      : description_(std::move(description)), launch_seed_(launch_seed) {}

  std::string_view name() const override { return "fake"; }

  Detection detect() override {
    Detection detection;
    for (const FakeRail& rail : description_.rails) {
      detection.rails.push_back({"fake", rail.name, {{"description", digest(rail)}}});
    }
    return detection;
  }

  std::vector<Method> methods(const Rail& rail) const override {
    std::vector<Method> offered;
    for (const Method method : kMethods) {
      if (find(rail.name).offers(method)) offered.push_back(method);
    }
    return offered;
  }

  // The first side to open makes the wire; the second side joins it.
  std::unique_ptr<Endpoint> open(const Rail& rail, Side side, Exchange&) override {
    const FakeRail& described = find(rail.name);
    const int mine = side == Side::kNear ? 0 : 1;
    std::shared_ptr<Wire> wire;
    for (const std::shared_ptr<Wire>& half : half_open_) {
      if (half->rail == &described && !half->joined[mine]) wire = half;
    }
    if (wire) {
      std::erase(half_open_, wire);
    } else {
      wire = std::make_shared<Wire>(described, Noise(described, description_.seed, launch_seed_));
      half_open_.push_back(wire);
    }
    return std::make_unique<FakeEndpoint>(world_, wire, side);
  }

  Clock* virtual_clock() override { return &world_.clock(); }

 private:
  static std::string digest(const FakeRail& rail) {
    Digest digest;
    if (!rail.bus.empty()) digest.add(rail.bus).add(std::bit_cast<std::uint64_t>(rail.slowdown));
    if (rail.change_factor != 1) {
      digest.add(std::bit_cast<std::uint64_t>(rail.change_from_ns))
          .add(std::bit_cast<std::uint64_t>(rail.change_to_ns))
          .add(std::bit_cast<std::uint64_t>(rail.change_factor));
    }
    for (const auto* curve : {&rail.copy, &rail.iovec, &rail.rendezvous, &rail.memcpy, &rail.eager,
                              &rail.two_packets, &rail.aggregate}) {
      digest.add(curve->has_value() ? (*curve)->points().size() : 0);
      if (!curve->has_value()) continue;
      for (const Point& point : (*curve)->points()) {
        digest.add(std::bit_cast<std::uint64_t>(point.size_bytes));
        digest.add(std::bit_cast<std::uint64_t>(point.duration_ns));
      }
    }
    return digest.hex();
  }

  const FakeRail& find(const std::string& name) const {
    for (const FakeRail& rail : description_.rails) {
      if (rail.name == name) return rail;
    }
    throw Error(Fault::kUsage, "fake:" + name + ": the file describes no rail of this name");
  }

  FakeDescription description_;
  std::uint64_t launch_seed_;
  World world_;
  std::vector<std::shared_ptr<Wire>> half_open_;
};

}  // namespace

std::unique_ptr<Driver> make_fake_driver(const std::string& file, std::uint64_t seed) {
  const json::Value document = json::parse_file(file);
  return std::make_unique<FakeDriver>(fake_description_from_json(json::Reader(document, file)),
                                      seed);
}

}  // namespace nmt::drivers
