// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <optional>

#include "core/error.h"

namespace nmt::engine {
namespace {

constexpr std::size_t kAhead = 24;  // receives are posted up to this much out of order
constexpr std::size_t kInFlightMax = 40;
constexpr std::size_t kRoundsInVain = 10000;  // at least, or this process did not run

// Random bytes; each seed has its own place in them, from which the content of a message is taken.
constexpr std::size_t kSeeds = 1 << 20;
constexpr std::size_t kContentBytesMax = 1 << 20;

const std::byte* content_of(std::uint64_t seed, std::size_t size_bytes) {
  static const std::vector<std::uint64_t> words = [] {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> all((kSeeds + kContentBytesMax) / sizeof(std::uint64_t));
    std::ranges::generate(all, random);
    return all;
  }();
  NMT_CHECK(size_bytes <= kContentBytesMax);
  return std::as_bytes(std::span(words)).data() + seed % kSeeds;
}

// In one call: a loop over bytes takes minutes under a sanitizer.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t size_bytes) {
  if (size_bytes > 0) std::memcpy(to, from, size_bytes);
}

struct Planned {
  std::uint64_t tag = 0;
  std::size_t size_bytes = 0;
  std::uint64_t seed = 0;
  bool too_small = false;
  bool posted = false;
};

std::vector<Planned> plan(const TrafficOptions& options, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Planned> all(options.messages);
  for (Planned& message : all) {
    const double most = std::log2(static_cast<double>(options.size_bytes_max));
    const double exponent = static_cast<double>(random() % 1000) / 1000 * most;
    message.tag = random() % options.tags;
    message.size_bytes = random() % 16 == 0 ? 0 : static_cast<std::size_t>(std::exp2(exponent));
    message.seed = random();
    message.too_small = options.some_too_small && message.size_bytes > 0 && random() % 50 == 0;
  }
  return all;
}

// Memory in one to four segments with gaps between.
struct Memory {
  std::vector<std::byte> bytes;
  std::vector<drivers::Bytes> segments;

  Memory(std::size_t size_bytes, std::mt19937_64& random) {
    const std::size_t count = 1 + random() % 4;
    bytes.resize(size_bytes + count * 8);
    std::size_t left = size_bytes, at = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t part = i + 1 == count ? left : (left == 0 ? 0 : random() % (left + 1));
      segments.push_back(drivers::Bytes(bytes).subspan(at, part));
      at += part + 8;
      left -= part;
    }
  }

  void set(std::span<const std::byte> content) {
    for (const drivers::Bytes segment : segments) {
      copy_bytes(segment.data(), content.data(), segment.size());
      content = content.subspan(segment.size());
    }
  }
  std::vector<std::byte> get() const {
    std::vector<std::byte> all;
    for (const drivers::Bytes segment : segments)
      all.insert(all.end(), segment.begin(), segment.end());
    return all;
  }
  std::vector<drivers::ConstBytes> to_send() const { return {segments.begin(), segments.end()}; }
};

// One direction: its sends in one engine, its receives in the other.
class Direction {
 public:
  Direction(Engine& from, std::size_t from_gate, Engine& to, std::size_t to_gate,
            const TrafficOptions& options, std::uint64_t seed)
      : from_(from),
        to_(to),
        from_gate_(from_gate),
        to_gate_(to_gate),
        random_(seed),
        plan_(plan(options, seed)) {}

  bool done() const { return received_ == plan_.size() && ended_ == plan_.size(); }
  double share() const {
    return static_cast<double>(received_) / static_cast<double>(plan_.size());
  }
  const std::string& wrong() const { return wrong_; }
  std::string where() const {
    return fmt::format("sent {} ended {} posted {} received {} of {}", sent_, ended_, posted_,
                       received_, plan_.size());
  }

  void step() {
    if (sent_ < plan_.size() && sends_.size() < kInFlightMax && random_() % 2 == 0) send();
    if (posted_ < plan_.size() && receives_.size() < kInFlightMax && random_() % 2 == 0) post();
    check_sends();
    check_receives();
  }

 private:
  struct Sending {
    std::unique_ptr<Memory> memory;
    Engine::Request request;
  };
  struct Receiving {
    std::unique_ptr<Memory> memory;
    Engine::Request request;
    const Planned* expected;
  };

  void send() {
    const Planned& message = plan_[sent_++];
    std::vector<std::byte> content(message.size_bytes);
    fill(content, message.seed);
    auto memory = std::make_unique<Memory>(message.size_bytes, random_);
    memory->set(content);
    const auto request = from_.isend(from_gate_, message.tag, memory->to_send());
    sends_.push_back({std::move(memory), request});
  }

