// SPDX-License-Identifier: BSD-3-Clause
//
// The part of InfiniBand verbs that this project needs, without their types: the ports of this
// node, and one reliable connection over a port.
//
// Everything of libibverbs stays behind this header. A connection posts work and reports what
// arrived. It has no messages, no credits and no deadline (drivers/verbs/endpoint.h has). Posted
// work has numbers, counted from 1, and completes in that order. Few pieces of work report their
// completion, and each such report covers all work before it (selective signalling). Any failure of
// a completion, of the device (an asynchronous event) or of a call throws an Error with the cause.
// After that the connection can only be destroyed, which frees everything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/rail.h"
#include "drivers/driver.h"

namespace nmt::drivers {

struct VerbsPort {
  std::string device;  // "mlx5_0"
  unsigned number = 0;
  Fields fingerprint;
  std::string subnet;   // "roce 10.0.0.1/24", "ib fe80000000000000 18"; for VerbsDriver::meet()
  std::string problem;  // why it cannot be used; empty if it can
  std::string remedy;

  std::string name() const { return device + '/' + std::to_string(number); }
};

struct VerbsSurvey {
  std::vector<VerbsPort> ports;
  std::vector<Refusal> refusals;  // of devices that cannot be opened, or if there is no device
};
VerbsSurvey survey_verbs();

// The capacity that one connection must have.
struct VerbsNeeds {
  std::uint32_t receives = 0;
  std::uint32_t sends = 0;
};

// The address of a connection.
struct VerbsAddress {
  std::uint32_t queue = 0;
  std::uint32_t first_packet = 0;
  std::uint32_t lid = 0;  // 0 on RoCE
  std::array<std::uint8_t, 16> gid{};
  std::uint32_t mtu_bytes = 0;
  std::uint32_t reads = 0;  // that it serves at the same time
};

// Memory that the device may access while this object and its connection live.
class VerbsRegion {
 public:
  VerbsRegion(void* handle, std::uint32_t local_key, std::uint32_t remote_key)
      : handle_(handle), local_key_(local_key), remote_key_(remote_key) {}
  ~VerbsRegion();
  VerbsRegion(const VerbsRegion&) = delete;
  std::uint32_t local_key() const { return local_key_; }
  std::uint32_t remote_key() const { return remote_key_; }

 private:
  void* handle_;
  std::uint32_t local_key_;
  std::uint32_t remote_key_;
};

// Access to a region: kOwn by this node only, kSource read by the other end, kTarget written by it.
enum class VerbsAccess { kOwn, kSource, kTarget };

struct VerbsPiece {  // not initialised: arrays of it are mostly unused
  const std::byte* memory;
  std::uint32_t size_bytes;
  std::uint32_t key;
};

// Memory of the other end.
struct VerbsRemote {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
};

struct VerbsArrival {
  std::uint64_t place = 0;  // as posted
  std::uint32_t size_bytes = 0;
};

class VerbsConnection {
 public:
  // `port_name` is VerbsPort::name(); `rail` names it in messages. Error(kFailed).
  VerbsConnection(std::string rail, const std::string& port_name, VerbsNeeds needs);
  ~VerbsConnection();

  std::shared_ptr<VerbsRegion> register_memory(ConstBytes memory, VerbsAccess access);

  const VerbsAddress& address() const;
  void connect(const VerbsAddress& far);  // post the receives before

  std::size_t inline_bytes_max() const;  // sent from within the work itself; keys are not used
  std::size_t pieces_max() const;        // of one piece of work
  std::size_t work_bytes_max() const;    // likewise

  // Number of pieces of work that can be posted now.
  std::size_t room() const;

  // Each returns its number. If `signaled`, done() reports it as soon as it completes, else perhaps
  // later. Pieces are sent in order.
  std::uint64_t send(std::span<const VerbsPiece> pieces, bool inlined, bool signaled);
  std::uint64_t write(std::span<const VerbsPiece> pieces, VerbsRemote to, bool signaled);
  std::uint64_t read(std::span<const VerbsPiece> pieces, VerbsRemote from, bool signaled);
  void receive(VerbsPiece into, std::uint64_t place);

  bool done(std::uint64_t number) const;

  // What arrived since the last call, in order.
  std::span<const VerbsArrival> poll();

  // Throws an Error if the device reports a fatal event outside of completions.
  void check_events();

  // For sleeping: after arm(), these descriptors become readable with the next completion or event.
  // False if a completion may have arrived already.
  bool arm();
  std::array<int, 2> descriptors() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nmt::drivers
