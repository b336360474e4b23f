// SPDX-License-Identifier: BSD-3-Clause
//
// The implementation of include/nmadtune_engine.h. No exception leaves these functions.
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory_resource>
#include <new>

#include "core/error.h"
#include "drivers/drivers.h"
#include "engine/engine.h"
#include "include/nmadtune_engine.h"

struct nmt_engine {
  nmt::engine::Engine engine;
  std::size_t gates = 0;
  std::vector<nmt::engine::LinkState> links;  // strings for the caller of nmt_engine_link
};

namespace nmt::engine {
namespace {

constexpr std::uint64_t kHeadBytes = 2 * sizeof(std::uint32_t);  // the smallest valid struct
constexpr std::uint64_t kMatchBytes = offsetof(nmt_match, tag_mask) + sizeof(std::uint64_t);

// Copies the part of the caller's struct that both sides know; the rest is 0.
template <class Struct>
Struct read(const Struct* theirs) {
  Struct ours{};
  if (theirs != nullptr) {
    std::memcpy(&ours, theirs, std::min<std::size_t>(theirs->struct_bytes, sizeof ours));
  }
  return ours;
}

template <class Struct>
void write(Struct* theirs, Struct ours) {
  ours.struct_bytes = theirs->struct_bytes;
  std::memcpy(theirs, &ours, std::min<std::size_t>(theirs->struct_bytes, sizeof ours));
}

template <class Struct>
bool is_struct(const Struct* theirs) {
  return theirs != nullptr && theirs->struct_bytes >= kHeadBytes;
}

// Null: the caller leaves it out.
template <class Struct>
bool is_struct_or_null(const Struct* theirs) {
  return theirs == nullptr || is_struct(theirs);
}

template <class Options>
int fail(const Options& options, int status, const char* message) {
  if (options.message != nullptr && options.message_bytes > 0) {
    const std::size_t size = std::min<std::size_t>(std::strlen(message), options.message_bytes - 1);
    std::memcpy(options.message, message, size);
    options.message[size] = '\0';
  }
  return status;
}

// Runs `body`, and turns its exceptions into a status and a message.
template <class Options, class Body>
int guarded(const Options& options, Body body) {
  try {
    return body();
  } catch (const Error& error) {
    return fail(options, error.fault() == Fault::kUsage ? NMT_INVALID : NMT_FAILED, error.what());
  } catch (const std::bad_alloc&) {
    return fail(options, NMT_NO_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(options, NMT_FAILED, error.what());
  }
}

// The caller's exchange function as the Exchange of a driver.
class CallerExchange final : public drivers::Exchange {
 public:
  explicit CallerExchange(const nmt_gate_options& options) : options_(options) {}
  std::string swap(std::string_view mine) override {
    std::string theirs(NMT_SWAP_BYTES_MAX, '\0');
    std::uint64_t size_bytes = theirs.size();
    const int status =
        options_.swap(options_.context, mine.data(), mine.size(), theirs.data(), &size_bytes);
    if (status < 0 || size_bytes > theirs.size()) {
      throw Error(Fault::kPeer,
                  "the exchange with the peer of the gate failed; options.swap returned an error");
    }
    theirs.resize(size_bytes);
    return theirs;
  }

 private:
  const nmt_gate_options& options_;
};

LinkDescription open_link(const std::string& name, drivers::Side side,
                          drivers::Exchange& exchange) {
  for (const std::unique_ptr<drivers::Driver>& driver : drivers::make_drivers()) {
    Rail rail;
    split_rail_name(name, &rail.driver, &rail.name);
    if (rail.driver != driver->name()) continue;
    for (const Rail& known : driver->detect().rails) {
      if (known.full_name() == name) rail = known;
    }
    std::vector<Method> methods = driver->methods(rail);
    return {driver->open(rail, side, exchange), name, std::move(methods),
            driver->variants(rail, Method::kRendezvous)};
  }
  throw Error(Fault::kUsage,
              "rail " + name + ": no driver has this name; nmad-sample --list prints the rails");
}

std::vector<LinkDescription> open_links(const nmt_gate_options& options) {
  CallerExchange exchange(options);
  std::vector<LinkDescription> links;
  for (std::string_view rest = options.rails; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const drivers::Side side = options.far_side != 0 ? drivers::Side::kFar : drivers::Side::kNear;
    if (end > 0) links.push_back(open_link(std::string(rest.substr(0, end)), side, exchange));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return links;
}

// What the caller wants; NMT_OK, or why it makes no sense.
int read_match(const nmt_engine* engine, const nmt_match* theirs, Match& wants) {
  if (engine == nullptr || theirs == nullptr || theirs->struct_bytes < kMatchBytes) {
    return NMT_INVALID;
  }
  wants = {.tag = theirs->tag, .tag_mask = theirs->tag_mask};
  if (theirs->gate == NMT_ANY_GATE) return NMT_OK;
  if (theirs->gate < 0 || static_cast<std::size_t>(theirs->gate) >= engine->gates) {
    return NMT_UNKNOWN;
  }
  wants.gate = static_cast<std::size_t>(theirs->gate);
  return NMT_OK;
}

// Calls isend or irecv with the segments as spans.
template <class Piece, class Post>
int post(nmt_engine* engine, const nmt_match& match, const nmt_segment* segments,
         std::uint32_t count, nmt_request* request, Post post_it) {
  if (request == nullptr || (segments == nullptr && count > 0)) return NMT_INVALID;
  Match wants;
  if (const int status = read_match(engine, &match, wants); status != NMT_OK) return status;
  return guarded(nmt_engine_options{}, [&] {
    alignas(Piece) std::byte few[16 * sizeof(Piece)];  // more segments than nearly all messages
    std::pmr::monotonic_buffer_resource memory(few, sizeof few);
    std::pmr::vector<Piece> pieces(&memory);
    pieces.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      pieces.emplace_back(static_cast<std::byte*>(segments[i].memory), segments[i].bytes);
    }
    *request = post_it(wants, pieces);
    return static_cast<int>(NMT_OK);
  });
}

int report_completion(const std::optional<Completion>& completion, nmt_completion* theirs) {
  if (!completion) return 0;
  if (theirs != nullptr) {
    write(theirs, {.outcome = static_cast<std::int32_t>(completion->outcome),
                   .bytes = completion->size_bytes,
                   .tag = completion->tag,
                   .gate = static_cast<std::int32_t>(completion->gate)});
  }
  return 1;
}

static_assert(static_cast<int>(Outcome::kTooSmall) == NMT_TOO_SMALL);
static_assert(static_cast<int>(Outcome::kLost) == NMT_LOST);
static_assert(static_cast<int>(Outcome::kCancelled) == NMT_CANCELLED);
static_assert(static_cast<std::int32_t>(kAnyGate) == NMT_ANY_GATE);

// One gate and one tag.
nmt_match exactly(int gate, std::uint64_t tag) {
  const int none = -2;  // NMT_ANY_GATE is no gate to send to
  return {sizeof(nmt_match), gate < 0 ? none : gate, tag, UINT64_MAX};
}

}  // namespace
}  // namespace nmt::engine

int nmt_engine_new(const nmt_engine_options* options, nmt_engine** engine) {
  if (engine == nullptr) return NMT_INVALID;
  *engine = nullptr;
  if (!nmt::engine::is_struct_or_null(options)) return NMT_INVALID;
  const nmt_engine_options given = nmt::engine::read(options);
  return nmt::engine::guarded(given, [&] {
    nmt::engine::EngineOptions wanted;
    if (given.strategy != nullptr) wanted.strategy = given.strategy;
    wanted.profile = given.profile;
    if (given.eager_bytes_max > 0) wanted.eager_bytes_max = given.eager_bytes_max;
    wanted.spinning_helpers = given.spinning_helpers;
    if (given.unexpected_bytes_max > 0) wanted.unexpected_bytes_max = given.unexpected_bytes_max;
    if (given.report != nullptr) {
      wanted.report = [report = given.report, context = given.context](const std::string& text) {
        report(context, text.c_str());
      };
    }
    *engine = new nmt_engine{nmt::engine::Engine(std::move(wanted))};
    return static_cast<int>(NMT_OK);
  });
}

void nmt_engine_free(nmt_engine* engine) { delete engine; }

int nmt_engine_open_gate(nmt_engine* engine, const nmt_gate_options* options) {
  if (engine == nullptr || !nmt::engine::is_struct(options)) return NMT_INVALID;
  const nmt_gate_options given = nmt::engine::read(options);
  if (given.rails == nullptr || given.swap == nullptr) return NMT_INVALID;
  return nmt::engine::guarded(given, [&] {
    const std::string peer = given.peer != nullptr ? given.peer : "peer";
    const std::size_t gate = engine->engine.add_gate(peer, nmt::engine::open_links(given));
    engine->gates = gate + 1;
    return static_cast<int>(gate);
  });
}

int nmt_engine_isend(nmt_engine* engine, int gate, uint64_t tag, const nmt_segment* segments,
                     uint32_t count, nmt_request* request) {
  const auto send = [&](const nmt::engine::Match& wants, auto& pieces) {
    return engine->engine.isend(wants.gate, tag, pieces);
  };
  return nmt::engine::post<nmt::drivers::ConstBytes>(engine, nmt::engine::exactly(gate, tag),
                                                     segments, count, request, send);
}

int nmt_engine_irecv(nmt_engine* engine, int gate, uint64_t tag, const nmt_segment* segments,
                     uint32_t count, nmt_request* request) {
  const nmt_match match = nmt::engine::exactly(gate, tag);
  return nmt_engine_irecv_match(engine, &match, segments, count, request);
}

int nmt_engine_irecv_match(nmt_engine* engine, const nmt_match* match, const nmt_segment* segments,
                           uint32_t count, nmt_request* request) {
  if (match == nullptr) return NMT_INVALID;
  const auto receive = [&](const nmt::engine::Match& wants, auto& pieces) {
    return engine->engine.irecv(wants, pieces);
  };
  return nmt::engine::post<nmt::drivers::Bytes>(engine, *match, segments, count, request, receive);
}

int nmt_engine_probe(nmt_engine* engine, const nmt_match* match, nmt_envelope* envelope) {
  nmt::engine::Match wants;
  if (const int status = nmt::engine::read_match(engine, match, wants); status != NMT_OK)
    return status;
  if (!nmt::engine::is_struct_or_null(envelope)) return NMT_INVALID;
  return nmt::engine::guarded(nmt_engine_options{}, [&] {
    const std::optional<nmt::engine::Envelope> found = engine->engine.probe(wants);
    if (!found) return 0;
    if (envelope != nullptr) {
      nmt::engine::write(envelope, {.gate = static_cast<std::int32_t>(found->gate),
                                    .tag = found->tag,
                                    .bytes = found->size_bytes});
    }
    return 1;
  });
}

int nmt_engine_cancel(nmt_engine* engine, nmt_request request) {
  if (engine == nullptr) return NMT_INVALID;
  if (!engine->engine.knows(request)) return NMT_UNKNOWN;
  return nmt::engine::guarded(nmt_engine_options{},
                              [&] { return engine->engine.cancel(request) ? 1 : 0; });
}

int nmt_engine_test(nmt_engine* engine, nmt_request request, nmt_completion* completion) {
  if (engine == nullptr || !nmt::engine::is_struct_or_null(completion)) return NMT_INVALID;
  if (!engine->engine.knows(request)) return NMT_UNKNOWN;
  return nmt::engine::guarded(nmt_engine_options{}, [&] {
    return nmt::engine::report_completion(engine->engine.test(request), completion);
  });
}

int nmt_engine_wait(nmt_engine* engine, nmt_request request, uint64_t patience_ns,
                    nmt_completion* completion) {
  if (engine == nullptr || patience_ns > INT64_MAX) return NMT_INVALID;
  if (!nmt::engine::is_struct_or_null(completion)) return NMT_INVALID;
  if (!engine->engine.knows(request)) return NMT_UNKNOWN;
  const std::chrono::nanoseconds timeout(static_cast<std::int64_t>(patience_ns));
  return nmt::engine::guarded(nmt_engine_options{}, [&] {
    return nmt::engine::report_completion(engine->engine.wait(request, timeout), completion);
  });
}

int nmt_engine_progress(nmt_engine* engine) {
  if (engine == nullptr) return NMT_INVALID;
  return nmt::engine::guarded(nmt_engine_options{},
                              [&] { return engine->engine.progress() ? 1 : 0; });
}

int nmt_engine_flush(nmt_engine* engine, uint64_t patience_ns) {
  if (engine == nullptr || patience_ns > INT64_MAX) return NMT_INVALID;
  const std::chrono::nanoseconds timeout(static_cast<std::int64_t>(patience_ns));
  return nmt::engine::guarded(nmt_engine_options{},
                              [&] { return engine->engine.flush(timeout) ? 1 : 0; });
}

int nmt_engine_link(nmt_engine* engine, int gate, uint32_t index, nmt_link_state* state) {
  if (engine == nullptr || !nmt::engine::is_struct(state)) return NMT_INVALID;
  if (gate < 0 || static_cast<std::size_t>(gate) >= engine->gates) return NMT_UNKNOWN;
  return nmt::engine::guarded(nmt_engine_options{}, [&] {
    engine->links = engine->engine.links(static_cast<std::size_t>(gate));
    if (index >= engine->links.size()) return static_cast<int>(NMT_UNKNOWN);
    const nmt::engine::LinkState& link = engine->links[index];
    nmt::engine::write(state, {.alive = link.alive,
                               .rail = link.rail.c_str(),
                               .reason = link.reason.c_str(),
                               .messages = link.messages_sent,
                               .bytes = link.bytes_sent,
                               .packets_again = link.packets_again});
    return static_cast<int>(NMT_OK);
  });
}