  // A tag of the messages soon due; its receive is for the first message of that tag.
  void post() {
    while (first_ < plan_.size() && plan_[first_].posted) ++first_;
    const std::size_t last = std::min(plan_.size(), first_ + kAhead);
    std::size_t chosen = first_ + random_() % (last - first_);
    while (plan_[chosen].posted) chosen = chosen + 1 < last ? chosen + 1 : first_;
    std::size_t index = first_;
    while (plan_[index].posted || plan_[index].tag != plan_[chosen].tag) ++index;
    Planned& message = plan_[index];
    message.posted = true;
    ++posted_;
    const std::size_t room =
        message.too_small ? random_() % message.size_bytes : message.size_bytes + random_() % 3;
    auto memory = std::make_unique<Memory>(room, random_);
    const auto request = to_.irecv(to_gate_, message.tag, memory->segments);
    receives_.push_back({std::move(memory), request, &message});
  }

  void check_sends() {
    for (auto send = sends_.begin(); send != sends_.end();) {
      const std::optional<Completion> completion = from_.test(send->request);
      if (!completion) {
        ++send;
        continue;
      }
      if (completion->outcome != Outcome::kDone) wrong_ = "a send was lost";
      std::memset(send->memory->bytes.data(), 0xee, send->memory->bytes.size());  // ours again
      ++ended_;
      send = sends_.erase(send);
    }
  }

  void check_receives() {
    for (auto receive = receives_.begin(); receive != receives_.end();) {
      const std::optional<Completion> completion = to_.test(receive->request);
      if (!completion) {
        ++receive;
        continue;
      }
      check(*receive, *completion);
      ++received_;
      receive = receives_.erase(receive);
    }
  }

  void check(const Receiving& receive, const Completion& completion) {
    const Planned& expected = *receive.expected;
    const Outcome outcome = expected.too_small ? Outcome::kTooSmall : Outcome::kDone;
    std::vector<std::byte> content = receive.memory->get();
    if (completion.outcome != outcome || completion.size_bytes != expected.size_bytes) {
      wrong_ = fmt::format("outcome {} with {} bytes for a message of {}",
                           static_cast<int>(completion.outcome), completion.size_bytes,
                           expected.size_bytes);
    } else if (!expected.too_small &&
               !holds(std::span(content).first(expected.size_bytes), expected.seed)) {
      wrong_ = fmt::format("a message of {} bytes came as another", expected.size_bytes);
    }
  }

  Engine& from_;
  Engine& to_;
  std::size_t from_gate_, to_gate_;
  std::mt19937_64 random_;
  std::vector<Planned> plan_;
  std::size_t sent_ = 0, ended_ = 0, posted_ = 0, received_ = 0, first_ = 0;
  std::deque<Sending> sends_;
  std::deque<Receiving> receives_;
  std::string wrong_;
};

}  // namespace

void fill(std::span<std::byte> memory, std::uint64_t seed) {
  copy_bytes(memory.data(), content_of(seed, memory.size()), memory.size());
}

bool holds(std::span<const std::byte> memory, std::uint64_t seed) {
  const std::byte* content = content_of(seed, memory.size());
  return memory.empty() || std::memcmp(memory.data(), content, memory.size()) == 0;
}

bool turn_until(Engine& a, Engine& b, const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    a.progress();
    b.progress();
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

std::string run_traffic(Engine& a, std::size_t gate_a, Engine& b, std::size_t gate_b,
                        const TrafficOptions& options, const std::function<void(double)>& event) {
  Direction forth(a, gate_a, b, gate_b, options, options.seed);
  Direction back(b, gate_b, a, gate_a, options, options.seed + 1);
  double share = -1;
  std::size_t rounds_in_vain = 0;
  auto last_change = std::chrono::steady_clock::now();
  while (!forth.done() || !back.done()) {
    forth.step();
    back.step();
    a.progress();
    b.progress();
    if (!forth.wrong().empty() || !back.wrong().empty()) return forth.wrong() + back.wrong();
    const double now = (forth.share() + back.share()) / 2;
    if (event) event(now);
    if (now != share) last_change = std::chrono::steady_clock::now(), rounds_in_vain = 0;
    share = now;
    const auto in_vain = std::chrono::steady_clock::now() - last_change;
    if (++rounds_in_vain > kRoundsInVain && in_vain > std::chrono::seconds(10)) {
      return "stuck: " + forth.where() + "; " + back.where();
    }
  }
  return {};
}

}  // namespace nmt::engine
