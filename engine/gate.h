// SPDX-License-Identifier: BSD-3-Clause
//
// A peer: the links to it, the window of what waits, the inbox of what comes, and the protocol that
// they follow.
//
// A send waits until the peer has room for it, then enters the window: eager pieces, or a request
// whose grant brings data pieces. With the request may go as much of the message as its rails carry
// until the grant is there. A strategy moves them to links. Every message of a link carries
// what the other end needs to know (engine/wire.h); where nothing goes the other way and the peer
// waits for it, a message of its own does.
#pragma once

#include <deque>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/chunk_ends.h"
#include "engine/inbox.h"
#include "engine/link.h"
#include "engine/strategy.h"
#include "engine/transfer_log.h"

namespace nmt::engine {

// What all gates of an engine share.
struct Context {
  EngineOptions options;
  const Clock& clock;
  Advice advice;
  const Strategy& strategy;
  std::string only;                                  // the rail of single:RAIL, or empty
  nmt_rails* tracker = nullptr;                      // release times by rail
  Helpers* helpers = nullptr;                        // of a strategy that has some
  std::unique_ptr<TransferLog> transfers = nullptr;  // where the user wants it

  // False where there is no memory for the words.
  bool report(std::initializer_list<std::string_view> words) const {
    try {
      std::string message;
      for (const std::string_view word : words) message += word;
      if (options.report) options.report(message);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
};

class Gate final : public Outlet {
 public:
  Gate(Context& context, std::string peer, std::vector<std::unique_ptr<Link>> links);

  // Where one of these throws, the gate has nothing of it.
  void isend(std::shared_ptr<Send> send);
  void irecv(std::shared_ptr<Receive> receive) { inbox_.post(std::move(receive)); }

  // Where it has no memory for a step that cannot be done again, the peer is lost.
  bool progress();

  bool lost() const { return lost_; }
  // True once, after it was lost: all operations of this gate that have not ended are lost, also
  // one that was on its way from one list to another when memory was short.
  bool take_loss() { return std::exchange(untold_loss_, false); }
  // What tells of news of any link; false where one has to be looked at.
  bool watch(std::vector<pollfd>& watched) const;
  // Asks for confirmation of all that was sent; true once there is nothing to wait for.
  bool flush();
  const std::vector<std::unique_ptr<Link>>& links() const { return links_; }
  GateState state() const;

  std::span<const Lane> lanes() const override { return lanes_; }
  const Window& window() const override { return window_; }
  const Advice& advice() const override { return context_.advice; }
  void send_small(std::size_t lane, std::size_t count) override;
  bool send_large(std::size_t lane, std::size_t unit, std::uint64_t size_bytes,
                  std::optional<double> curve_ns = {}) override;
  std::size_t helpers() const override { return context_.helpers ? context_.helpers->idle() : 0; }
  const std::string& helpers_placement() const override { return context_.helpers->placement(); }
  void send_small_elsewhere(std::size_t lane, std::uint64_t size_bytes) override;

 private:
  // engine/gate.cpp: rounds, and sending
  bool turn();
  bool confirm_all();
  void admit();
  bool is_eager(const Send& send) const;
  bool has_room(std::uint64_t size_bytes, std::uint64_t room_bytes) const;
  std::uint64_t bytes_ahead(const Send& send) const;
  void add_pieces(const std::shared_ptr<Send>& send, Kind kind, std::uint64_t from_bytes,
                  std::uint64_t to_bytes, std::deque<Unit>& queue);
  void schedule();
  void make_lanes();
  void refresh(Lane& lane) const;  // as of round_ns_
  void send_control();
  void send_states();
  void post(Link& link, Method method, Posted posted, Helper* helper = nullptr);
  void predict(Link& link, Posted& posted) const;
  std::size_t alive() const;

  // engine/gate_receive.cpp: receiving, and what became of what was sent
  bool poll(Link& link);
  bool advance(Link& link);
  void begin(Link& link);
  void find_places(Link& link);
  void finish(Link& link);
  void take(const Label& label, const Link& link);
  std::size_t number_of(const Link& link) const;
  void grant(const Label& label);
  void learn_handshake(double duration_ns);
  void settle(Unit& unit);
  void settle(Send& send, std::uint64_t size_bytes);
  void gone(Posted& posted);  // out of the driver's hands
  void confirmed(Link& link, Posted& posted);
  void learn_pace(Link& link, const Posted& posted);

  // engine/gate_loss.cpp
  void lose(Link& link, const std::string& reason);
  void learn_loss(const Label& label);
  void send_again(std::vector<Posted> lost);
  void lose_peer(const std::string& reason);
  void end_all_sends();

  double now_ns() const { return static_cast<double>(context_.clock.now_ns()); }

  Context& context_;
  std::string peer_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<Lane> lanes_;
  double round_ns_ = 0;  // when this round of scheduling began: what the ends of chunks are from
  Window window_;
  Inbox inbox_;
  ChunkEnds chunk_ends_;
  GateState state_;  // but for the split ones
  bool lost_ = false;
  bool untold_loss_ = false;

  std::uint64_t next_sequence_ = 0;
  std::deque<std::shared_ptr<Send>> waiting_;                          // for room
  std::unordered_map<std::uint64_t, std::shared_ptr<Send>> requests_;  // not answered

  std::uint64_t taken_bytes_ = 0;         // of the peer's room, ever
  std::uint64_t released_bytes_ = 0;      // of it, as last heard
  double handshake_ns_ = 0;               // that requests took to be granted lately; 0: none was
  bool credit_blocked_ = false;           // sends wait for room
  bool reported_credit_blocked_ = false;  // since released_bytes_ last changed

  std::uint64_t told_released_bytes_ = 0;  // of our room
  bool peer_credit_blocked_ = false;

  std::vector<Bytes> places_;
};

}  // namespace nmt::engine
