// SPDX-License-Identifier: BSD-3-Clause
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/deadline.h"
#include "core/error.h"
#include "node/node.h"
#include "sampler/rail/partner.h"
#include "sampler/rail/peer_timeout.h"

namespace nmt::sampler {
namespace {

// One control message: its kind, and a block or the text of swap().
constexpr std::size_t kMessageBytesMax = 1 + std::max(kStepsMax * sizeof(Step), std::size_t{65536});

constexpr std::uint64_t kForEverNs = UINT64_MAX;

// Messages between the two processes. SOCK_SEQPACKET keeps their boundaries; if the peer is gone, a
// read ends at once.
class ControlSocket {
 public:
  explicit ControlSocket(int descriptor) : descriptor_(descriptor) {}
  ~ControlSocket() { ::close(descriptor_); }
  ControlSocket(const ControlSocket&) = delete;

  void send(std::string_view text) {
    NMT_CHECK(text.size() <= kMessageBytesMax);
    if (::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL) < 0) {
      throw Error(Fault::kPeer, "the peer process has ended");
    }
  }

  std::string receive(std::uint64_t timeout_ns) {
    pollfd ready{descriptor_, POLLIN, 0};
    const Deadline deadline(std::chrono::duration<std::uint64_t, std::nano>{timeout_ns});
    int count = 0;
    do {
      count = ::poll(&ready, 1, deadline.left_ms());
    } while ((count == 0 || (count < 0 && errno == EINTR)) && !deadline.passed());
    if (count <= 0) throw Error(Fault::kPeer, "the peer process does not answer");
    std::string text(kMessageBytesMax, '\0');
    const ssize_t size = ::recv(descriptor_, text.data(), text.size(), 0);
    if (size <= 0) throw Error(Fault::kPeer, "the peer process has ended");
    text.resize(static_cast<std::size_t>(size));
    return text;
  }

  bool has_message() const {  // also if the peer is gone: receive() will say so
    pollfd ready{descriptor_, POLLIN, 0};
    return ::poll(&ready, 1, 0) > 0;
  }

 private:
  int descriptor_;
};

class SocketExchange final : public drivers::Exchange {
 public:
  explicit SocketExchange(ControlSocket& socket) : socket_(socket) {}
  std::string swap(std::string_view mine) override {
    socket_.send(std::string("x") + std::string(mine));
    const std::string theirs = socket_.receive(kPeerTimeoutNs);
    if (theirs.front() != 'x') throw Error(Fault::kPeer, theirs.substr(1));
    return theirs.substr(1);
  }

