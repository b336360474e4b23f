// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/executor.h"

#include <algorithm>

namespace nmt::sampler {
namespace {

constexpr int kAllRanks = 0;      // the group of all ranks
constexpr double kStartNs = 1e6;  // minimum time from the order to the agreed start

// Of a rank's messages, or of all ranks'.
struct Durations {
  double sum_ns = 0;
  double longest_ns = 0;

  void add(const Durations& more) {
    sum_ns += more.sum_ns;
    longest_ns = std::max(longest_ns, more.longest_ns);
  }
};

}  // namespace

JobShape JobShape::of(const control::MpiJob& job) {
  std::map<int, std::vector<int>> by_node;
  const std::vector<int> nodes = job.nodes();
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    by_node[nodes[rank]].push_back(static_cast<int>(rank));
  }
  JobShape shape;
  for (const auto& [lowest, ranks] : by_node) shape.nodes.push_back(ranks);
  const std::size_t per_node = shape.nodes.front().size();
  const bool same =
      std::ranges::all_of(shape.nodes, [&](const auto& ranks) { return ranks.size() == per_node; });
  if (same) shape.ranks_per_node = static_cast<int>(per_node);
  return shape;
}

JobExecutor::JobExecutor(const control::MpiJob& job, const JobShape& shape)
    : job_(job), shape_(shape), clock_(job, shape_.nodes, real_) {}

// Called by all ranks.
int JobExecutor::group_of(int ranks) {
  const auto known = groups_.find(ranks);
  if (known != groups_.end()) return known->second;
  std::vector<int> members;
  for (const std::vector<int>& node : shape_.nodes) {
    if (members.size() == static_cast<std::size_t>(ranks)) break;
    members.insert(members.end(), node.begin(), node.end());
  }
  return groups_[ranks] = job_.mpi().group(members.data(), ranks);
}

std::vector<double> JobExecutor::run(const Order& order) {
  switch (order.operation) {
    case JobOperation::kEnd:
      return {};
    case JobOperation::kClock:
      clock_.synchronise();
      return {};
    case JobOperation::kMessage:
      return run_message(order);
    case JobOperation::kEarly:
      return run_early(order);
    case JobOperation::kDirect:
    case JobOperation::kLibrary:
      return run_alltoall(order);
    case JobOperation::kConnections:
      return run_connections(order);
    case JobOperation::kCollective:
      return run_collective(order);
    case JobOperation::kFlows:
      return run_flows(order);
  }
  return {};
}

void JobExecutor::follow() {
  for (Order order;;) {
    job_.mpi().broadcast(&order, sizeof order);
    if (order.operation == JobOperation::kEnd) return;
    run(order);
  }
}

void JobExecutor::make_room(std::uint64_t size_bytes) {
  if (from_.size() >= size_bytes) return;
  from_.assign(size_bytes, std::byte{0x5a});
  to_.assign(size_bytes, std::byte{0});
}

std::vector<double> JobExecutor::run_message(const Order& order) {
  const int partner = order.subject;
  if (job_.rank() != 0 && job_.rank() != partner) return {};
  make_room(order.size_bytes);
  std::vector<double> durations_ns;
  for (std::uint32_t i = 0; i < order.repetitions; ++i) {
    const double start_ns = clock_.now_ns();
    if (job_.leads()) job_.mpi().send(from_.data(), order.size_bytes, partner);
    job_.mpi().receive(to_.data(), order.size_bytes, partner - job_.rank());
    if (!job_.leads()) job_.mpi().send(from_.data(), order.size_bytes, 0);
    durations_ns.push_back((clock_.now_ns() - start_ns) / 2);
  }
  return durations_ns;
}

std::vector<double> JobExecutor::run_early(const Order& order) {
  make_room(order.size_bytes);
  if (job_.leads()) {
    return {job_.mpi().send_early(from_.data(), order.size_bytes, order.subject) != 0 ? 1.0 : 0.0};
  }
  if (job_.rank() == order.subject) {
    std::int32_t gone = 0;
    job_.mpi().take(&gone, sizeof gone, 0);
    job_.mpi().receive(to_.data(), order.size_bytes, 0);
  }
  return {};
}

// The start time, set by rank 0: when all ranks have received it.
double JobExecutor::agree() {
  const double said_ns = clock_.now_ns();
  double agreed_ns = said_ns + 2 * word_ns_ + kStartNs;
  job_.mpi().broadcast(&agreed_ns, sizeof agreed_ns);
  word_ns_ = std::max(word_ns_ / 2, clock_.now_ns() - said_ns);
  return agreed_ns;
}

