// SPDX-License-Identifier: BSD-3-Clause
//
// wire RAIL latency|bandwidth METHOD VARIANT SIZE COUNT: what the driver alone makes of a rail, to
// be held against perftest's ib_send_lat and ib_write_bw. Between two processes, as those are.
// Prints microseconds (the median of half round trips, ten at a time) or MB/s (decimal).
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/error.h"
#include "drivers/drivers.h"
#include "node/node.h"

namespace nmt::bench {
namespace {

using Clock = std::chrono::steady_clock;

class SocketExchange final : public drivers::Exchange {
 public:
  explicit SocketExchange(int socket) : socket_(socket) {}
  std::string swap(std::string_view mine) override {
    std::string theirs(65536, '\0');
    NMT_CHECK(::send(socket_, mine.data(), mine.size(), 0) == static_cast<ssize_t>(mine.size()));
    const ssize_t size = ::recv(socket_, theirs.data(), theirs.size(), 0);
    if (size <= 0) throw Error(Fault::kPeer, "the other process has gone");
    theirs.resize(static_cast<std::size_t>(size));
    return theirs;
  }

 private:
  int socket_;
};

struct Work {
  std::string rail;
  Method method = Method::kCopy;
  std::string variant;
  std::size_t size_bytes = 0;
  unsigned count = 0;
};

std::unique_ptr<drivers::Endpoint> open(drivers::Driver& driver, const Work& work,
                                        drivers::Side side, int socket) {
  SocketExchange exchange(socket);
  for (const Rail& rail : driver.detect().rails) {
    if (rail.full_name() != work.rail) continue;
    auto endpoint = driver.open(rail, side, exchange);
    const auto variants = driver.variants(rail, work.method);
    const auto found = std::ranges::find(variants, work.variant);
    if (found != variants.end()) {
      endpoint->use(work.method, static_cast<unsigned>(found - variants.begin()));
    }
    return endpoint;
  }
  throw Error(Fault::kNoRail, work.rail + ": no such rail");
}

// Counts what one end has sent and received, always with as many receives posted as it takes.
class End {
 public:
  End(drivers::Endpoint& endpoint, const Work& work)
      : endpoint_(endpoint), work_(work), source_(work.size_bytes), target_(work.size_bytes) {
    for (std::size_t i = 0; i < endpoint_.receives_max(); ++i) post();
  }
  void send() {
    const drivers::Packet packet{{}, source_};
    endpoint_.send(work_.method, {&packet, 1});
    ++started_;
  }
  void poll() {
    const drivers::Endpoint::Progress progress = endpoint_.poll();
    sent_ += progress.sent;
    if (!progress.received) return;
    ++received_;
    post();
  }
  // Polls; where nothing comes for long, it sleeps, as the engine does: on few cores the kernel's
  // own share of the work needs one.
  void advance() {
    const unsigned before = sent_ + received_;
    poll();
    if (sent_ + received_ != before) {
      in_vain_ = 0;
    } else {
      waiting_.rest(++in_vain_,
                    [this](std::vector<pollfd>& watched) { return endpoint_.watch(watched); });
    }
  }
  unsigned started() const { return started_; }
  unsigned sent() const { return sent_; }
  unsigned received() const { return received_; }

 private:
  void post() { endpoint_.receive({}, target_, drivers::Delivery::kExpected); }
  drivers::Endpoint& endpoint_;
  const Work& work_;
  std::vector<std::byte> source_, target_;
  unsigned started_ = 0, sent_ = 0, received_ = 0;
  drivers::Waiting waiting_;
  std::uint64_t in_vain_ = 0;
};

void answer(End& end, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    while (end.received() <= i) end.poll();
    end.send();
  }
  while (end.sent() < count) end.poll();
}

// In a guest the clock is a system call of a microsecond (its source is the HPET), where perftest
// reads the processor's counter; so it is looked at once in several round trips.
double latency_us(End& end, unsigned count) {
  constexpr unsigned kRoundTripsPerLook = 10;
  std::vector<double> halves;
  auto start = Clock::now();
  for (unsigned i = 0; i < count; ++i) {
    end.send();
    while (end.received() <= i) end.poll();
    if ((i + 1) % kRoundTripsPerLook != 0) continue;
    const auto now = Clock::now();
    const std::chrono::duration<double, std::micro> elapsed = now - start;
    halves.push_back(elapsed.count() / 2 / kRoundTripsPerLook);
    start = now;
  }
  std::ranges::nth_element(halves, halves.begin() + halves.size() / 2);
  return halves[halves.size() / 2];
}

double bandwidth_mb_per_s(End& end, const Work& work) {
  const auto start = Clock::now();
  while (end.sent() < work.count) {
    while (end.started() < work.count && end.started() - end.sent() < drivers::kSendsInFlightMax)
      end.send();
    end.advance();
  }
  while (end.received() == 0) end.advance();  // the other end has them all
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  return static_cast<double>(work.size_bytes) * work.count / elapsed.count() / 1e6;
}

void take_all(End& end, unsigned count) {
  while (end.received() < count) end.advance();
  end.send();
  while (end.sent() == 0) end.advance();
}

int run(const Work& work, bool latency) {
  int sockets[2];
  NMT_CHECK(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0);
  const pid_t child = ::fork();
  const bool near = child != 0;
  const node::CorePair cores = node::nearest_cores();
  node::pin_to(near ? cores.near : cores.far);
  for (const std::unique_ptr<drivers::Driver>& driver : drivers::make_drivers()) {
    if (!work.rail.starts_with(driver->name())) continue;
    const auto endpoint =
        open(*driver, work, near ? drivers::Side::kNear : drivers::Side::kFar, sockets[near]);
    End end(*endpoint, work);
    if (!near) {
      latency ? answer(end, work.count) : take_all(end, work.count);
    } else {
      std::printf("%.3f\n", latency ? latency_us(end, work.count) : bandwidth_mb_per_s(end, work));
    }
  }
  if (!near) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return 0;
}

}  // namespace
}  // namespace nmt::bench

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "wire RAIL latency|bandwidth METHOD VARIANT SIZE COUNT\n");
    return 2;
  }
  try {
    return nmt::bench::run({.rail = argv[1],
                            .method = nmt::parse_method(argv[3]).value(),
                            .variant = argv[4],
                            .size_bytes = std::stoul(argv[5]),
                            .count = static_cast<unsigned>(std::stoul(argv[6]))},
                           std::string(argv[2]) == "latency");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wire: %s\n", error.what());
    return 1;
  }
}
