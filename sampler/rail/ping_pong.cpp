// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/ping_pong.h"

#include <cstring>

#include "core/error.h"

namespace nmt::sampler {
namespace {

// Whether it times no more than its warm-up does, and so only serves to plan batches.
bool is_probe(const Step& step) {
  return step.warm_ups >= std::uint64_t{step.repetitions} * step.batch;
}

}  // namespace

std::string_view to_string(Regime regime) { return regime == Regime::kHot ? "hot" : "cold"; }

PingPongProtocol::PingPongProtocol(drivers::Endpoint& endpoint, Buffers buffers)
    : endpoint_(endpoint), buffers_(std::move(buffers)) {
  std::memset(header_, 0x48, sizeof header_);
  std::memset(headers_in_, 0, sizeof headers_in_);
}

void PingPongProtocol::start(const Experiment& experiment) {
  experiment_ = experiment;
  traffic_ = &kTraffics[experiment.traffic];
  received_ = 0;
  sent_ = 0;
  buffers_.advance(experiment.regime, traffic_->local ? experiment.size_bytes
                                                      : experiment.size_bytes * traffic_->messages *
                                                            traffic_->packets);
  if (traffic_->local) return;
  endpoint_.use(experiment.method, experiment.variant);
  post_receive();
}

void PingPongProtocol::post_receive() {
  const std::size_t message_bytes = experiment_.size_bytes * traffic_->packets;
  endpoint_.receive(drivers::Bytes(headers_in_, kHeaderBytes * traffic_->packets),
                    buffers_.target().subspan(received_ * message_bytes, message_bytes),
                    traffic_->delivery);
}

void PingPongProtocol::send() {
  const std::size_t size_bytes = experiment_.size_bytes;
  drivers::Packet packets[kPacketsPerDirectionMax];
  for (unsigned message = 0; message < traffic_->messages; ++message) {
    for (unsigned packet = 0; packet < traffic_->packets; ++packet) {
      const std::size_t offset = (message * traffic_->packets + packet) * size_bytes;
      packets[packet] = {drivers::ConstBytes(header_),
                         buffers_.source().subspan(offset, size_bytes)};
    }
    endpoint_.send(experiment_.method, std::span(packets, traffic_->packets));
  }
}

bool PingPongProtocol::poll() {
  const drivers::Endpoint::Progress progress = endpoint_.poll();
  sent_ += progress.sent;
  if (progress.received) {
    ++received_;
    if (!received()) post_receive();
  }
  return progress.received || progress.sent > 0;
}

void PingPongProtocol::copy() { endpoint_.copy(buffers_.target(), buffers_.source()); }

void Responder::begin(std::vector<Step> steps) {
  std::erase_if(steps, [](const Step& step) { return kTraffics[step.experiment.traffic].local; });
  steps_ = std::move(steps);
  step_ = 0;
  exchanges_left_ = 0;
  next_exchange();
}

// Posts the receive of the next exchange before the initiator sends.
void Responder::next_exchange() {
  while (exchanges_left_ == 0) {
    if (step_ == steps_.size()) return;
    const Step& step = steps_[step_];
    exchanges_left_ = step.warm_ups + std::uint64_t{step.repetitions} * step.batch;
    if (exchanges_left_ == 0) ++step_;
  }
  answered_ = false;
  protocol_.start(steps_[step_].experiment);
}

bool Responder::advance() {
  const bool progressed = protocol_.poll();
  const bool answers = step_ < steps_.size();  // else the initiator waits for its last receive
  if (!busy_.settled() || (answers && contended())) busy_.poll();
  if (!answers) return progressed;
  if (protocol_.received() && !answered_) {
    answered_ = true;
    protocol_.send();
    if (contended()) busy_.begin_transfer(steps_[step_].experiment.size_bytes);
  }
  if (answered_ && protocol_.sent()) {
    if (--exchanges_left_ == 0) ++step_;
    next_exchange();
  }
  return progressed;
}

PingPong::PingPong(Partner& partner, Buffers buffers, const node::InterferenceMeter* meter,
                   std::function<void()> line_up)
    : partner_(partner),
      busy_(partner.rails().busy),
      protocol_(*partner.rails().measured, std::move(buffers)),
      meter_(meter),
      line_up_(std::move(line_up)) {}

void PingPong::exchange(const Experiment& experiment) {
  protocol_.start(experiment);
  if (kTraffics[experiment.traffic].local) {
    protocol_.copy();
    return;
  }
  protocol_.send();
  if (experiment.contended) busy_.begin_transfer(experiment.size_bytes);
  poll_until([&] { return protocol_.received() && protocol_.sent(); });
}

template <class Done>
void PingPong::poll_until(Done done) {
  for (std::uint64_t polls_in_vain = 0; !done();) {
    const bool progressed = protocol_.poll();
    if (!busy_.settled()) busy_.poll();
    if (progressed) {
      polls_in_vain = 0;
    } else {
      partner_.idle(++polls_in_vain);
    }
  }
}

BlockResult PingPong::run(std::span<const Step> block) {
  BlockResult result;
  const Clock& time = partner_.clock();
  const node::Interference before = meter_ != nullptr ? meter_->read() : node::Interference{};
  const std::uint64_t block_start_ns = time.now_ns();
  partner_.begin(block);
  for (std::size_t at = 0; at < block.size(); ++at) {
    const Step& step = block[at];
    std::vector<std::uint64_t>& totals_ns = result.totals_ns.emplace_back();
    totals_ns.reserve(step.repetitions);
    for (std::uint32_t i = 0; i < step.warm_ups; ++i) exchange(step.experiment);
    if (!is_probe(step)) line_up_();
    for (std::uint32_t i = 0; i < step.repetitions; ++i) {
      const std::uint64_t start_ns = time.now_ns();
      for (std::uint32_t k = 0; k < step.batch; ++k) exchange(step.experiment);
      totals_ns.push_back(time.now_ns() - start_ns);
    }
    if (at + 1 < block.size() && block[at + 1].experiment.contended) continue;
    busy_.finish();
    poll_until([&] { return busy_.settled(); });
  }
  result.interference = partner_.finish();
  result.elapsed_ns = time.now_ns() - block_start_ns;
  if (meter_ != nullptr) result.interference += meter_->read().since(before);
  return result;
}

}  // namespace nmt::sampler