std::vector<double> JobExecutor::run_alltoall(const Order& order) {
  const nmt_mpi_table& mpi = job_.mpi();
  const int group = group_of(order.subject);
  const bool takes_part = mpi.group_rank(group) >= 0;
  if (takes_part) make_room(order.size_bytes * static_cast<std::uint64_t>(job_.size()));
  const auto alltoall = order.operation == JobOperation::kDirect ? mpi.exchange : mpi.alltoall;
  std::vector<double> durations_ns;
  for (std::uint32_t i = 0; i < order.repetitions; ++i) {
    const double agreed_ns = agree();
    if (!takes_part) continue;
    clock_.wait_until(agreed_ns);
    double start_ns = clock_.now_ns();
    alltoall(group, from_.data(), to_.data(), order.size_bytes);
    double end_ns = clock_.now_ns();
    clock_.rest_until(agreed_ns + order.rest_ns);
    mpi.least_and_most(group, &start_ns, &end_ns);
    durations_ns.push_back(end_ns - start_ns);
  }
  return durations_ns;
}

std::vector<double> JobExecutor::run_collective(const Order& order) {
  make_room(collectives_.room_bytes(order));
  std::vector<double> durations_ns;
  for (std::uint32_t i = 0; i < order.repetitions; ++i) {
    const double agreed_ns = agree();
    clock_.wait_until(agreed_ns);
    double start_ns = clock_.now_ns();
    collectives_.run(order, from_.data(), to_.data());
    double end_ns = clock_.now_ns();
    clock_.rest_until(agreed_ns + order.rest_ns);
    job_.mpi().least_and_most(kAllRanks, &start_ns, &end_ns);
    durations_ns.push_back(end_ns - start_ns);
  }
  return durations_ns;
}

std::vector<double> JobExecutor::run_connections(const Order& order) {
  const std::size_t nodes = shape_.nodes.size();
  std::vector<int> to, from;
  for (std::size_t i = 0; i < static_cast<std::size_t>(order.subject); ++i) {
    const int near = shape_.nodes[i % nodes].front();
    const int far = shape_.nodes[(i % nodes + 1 + i / nodes) % nodes].front();
    if (near == job_.rank()) to.push_back(far);
    if (far == job_.rank()) from.push_back(near);
  }
  make_room(order.size_bytes * std::max<std::size_t>(from.size(), 1));
  const auto now = [](void* clock) { return static_cast<const JobClock*>(clock)->now_ns(); };
  std::vector<double> figures_ns;
  for (std::uint32_t i = 0; i < order.repetitions; ++i) {
    const double agreed_ns = agree();
    std::vector<double> ends_ns(from.size());
    clock_.wait_until(agreed_ns);
    job_.mpi().flood(to.data(), static_cast<int>(to.size()), from.data(),
                     static_cast<int>(from.size()), from_.data(), to_.data(), order.size_bytes, now,
                     &clock_, ends_ns.data());
    Durations own;
    for (const double end_ns : ends_ns) own.add({end_ns - agreed_ns, end_ns - agreed_ns});
    std::vector<Durations> of_ranks(job_.leads() ? static_cast<std::size_t>(job_.size()) : 0);
    job_.mpi().gather(&own, of_ranks.data(), sizeof own);
    Durations all;
    for (const Durations& each : of_ranks) all.add(each);
    figures_ns.push_back(all.sum_ns / order.subject);
    figures_ns.push_back(all.longest_ns);
  }
  return figures_ns;
}

std::vector<double> JobExecutor::run_flows(const Order& order) {
  const std::size_t nodes = shape_.nodes.size();
  receivers_.resize(nodes, kNoFlow);
  job_.mpi().broadcast(receivers_.data(), nodes * sizeof receivers_.front());
  std::vector<int> to, from;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (receivers_[node] == kNoFlow) continue;
    const int near = shape_.nodes[node].front();
    const int far = shape_.nodes[static_cast<std::size_t>(receivers_[node])].front();
    if (near == job_.rank()) to.push_back(far);
    if (far == job_.rank()) from.push_back(near);
  }
  make_room(order.size_bytes);
  const auto now = [](void* clock) { return static_cast<const JobClock*>(clock)->now_ns(); };
  const double agreed_ns = agree();
  double end_ns = agreed_ns;
  if (!to.empty() || !from.empty()) {
    clock_.wait_until(agreed_ns);
    job_.mpi().flood(to.data(), static_cast<int>(to.size()), from.data(),
                     static_cast<int>(from.size()), from_.data(), to_.data(), order.size_bytes, now,
                     &clock_, &end_ns);
  }
  const double own_ns = end_ns - agreed_ns;
  std::vector<double> of_ranks(job_.leads() ? static_cast<std::size_t>(job_.size()) : 0);
  job_.mpi().gather(&own_ns, of_ranks.data(), sizeof own_ns);
  std::vector<double> of_nodes;
  for (std::size_t node = 0; job_.leads() && node < nodes; ++node) {
    of_nodes.push_back(of_ranks[static_cast<std::size_t>(shape_.nodes[node].front())]);
  }
  return of_nodes;
}

}  // namespace nmt::sampler
