// SPDX-License-Identifier: BSD-3-Clause
//
// A campaign over all nodes of a job, part by part, from the view of one rank.
//
// Rank 0 orders the next part (tools/sample/job_parts.h), stores the profile and reports. The other
// ranks follow until its last order, which comes in any case. The first rank of a node acts for it.
// `node` is measured by one node of each platform; `pairs` by two nodes at a time, first by one
// rank of each, then by several, over the job's own connection instead of a control socket; in
// `mpi` and `alltoall` all ranks take part.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/control.h"
#include "sampler/sampler.h"
#include "tools/sample/campaign.h"
#include "tools/sample/job_parts.h"
#include "tools/sample/job_report.h"
#include "tools/sample/job_shares.h"

namespace nmt::tools {

class JobCampaign {
 public:
  JobCampaign(const control::MpiJob& job, const SampleOptions& options,
              const Invocation& invocation, std::string mpi);

  Report lead();
  Report follow();

 private:
  // For every rank.
  Gathered run_part(const JobOrder& order, const Interruption& interruption,
                    profiledb::ProfileDb* profile);
  std::vector<FlowTime> run_flows(const JobOrder& order, sampler::Observer* observer);
  sampler::CampaignReport run_together(const JobOrder& order, sampler::Observer* observer);
  sampler::AlltoallOptions alltoall_options(const JobOrder& order) const;
  control::Connection connection_to(int rank) const;

  // Of the first so many nodes, in their order, between commas.
  std::string hosts_of_nodes(std::size_t nodes) const;

  // Only for rank 0.
  void send_order(const JobOrder& order) const;
  void measure(const Launch& launch, const std::vector<Part>& parts, JobFindings* findings);
  void run_all_shares(const JobOrder& order, const Launch& launch, JobFindings* findings);
  void measure_node(const Launch& launch, double budget_ns, JobFindings* findings);
  void measure_pairs(const Launch& launch, double budget_ns, JobFindings* findings);
  double measure_alone(const Launch& launch, const std::vector<sampler::Round>& rounds,
                       double budget_ns, JobFindings* findings);
  void measure_many_ranks(const Launch& launch, const std::vector<sampler::Round>& rounds,
                          double budget_ns, JobFindings* findings);
  void measure_round(const Launch& launch, const sampler::RoundOfRanks& round,
                     const std::string& what, double budget_ns, JobFindings* findings);
  std::vector<sampler::Round> rounds_of_pairs() const;
  std::vector<std::size_t> ranks_of_nodes() const;
  // Of what each rank has, what the first rank of each node has.
  std::vector<std::string> of_nodes(const std::vector<std::string>& of_ranks) const;
  // A host that rules for collectives of the first node are not for; empty: there is none.
  std::string host_unlike_first() const;
  std::vector<std::size_t> numbers_of_ranks() const;
  std::optional<std::size_t> node_called(const std::string& host) const;
  std::vector<sampler::NodePair> asked_pairs() const;
  std::vector<sampler::NodePair> suspected_pairs(const std::vector<Link>& links) const;
  void measure_mpi(const Launch& launch, Part part, double budget_ns, JobFindings* findings);
  std::string measure_groups(const Launch& launch, double budget_ns, JobFindings* findings);
  void measure_shapes(const Launch& launch, double budget_ns, JobFindings* findings);
  void measure_together(const Launch& launch, const JobOrder& order, const SampleOptions& options,
                        Fields more, JobFindings* findings);

  const control::MpiJob& job_;
  const SampleOptions& options_;
  const Invocation& invocation_;
  std::string mpi_;
  std::uint64_t seed_;
  sampler::JobShape shape_;
  std::size_t cores_ = 0;                     // of all ranks together
  std::vector<std::string> hosts_;            // of each rank
  std::vector<std::string> platforms_;        // digest, of each node's first rank; else empty
  std::vector<std::string> for_collectives_;  // likewise, of node::fingerprint_for_collectives()
  std::size_t round_ = 0;                     // of pairs, the last one
};

}  // namespace nmt::tools
