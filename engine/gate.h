// SPDX-License-Identifier: BSD-3-Clause
//
// A peer: the links to it, the window of packets that wait, the inbox of messages that arrive, and
// the protocol between the two gates.
//
// A send waits until the peer has memory for it, then enters the window: as eager pieces, or as a
// request whose grant brings data pieces. With the request goes as much of the message as its rails
// can carry until the grant arrives. A strategy moves units of the window to links. Every message
// of a link carries the counters that the other end needs (engine/wire.h). If the peer waits for
// them and no other message goes that way, a message without packets carries them.
#pragma once

#include <array>
#include <deque>
#include <initializer_list>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
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

// Shared by all gates of an engine.
struct Context {
  EngineOptions options;
  const Clock& clock;
  Advice advice;
  const Strategy& strategy;
  std::string only;                                  // the rail of single:RAIL, or empty
  nmt_rails* tracker = nullptr;                      // release times by rail
  Helpers* helpers = nullptr;                        // null unless the strategy uses them
  std::unique_ptr<TransferLog> transfers = nullptr;  // null unless NMADTUNE_LOG asks for it
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();  // for what messages need

  // Joins the words and reports them. False if there is no memory for that.
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
  Gate(Context& context, std::size_t number, std::string peer,
       std::vector<std::unique_ptr<Link>> links);

  // If one of these throws, the gate has not kept the operation.
  void isend(std::shared_ptr<Send> send);
  void irecv(std::shared_ptr<Receive> receive) { inbox_.post(std::move(receive)); }

  std::optional<Envelope> probe(const Match& wants) const { return inbox_.probe(wants); }
  void withdraw(const Receive& receive) { inbox_.withdraw(receive); }
  // Takes back a send that the peer has heard nothing of; false if it may have.
  bool withdraw(const Send& send);

  // If memory runs out in a step that cannot be repeated, the peer is lost.
  bool progress();

  bool lost() const { return lost_; }
  // True once after the peer was lost: then all operations of this gate that have not ended are
  // lost, also one that was between two lists when memory ran out.
  bool take_loss() { return std::exchange(untold_loss_, false); }
  // Before the thread sleeps: adds descriptors that show news of any link. False if a link can only
  // be polled, or if an answer that could wait until now has to be sent first.
  bool watch(std::vector<pollfd>& watched);
  // Asks the peer to confirm everything that was sent; true if nothing is left to wait for.
  bool flush();
  const std::vector<std::unique_ptr<Link>>& links() const { return links_; }
  GateState state() const;

  std::span<const Lane> lanes() const override { return lanes_; }
  const Window& window() const override { return window_; }
  const Advice& advice() const override { return context_.advice; }
  void send_small(std::size_t lane, std::size_t count) override;
  bool send_large(std::size_t lane, std::size_t unit, std::uint64_t size_bytes,
                  std::optional<double> curve_ns = {}) override;
  std::size_t first_to_end(std::uint64_t size_bytes) override;
  void pass_over(std::size_t lane, SentAs as, std::uint64_t size_bytes) override {
    links_[lanes_[lane].link]->paces.pass_over(as, size_bytes);
  }
  std::size_t helpers() const override { return context_.helpers ? context_.helpers->idle() : 0; }
  const std::string& helpers_placement() const override { return context_.helpers->placement(); }
  void send_chunk(std::size_t lane, std::uint64_t size_bytes,
                  std::optional<double> begin_by_ns = {}) override;

 private:
  // engine/gate.cpp: rounds, and sending
  bool turn();
  void send_waiting();
  bool confirm_all();
  void schedule();
  void make_lanes();
  void refresh(Lane& lane);  // as of round_ns_
  void send_control();
  void send_states(bool idle);
  Posted new_posted() const { return {.units = std::pmr::vector<Unit>(context_.memory)}; }
  void post(Link& link, Method method, Posted posted, CoreHelper* helper = nullptr);
  void predict(Link& link, Posted& posted) const;
  std::size_t alive() const;

  // engine/gate_admit.cpp: from sends to units
  void admit();
  bool is_eager(const Send& send);
  bool can_split_by(double end_ns, std::uint64_t size_bytes) const;
  bool is_split(const Send& send);
  using BytesByLane = std::array<std::uint64_t, NMT_SPLIT_RAILS_MAX>;
  bool pays_to_split(std::uint64_t size_bytes, BytesByLane& chunks_bytes);
  bool has_room(std::uint64_t size_bytes, std::uint64_t room_bytes) const;
  std::uint64_t bytes_ahead(const Send& send);
  void add_pieces(const std::shared_ptr<Send>& send, Kind kind, std::uint64_t from_bytes,
                  std::uint64_t to_bytes, Units& queue);

  // engine/gate_receive.cpp: receiving, and confirmations of what was sent
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
  void gone(Posted& posted);  // the driver has released it
  void confirmed(Link& link, Posted& posted);
  void learn_pace(Link& link, const Posted& posted);
  void learn_small(Link& link, const Posted& posted);

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
  struct First {
    std::uint64_t size_bytes;
    std::size_t lane;
  };
  struct Whole {
    std::uint64_t size_bytes = 0;
    unsigned left = 0;           // so many more go whole without asking the curves
    BytesByLane chunks_bytes{};  // of the split that did not pay; 0: there was none
  };
  Whole whole_;                 // the last eager message for which the curves were asked
  std::optional<First> first_;  // what first_to_end() found, while lanes are as they were
  double round_ns_ = 0;  // start of this round of scheduling; chunk ends are predicted from it
  Window window_;
  Inbox inbox_;
  ChunkEnds chunk_ends_;
  GateState state_;  // except the counts of split messages
  bool lost_ = false;
  bool untold_loss_ = false;

  std::uint64_t next_sequence_ = 0;
  std::pmr::deque<std::shared_ptr<Send>> waiting_;  // for memory of the peer
  bool has_new_ = false;                            // a send since the last round
  std::pmr::unordered_map<std::uint64_t, std::shared_ptr<Send>> requests_;  // not answered yet

  std::uint64_t taken_bytes_ = 0;         // of the peer's memory, in total
  std::uint64_t released_bytes_ = 0;      // of it, as the peer last reported
  double handshake_ns_ = 0;               // recent time from request to grant; 0: none yet
  bool credit_blocked_ = false;           // sends wait for memory of the peer
  bool reported_credit_blocked_ = false;  // since released_bytes_ last changed

  std::uint64_t told_released_bytes_ = 0;  // of our memory, as last sent to the peer
  bool peer_credit_blocked_ = false;

  std::vector<drivers::Bytes> places_;
};

}  // namespace nmt::engine
