// SPDX-License-Identifier: BSD-3-Clause
//
// A message in transit through a driver: its frame, the rest that must be sent, and the memory for
// what arrives.
//
// Every message starts with a Frame, then its headers one after the other, then its bodies. So a
// receiver knows at once whether the message fits, and can put the bodies directly into place.
// Frames are in host byte order; a frame from a machine of the other byte order has a wrong magic.
// The lengths in a frame are checked before they are used.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "drivers/driver.h"

namespace nmt::drivers {

enum class FrameKind : std::uint16_t {
  kEager = 1,        // headers and bodies follow
  kRequest = 2,      // rendezvous: the bodies follow when the receive is posted
  kAcknowledge = 3,  // the receive is posted
};

// Largest body of one message, by any method; callers split larger ones.
inline constexpr std::size_t kBodyBytesMax = std::size_t{1} << 30;

struct Frame {
  static constexpr std::uint32_t kMagic = 0x31646d6e;  // "nmd1"

  std::uint32_t magic = kMagic;
  FrameKind kind = FrameKind::kEager;
  std::uint16_t packets = 0;
  std::uint32_t number = 0;  // of the message in its direction, counted from 0
  std::uint32_t header_bytes = 0;
  std::uint64_t body_bytes = 0;
};
static_assert(sizeof(Frame) == 24);

// The frame of these packets. Aborts if they break the contract (drivers/driver.h).
Frame make_frame(FrameKind kind, std::uint32_t number, std::span<const Packet> packets);

// Throws Error(kPeer) unless make_frame() can have made this frame with this number.
void check_frame(const Frame& frame, std::uint32_t number, std::string_view rail);

// Pieces of memory that are sent one after the other, and how much of them has been sent.
class Gather {
 public:
  void clear() { pieces_.clear(), first_ = 0; }
  void add(ConstBytes piece) {
    if (!piece.empty()) pieces_.push_back(piece);
  }
  bool done() const { return first_ == pieces_.size(); }
  std::span<const ConstBytes> left() const { return std::span(pieces_).subspan(first_); }
  void advance(std::size_t size_bytes);
  std::size_t copy_to(Bytes to);  // as much as fits or is left; advances

 private:
  std::vector<ConstBytes> pieces_;
  std::size_t first_ = 0;
};

// Memory that only grows and is never cleared, for staging data that is overwritten anyway.
class Staging {
 public:
  Bytes take(std::size_t size_bytes);  // contents undefined; valid until the next call

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_bytes_ = 0;
};

// A message being sent. `gather` can go now; `bodies` follow when the receiver has asked for them.
struct Outgoing {
  Method method = Method::kCopy;
  Frame frame;
  Gather gather;
  std::vector<ConstBytes> bodies;  // of a rendezvous
  Staging staging;                 // frame and headers; the whole message if it is copied
};

// Starts `message`: copies the frame, `addition` (the driver's own data after the frame) and the
// headers. For `copy` it also copies the bodies; for `iovec` it lists the bodies in place; for a
// rendezvous it holds them back.
void start(Outgoing& message, Method method, const Frame& frame, ConstBytes addition,
           std::span<const Packet> packets);

// Messages being sent, in order. The memory of the message that ended last is used first, so that a
// single message always uses the same warm buffer.
class Outbox {
 public:
  Outbox();
  std::size_t size() const { return count_; }
  Outgoing& operator[](std::size_t index) { return slots_[order_[index]]; }  // 0: the first sent
  const Outgoing& operator[](std::size_t index) const { return slots_[order_[index]]; }
  Outgoing& push();  // aborts if there are kSendsInFlightMax already
  void pop();        // the first

 private:
  std::array<Outgoing, kSendsInFlightMax> slots_;
  std::array<std::uint8_t, kSendsInFlightMax> order_;  // in use first, then free ones
  std::size_t count_ = 0;
};

// A posted receive, and how much of its message has arrived.
class Incoming {
 public:
  void post(Bytes headers, Bytes bodies, Delivery delivery);
  void listen(Bytes headers);  // accept() gives the memory for the bodies
  bool posted() const { return state_ != State::kNone; }
  bool begun() const { return state_ == State::kBegun; }

  // A checked frame belongs to this receive. Error(kFailed) if its message does not fit.
  void begin(const Frame& frame, std::string_view rail);
  const Frame& frame() const { return frame_; }

  bool listening() const { return listening_; }

  // The headers have arrived, and accept() has not been called. announce() reports that once.
  bool waits() const { return begun() && listening_ && headers_.empty(); }
  void announce(Endpoint::Progress& progress);
  void accept(std::span<const Bytes> bodies);

  bool placed() const { return headers_.empty() && !listening_; }  // the bodies have memory
  bool complete() const { return placed() && bodies_.empty(); }
  Bytes next() const { return headers_.empty() ? bodies_ : headers_; }
  void advance(std::size_t size_bytes);
  std::size_t put(ConstBytes from);  // copies what it needs and returns that size

  // All bytes have arrived: copies an unexpected body into place. Returns the size of the bodies.
  std::size_t finish();

 private:
  enum class State { kNone, kPosted, kBegun };
  State state_ = State::kNone;
  Delivery delivery_ = Delivery::kExpected;
  Frame frame_;
  bool listening_ = false;
  bool announced_ = false;
  Bytes headers_;                 // the rest to fill
  Bytes bodies_;                  // the same for the current piece
  std::vector<Bytes> more_;       // the pieces after it
  std::size_t next_of_more_ = 0;  // the first of them that is not started
  Bytes destination_;             // of the bodies, if they are one piece
  ConstBytes source_;             // where they arrive first: the same, or `unexpected_`
  Staging unexpected_;
};

}  // namespace nmt::drivers
