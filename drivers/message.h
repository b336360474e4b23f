// SPDX-License-Identifier: BSD-3-Clause
//
// A message on its way through a driver: what crosses before it, what is still to be sent of it,
// and where what comes of it goes.
//
// Every message starts with a Frame, then its headers one after the other, then its bodies: so a
// receiver knows at once whether the message fits, and bodies can go straight to their place.
// Frames are in host byte order; one from a machine of the other order has a wrong magic. Lengths
// of a frame are checked before anything is done with them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "drivers/driver.h"

namespace nmt {

enum class FrameKind : std::uint16_t {
  kEager = 1,        // headers and bodies follow
  kRequest = 2,      // rendezvous: bodies follow when the receive is posted
  kAcknowledge = 3,  // it is
};

// Largest body of one message, by any method: more would come as several.
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

// Frame of these packets. Aborts where they break the contract (drivers/driver.h).
Frame make_frame(FrameKind kind, std::uint32_t number, std::span<const Packet> packets);

// Throws Error(kPeer) unless the frame is one that make_frame() can have made as this number.
void check_frame(const Frame& frame, std::uint32_t number, std::string_view rail);

// A list of pieces of memory that are sent one after the other, and how far that has come.
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

// Memory that only grows and is never cleared: staging of what is about to be overwritten anyway.
class Staging {
 public:
  Bytes take(std::size_t size_bytes);  // contents undefined; valid until the next call

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_bytes_ = 0;
};

// A message being sent. `gather` is what can go now; `bodies` follow once the far side has asked.
struct Outgoing {
  Method method = Method::kCopy;
  Frame frame;
  Gather gather;
  std::vector<ConstBytes> bodies;  // of a rendezvous
  Staging staging;                 // frame and headers; the whole message where it is flattened
};

// Starts `message`: takes frame, `addition` (the driver's own, behind the frame) and headers, and
// by `copy` the bodies as well; by `iovec` lists the bodies as they lie; for a rendezvous keeps
// them back.
void start(Outgoing& message, Method method, const Frame& frame, ConstBytes addition,
           std::span<const Packet> packets);

// Messages being sent, in order. The memory of the one that ended last is used again first, so
// that a lone message always goes through the same warm buffer.
class Outbox {
 public:
  Outbox();
  std::size_t size() const { return count_; }
  Outgoing& operator[](std::size_t index) { return slots_[order_[index]]; }  // 0: the first sent
  const Outgoing& operator[](std::size_t index) const { return slots_[order_[index]]; }
  Outgoing& push();  // aborts where kSendsInFlightMax are there
  void pop();        // the first

 private:
  std::array<Outgoing, kSendsInFlightMax> slots_;
  std::array<std::uint8_t, kSendsInFlightMax> order_;  // in use first, then free ones
  std::size_t count_ = 0;
};

// The posted receive, and how much of its message has come.
class Incoming {
 public:
  void post(Bytes headers, Bytes bodies, Delivery delivery);
  void listen(Bytes headers);  // where the bodies go is told by accept()
  bool posted() const { return state_ != State::kNone; }
  bool begun() const { return state_ == State::kBegun; }

  // A checked frame is for this receive. Error(kFailed) where its message does not fit.
  void begin(const Frame& frame, std::string_view rail);
  const Frame& frame() const { return frame_; }

  bool listening() const { return listening_; }

  // The headers are there and nobody has said where the bodies go. announce() fills that in, once.
  bool waits() const { return begun() && listening_ && headers_.empty(); }
  void announce(Endpoint::Progress& progress);
  void accept(std::span<const Bytes> bodies);

  bool placed() const { return headers_.empty() && !listening_; }  // bodies can come
  bool complete() const { return placed() && bodies_.empty(); }
  Bytes next() const { return headers_.empty() ? bodies_ : headers_; }
  void advance(std::size_t size_bytes);
  std::size_t put(ConstBytes from);  // copies what is wanted of it and says how much that was

  // All has come: an unexpected body goes to its place now. Returns the bodies' bytes.
  std::size_t finish();

 private:
  enum class State { kNone, kPosted, kBegun };
  State state_ = State::kNone;
  Delivery delivery_ = Delivery::kExpected;
  Frame frame_;
  bool listening_ = false;
  bool announced_ = false;
  Bytes headers_;                 // what is left to fill
  Bytes bodies_;                  // likewise, of the current piece
  std::vector<Bytes> more_;       // the pieces behind it
  std::size_t next_of_more_ = 0;  // the first of them that is not begun
  Bytes destination_;             // of the bodies, where they are one piece
  ConstBytes source_;             // where they come to first: the same, or `unexpected_`
  Staging unexpected_;
};

}  // namespace nmt