 private:
  ControlSocket& socket_;
};

std::string steps_to_text(std::span<const Step> block) {
  return std::string("b") +
         std::string(reinterpret_cast<const char*>(block.data()), block.size_bytes());
}

std::vector<Step> steps_from_text(const std::string& text) {
  std::vector<Step> steps((text.size() - 1) / sizeof(Step));
  if (!steps.empty()) std::memcpy(steps.data(), text.data() + 1, steps.size() * sizeof(Step));
  return steps;
}

// The forked process: opens the far side, answers blocks, until the parent hangs up.
void serve(const RailGroup& group, std::span<const RailToSample> rails, const Buffers& buffers,
           const node::CorePair& cores, ControlSocket& socket) {
  node::pin_to(cores.far);
  SocketExchange exchange(socket);
  OpenRails opened = open_rails(group, rails, drivers::Side::kFar, exchange);
  socket.send("r");
  const node::InterferenceMeter meter(cores.far, cores.far);
  Responder responder(opened, buffers);
  for (;;) {
    const std::string order = socket.receive(kForEverNs);
    const node::Interference before = meter.read();
    responder.begin(steps_from_text(order));
    for (unsigned in_vain = 1; !responder.done(); ++in_vain) {
      if (responder.advance()) in_vain = 0;
      if (cores.near == cores.far && in_vain > 0) ::sched_yield();
      if (in_vain % kPollsPerCheck == 0 && socket.has_message()) return;  // it is a hang-up
    }
    const node::Interference disturbance = meter.read().since(before);
    socket.send(std::string("d") +
                std::string(reinterpret_cast<const char*>(&disturbance), sizeof disturbance));
  }
}

[[noreturn]] void run_child(const RailGroup& group, std::span<const RailToSample> rails,
                            const Buffers& buffers, const node::CorePair& cores,
                            ControlSocket& socket) {
  ::signal(SIGINT, SIG_IGN);  // the parent finishes its block first, then ends this process
  ::signal(SIGTERM, SIG_IGN);
  try {
    serve(group, rails, buffers, cores, socket);
  } catch (const std::exception& error) {
    try {
      socket.send(std::string("e") + error.what());
    } catch (const Error&) {
      // The parent is gone: there is no process to notify.
    }
  }
  ::_exit(0);
}

class ForkedPartner final : public Partner {
 public:
  ForkedPartner(const RailGroup& group, std::span<const RailToSample> rails, const Buffers& buffers,
                const node::CorePair& cores, const Clock& clock)
      : rail_(name_of(group, rails)), cores_(cores), clock_(clock) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
      throw system_error(Fault::kFailed, "socketpair(AF_UNIX, SOCK_SEQPACKET)", errno);
    }
    node::allow_cross_memory_attach();
    const pid_t parent = ::getpid();
    child_ = ::fork();
    if (child_ < 0) throw system_error(Fault::kFailed, "fork()", errno);
    if (child_ == 0) {
      ::close(ends[0]);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(0);
      ControlSocket socket(ends[1]);
      run_child(group, rails, buffers, cores, socket);
    }
    ::close(ends[1]);
    socket_ = std::make_unique<ControlSocket>(ends[0]);
    ::sched_getaffinity(0, sizeof affinity_, &affinity_);
    try {
      node::pin_to(cores.near);
      SocketExchange exchange(*socket_);
      rails_.emplace(open_rails(group, rails, drivers::Side::kNear, exchange));
      expect('r', kPeerTimeoutNs);
    } catch (...) {
      end();
      throw;
    }
  }

  ~ForkedPartner() override { end(); }

  OpenRails& rails() override { return *rails_; }
  const Clock& clock() const override { return clock_; }

  void begin(std::span<const Step> block) override {
    timeout_ns_ = exchange_timeout_ns(block);
    socket_->send(steps_to_text(block));
  }

  void idle(std::uint64_t polls_in_vain) override {
    if (cores_.near == cores_.far) ::sched_yield();
    if (polls_in_vain % kPollsPerCheck != 0) return;
    const std::uint64_t now_ns = clock_.now_ns();
    if (polls_in_vain == kPollsPerCheck) waiting_since_ns_ = now_ns;
    if (report_.empty() && socket_->has_message()) report_ = expect('d', kPeerTimeoutNs);
    if (now_ns - waiting_since_ns_ > timeout_ns_) {
      throw Error(Fault::kPeer, rail_ + ": the peer has not answered for " +
                                    std::to_string(timeout_ns_ / 1'000'000'000) +
                                    " s; check that other programs do not keep its core busy");
    }
  }

  node::Interference finish() override {
    const std::string text = report_.empty() ? expect('d', timeout_ns_) : std::move(report_);
    report_.clear();
    node::Interference disturbance;
    if (text.size() != 1 + sizeof disturbance)
      throw Error(Fault::kPeer, rail_ + ": malformed report from the peer");
    std::memcpy(&disturbance, text.data() + 1, sizeof disturbance);
    return disturbance;
  }

 private:
  std::string expect(char kind, std::uint64_t timeout_ns) {
    std::string text = socket_->receive(timeout_ns);
    if (text.front() != kind) report_failure(text);
    return text;
  }

  [[noreturn]] void report_failure(const std::string& text) const {
    throw Error(Fault::kPeer, rail_ + ": the peer reports: " + text.substr(1));
  }

  void end() {
    rails_.reset();
    socket_.reset();  // the child ends at the hang-up; a stuck one is killed
    ::kill(child_, SIGKILL);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    ::sched_setaffinity(0, sizeof affinity_, &affinity_);
  }

  std::string rail_;
  node::CorePair cores_;
  const Clock& clock_;
  pid_t child_ = -1;
  cpu_set_t affinity_{};
  std::unique_ptr<ControlSocket> socket_;
  std::optional<OpenRails> rails_;
  std::uint64_t timeout_ns_ = kPeerTimeoutNs;
  std::uint64_t waiting_since_ns_ = 0;
  std::string report_;  // of a far side that finished before this side had its last message
};

}  // namespace

std::unique_ptr<Partner> fork_partner(const RailGroup& group, std::span<const RailToSample> rails,
                                      const Buffers& buffers, const node::CorePair& cores,
                                      const Clock& clock) {
  return std::make_unique<ForkedPartner>(group, rails, buffers, cores, clock);
}

}  // namespace nmt::sampler
