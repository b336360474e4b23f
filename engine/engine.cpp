// SPDX-License-Identifier: BSD-3-Clause
#include "engine/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory_resource>
#include <utility>

#include "core/deadline.h"
#include "core/error.h"
#include "core/log.h"
#include "drivers/drivers.h"
#include "engine/gate.h"
#include "engine/recycler.h"
#include "engine/transfer_log.h"

namespace nmt::engine {
namespace {

using engine::Operation;

// Operations by the request numbers of the application: a slot, and how often it was used.
class Requests {
 public:
  // If this throws, nothing has changed.
  Engine::Request add(std::shared_ptr<Operation> operation) {
    if (free_ == slots_.size()) slots_.push_back({.next_free = free_ + 1});
    const std::uint32_t index = free_;
    Slot& slot = slots_[index];
    free_ = slot.next_free;
    slot.operation = std::move(operation);
    return std::uint64_t{slot.uses} << 32 | index;
  }

  // Null for a request that never existed, or whose end was already returned.
  const Operation* find(Engine::Request request) const {
    const auto index = static_cast<std::uint32_t>(request);
    if (index >= slots_.size() || slots_[index].uses != request >> 32) return nullptr;
    return slots_[index].operation.get();
  }

  Operation* find(Engine::Request request) {
    return const_cast<Operation*>(std::as_const(*this).find(request));
  }

  void remove(Engine::Request request) {
    const auto index = static_cast<std::uint32_t>(request);
    Slot& slot = slots_[index];
    slot.operation.reset();
    ++slot.uses;
    slot.next_free = std::exchange(free_, index);
  }

  // Ends all unfinished operations of this gate as lost.
  void lose(std::size_t gate) {
    for (const Slot& slot : slots_) {
      Operation* const operation = slot.operation.get();
      if (operation != nullptr && operation->gate == gate && !operation->ended) {
        operation->end(Outcome::kLost, 0);
      }
    }
  }

 private:
  struct Slot {
    std::shared_ptr<Operation> operation;
    std::uint32_t uses = 1;
    std::uint32_t next_free = 0;
  };
  std::vector<Slot> slots_;
  std::uint32_t free_ = 0;  // the first free slot; slots_.size() if there is none
};

const engine::Strategy& strategy_named(const std::string& name, std::string& only) {
  const engine::Strategy* strategy = engine::find_strategy(name, only);
  if (strategy != nullptr) return *strategy;
  throw Error(Fault::kUsage,
              fmt::format("no strategy {}; there are {}", name, fmt::join(strategy_names(), ", ")));
}

struct FreeTracker {
  void operator()(nmt_rails* tracker) const { nmt_rails_free(tracker); }
};

constexpr std::uint64_t kLooksPerCheck = 16;    // polls between two checks of the timeout
constexpr std::uint32_t kRailsMax = 256;        // of an engine, over all its gates
constexpr std::size_t kTransfersLogged = 1024;  // before they are printed

void log_gate(const engine::Gate& gate, const std::string& peer, const engine::Context& context) {
  std::string rails;
  for (const auto& link : gate.links()) {
    rails += (rails.empty() ? "" : ", ") + link->name();
    if (link->path() == engine::kNoPath) rails += " (not in the profile)";
  }
  std::fprintf(stderr, "nmadtune: gate to %s over %s, strategy %s\n", peer.c_str(), rails.c_str(),
               context.options.strategy.c_str());
}

}  // namespace

struct Engine::State {
  engine::Recycler memory;  // first, because the others give back to it
  std::unique_ptr<Clock> own_clock;
  std::unique_ptr<nmt_rails, FreeTracker> tracker;
  std::unique_ptr<engine::Helpers> helpers;
  std::unique_ptr<engine::Context> context;
  std::vector<std::string> rails;
  std::vector<std::unique_ptr<engine::Gate>> gates;
  drivers::Waiting waiting;
  Requests requests;
  std::pmr::deque<std::shared_ptr<engine::Receive>> any_gate{&memory};  // some matched or ended
  std::uint64_t receives = 0;                                           // so far
  // Gates take turns in what is for any of them: which one is asked first by the next receive and
  // by the next probe. A receive gets the message that the last probe showed.
  std::size_t next_gate = 0;
  std::size_t next_probed = 0;

  bool all_lost() const {
    return std::ranges::all_of(gates, [](const auto& gate) { return gate->lost(); });
  }

  void post_to_any(std::shared_ptr<engine::Receive> receive) {
    std::erase_if(any_gate, [](const auto& one) { return one->matched || one->ended; });
    any_gate.push_back(receive);
    try {
      for (std::size_t i = 0; i < gates.size() && !receive->matched; ++i) {
        gates[(next_gate + i) % gates.size()]->irecv(receive);
      }
    } catch (...) {
      withdraw(*receive);
      any_gate.pop_back();
      throw;
    }
    if (receive->matched) next_probed = next_gate = receive->gate + 1;
    if (!receive->matched && !gates.empty() && all_lost()) receive->end(Outcome::kLost, 0);
  }

  void withdraw(const engine::Receive& receive) {
    for (std::size_t i = 0; i < gates.size(); ++i) {
      if (receive.wants.gate == kAnyGate || receive.wants.gate == i) gates[i]->withdraw(receive);
    }
  }

  void write_transfers() noexcept {
    if (context == nullptr || context->transfers == nullptr) return;
    try {
      std::fputs(context->transfers->take(rails).c_str(), stderr);
    } catch (const std::bad_alloc&) {  // the entries stay for the next call
    }
  }

  template <class Kind>
  std::shared_ptr<Kind> new_operation() {
    return std::allocate_shared<Kind>(std::pmr::polymorphic_allocator<Kind>(&memory), &memory);
  }

  // Adds an operation and gives it to its gate by `post`. If either throws, neither has kept it,
  // and the caller may reuse its memory.
  template <class Kind, class Post>
  Request keep(std::shared_ptr<Kind> operation, Post post) {
    const Request request = requests.add(operation);
    try {
      post(std::move(operation));
    } catch (...) {
      requests.remove(request);
      throw;
    }
    return request;
  }

  // One number per rail for all gates, because a send of one gate delays the others.
  std::uint32_t rail_number(const std::string& rail) {
    const auto known = std::ranges::find(rails, rail);
    if (known != rails.end()) return static_cast<std::uint32_t>(known - rails.begin());
    if (rails.size() == kRailsMax)
      throw Error(Fault::kUsage, fmt::format("an engine uses at most {} rails", kRailsMax));
    rails.push_back(rail);
    return static_cast<std::uint32_t>(rails.size() - 1);
  }
};

Engine::Engine(EngineOptions options) : state_(std::make_unique<State>()) {
  const std::uint64_t eager_room_bytes = options.unexpected_bytes_max / 4;
  if (eager_room_bytes < engine::kEnvelopeBytes ||
      options.eager_bytes_max > eager_room_bytes - engine::kEnvelopeBytes) {
    throw Error(
        Fault::kUsage,
        fmt::format(
            "{} bytes for unexpected messages are too few for eager messages of {}; give at least "
            "four times as much",
            options.unexpected_bytes_max, options.eager_bytes_max));
  }
  if (options.clock == nullptr) state_->own_clock = std::make_unique<RealClock>();
  nmt_rails* tracker = nullptr;
  if (nmt_rails_new(kRailsMax, &tracker) != NMT_OK) throw Error(Fault::kFailed, "out of memory");
  state_->tracker.reset(tracker);
  std::string only;
  const engine::Strategy& strategy = strategy_named(options.strategy, only);
  if (strategy.has_helpers) {
    const bool spin = options.spinning_helpers > 0;
    state_->helpers = std::make_unique<engine::Helpers>(
        spin ? options.spinning_helpers : options.helpers_max,
        spin ? node::Helper::Rest::kSpins : node::Helper::Rest::kSleeps);
  }
  const Clock& clock = options.clock != nullptr ? *options.clock : *state_->own_clock;
  const engine::Advice advice(options.profile);
  state_->context = std::make_unique<engine::Context>(engine::Context{
      std::move(options), clock, advice, strategy, only, tracker, state_->helpers.get()});
  state_->context->memory = &state_->memory;
  if (log_wants(kLogTransfers)) {
    state_->context->transfers = std::make_unique<engine::TransferLog>(kTransfersLogged);
  }
}

Engine::~Engine() { state_->write_transfers(); }

std::size_t Engine::add_gate(const std::string& peer, std::vector<LinkDescription> descriptions) {
  engine::Context& context = *state_->context;
  if (descriptions.empty()) throw Error(Fault::kUsage, peer + ": no rail to this peer");
  const bool has_only = std::ranges::any_of(
      descriptions, [&](const LinkDescription& link) { return link.rail == context.only; });
  if (!context.only.empty() && !has_only) {
    throw Error(Fault::kUsage, fmt::format("{}: no rail {} to this peer", peer, context.only));
  }
  std::vector<std::unique_ptr<engine::Link>> links;
  for (LinkDescription& description : descriptions) {
    const int path = context.advice.path_of(description.rail);
    const std::uint32_t rail = state_->rail_number(description.rail);
    links.push_back(
        std::make_unique<engine::Link>(std::move(description), path, rail, context.memory));
  }
  const std::size_t number = state_->gates.size();
  state_->gates.push_back(std::make_unique<engine::Gate>(context, number, peer, std::move(links)));
  for (const std::shared_ptr<engine::Receive>& receive : state_->any_gate) {
    if (!receive->matched && !receive->ended) state_->gates.back()->irecv(receive);
  }
  if (log_wants(kLogDecisions)) log_gate(*state_->gates.back(), peer, context);
  return state_->gates.size() - 1;
}

Engine::Request Engine::isend(std::size_t gate, std::uint64_t tag,
                              std::span<const drivers::ConstBytes> segments) {
  auto send = state_->new_operation<engine::Send>();
  send->gate = gate;
  send->tag = tag;
  send->segments.assign(segments.begin(), segments.end());
  send->size_bytes = engine::total_bytes(segments);
  return state_->keep(std::move(send), [&](std::shared_ptr<engine::Send> kept) {
    state_->gates.at(gate)->isend(std::move(kept));
  });
}

Engine::Request Engine::irecv(const Match& wants, std::span<const drivers::Bytes> segments) {
  auto receive = state_->new_operation<engine::Receive>();
  receive->wants = wants;
  receive->number = state_->receives++;
  receive->gate = wants.gate;
  receive->tag = wants.tag;
  receive->segments.assign(segments.begin(), segments.end());
  receive->size_bytes = engine::total_bytes(segments);
  return state_->keep(std::move(receive), [&](std::shared_ptr<engine::Receive> kept) {
    if (wants.gate == kAnyGate) return state_->post_to_any(std::move(kept));
    state_->gates.at(wants.gate)->irecv(std::move(kept));
  });
}

std::optional<Envelope> Engine::probe(const Match& wants) {
  progress();
  if (wants.gate != kAnyGate) return state_->gates.at(wants.gate)->probe(wants);
  const std::size_t gates = state_->gates.size();
  for (std::size_t i = 0; i < gates; ++i) {
    const std::size_t gate = (state_->next_probed + i) % gates;
    const std::optional<Envelope> found = state_->gates[gate]->probe(wants);
    if (!found) continue;
    state_->next_gate = gate;
    state_->next_probed = gate + 1;
    return found;
  }
  return std::nullopt;
}

bool Engine::cancel(Request request) {
  engine::Operation* const operation = state_->requests.find(request);
  NMT_CHECK(operation != nullptr);
  if (operation->ended) return false;
  if (operation->receives) {
    const auto& receive = static_cast<const engine::Receive&>(*operation);
    if (receive.matched) return false;
    state_->withdraw(receive);
  } else if (!state_->gates[operation->gate]->withdraw(
                 static_cast<const engine::Send&>(*operation))) {
    return false;
  }
  operation->end(Outcome::kCancelled, 0);
  return true;
}

bool Engine::knows(Request request) const { return state_->requests.find(request) != nullptr; }

std::optional<Completion> Engine::test(Request request) {
  const Operation* operation = state_->requests.find(request);
  NMT_CHECK(operation != nullptr);
  if (!operation->ended) progress();
  if (!operation->ended) return std::nullopt;
  const Completion completion = operation->completion;
  state_->requests.remove(request);
  return completion;
}

std::optional<Completion> Engine::wait(Request request, std::chrono::nanoseconds timeout) {
  const Operation* operation = state_->requests.find(request);
  NMT_CHECK(operation != nullptr);
  until([&] { return operation->ended; }, timeout);
  return test(request);
}

bool Engine::progress() {
  bool happened = false;
  for (std::size_t i = 0; i < state_->gates.size(); ++i) {
    engine::Gate& gate = *state_->gates[i];
    happened |= gate.progress();
    if (!gate.take_loss()) continue;
    state_->requests.lose(i);
    if (state_->all_lost()) state_->requests.lose(kAnyGate);
  }
  const engine::TransferLog* transfers = state_->context->transfers.get();
  if (transfers != nullptr && (!happened || transfers->half_full())) state_->write_transfers();
  return happened;
}

// Calls progress() until `done` returns true, or the timeout has passed.
bool Engine::until(const std::function<bool()>& done, std::chrono::nanoseconds timeout) {
  std::optional<Deadline> deadline;  // not before the first look, which posts what waits
  const drivers::Waiting::Watch watch = [this](std::vector<pollfd>& watched) {
    return std::ranges::all_of(state_->gates,
                               [&](const auto& gate) { return gate->watch(watched); });
  };
  std::uint64_t rounds = 0, looks_in_vain = 0;
  while (!done()) {
    bool slept = false;
    if (progress()) {
      looks_in_vain = 0;
    } else {
      if (!deadline) deadline.emplace(timeout);
      slept = state_->waiting.rest(++looks_in_vain, watch);
    }
    if (++rounds % kLooksPerCheck != 0 && !slept) continue;
    if (!deadline) deadline.emplace(timeout);  // as messages come all the time
    if (deadline->passed()) return false;
  }
  return true;
}

bool Engine::flush(std::chrono::nanoseconds timeout) {
  const auto flushed = [&] {
    bool done = true;
    for (const std::unique_ptr<engine::Gate>& gate : state_->gates) done &= gate->flush();
    return done;
  };
  const bool in_time = until(flushed, timeout);
  return in_time && std::ranges::none_of(state_->gates, [](const auto& g) { return g->lost(); });
}

std::vector<LinkState> Engine::links(std::size_t gate) const {
  std::vector<LinkState> states;
  for (const auto& link : state_->gates.at(gate)->links()) states.push_back(link->state());
  return states;
}

GateState Engine::state(std::size_t gate) const { return state_->gates.at(gate)->state(); }

}  // namespace nmt::engine
