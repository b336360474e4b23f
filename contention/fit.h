// SPDX-License-Identifier: BSD-3-Clause
//
// The contention signature of one algorithm on one network, fitted to measured alltoalls.
//
// The model is that of core/signature.h, with two terms that the paper leaves open: gamma by number
// of ranks where the network is not saturated, and processor time, c n (n - 1) / cores, where ranks
// share cores. Sizes too small for one gamma keep their measured ratios; where that predicts
// numbers of ranks that were left out better, all sizes do (contention/ratios.h).
//
// gamma and delta are fitted by generalized least squares for each possible M. The covariance
// consists of the spread of the replicates, the factor that a session shares, and the misfit of the
// model. M is the one that fits best. The form of delta is the one that better predicts a number of
// ranks left out. A bootstrap decides whether there is a delta, because an F test is not valid
// after a search for M. Intervals come from a bootstrap over sessions. Outliers have no effect.
// docs/contention.md has the complete method.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contention/bound.h"
#include "contention/named_groups.h"
#include "contention/topology.h"
#include "core/signature.h"
#include "core/statistics.h"

namespace nmt::contention {

// One alltoall: from the first start to the last end.
struct AlltoallTime {
  std::int64_t ranks = 0;
  std::uint64_t size_bytes = 0;  // to each rank
  std::uint32_t session = 0;     // times of one session share an unknown factor
  double duration_ns = 0;
};

struct AlltoallTimes {
  std::string algorithm = "direct";
  std::int64_t ranks_per_node = 1;
  std::int64_t cores = 0;               // that all ranks share; 0: at least one per rank
  Curve message;                        // duration of one message alone, on the same network
  std::vector<ConnectionProbe> probes;  // many messages at a time, if that was measured
  std::vector<AlltoallTime> times;
  std::optional<Topology> topology;  // what joins the nodes; nullopt: only NICs bound an exchange
  bool groups_measured = false;      // the topology is what was found: with_measured_switches()
  std::optional<MeasuredUplink> uplink_measured;  // and this is its uplink
  // The nodes that were found to share switches, in any job; no nodes: none do; nullopt: not
  // measured. A fit uses them where with_measured_switches() made them the topology.
  std::optional<NamedGroups> groups;
  // By session: the nodes of the ranks, in order. A session without any is on the topology's first.
  std::map<std::uint32_t, std::vector<std::string>> hosts;
  std::vector<std::string> remarks;  // for the reader of a fit of these times
};

enum class DeltaForm { kPerCommunication, kOnce };
std::string_view to_string(DeltaForm form);
std::optional<DeltaForm> parse_delta_form(std::string_view text);

// What predicts: gamma and delta, or the measured ratio of each size to the bound
// (contention/ratios.h).
enum class PredictedBy { kSignature, kRatios };

struct FitOptions {
  // The paper's M. Without it, M is searched if there are at least six sizes; else there is no
  // delta.
  std::optional<std::uint64_t> delta_from_bytes = {};
  // Required if there is only one number of ranks, which does not determine it.
  std::optional<DeltaForm> delta_form = {};
  // Without it, whichever predicts numbers of ranks that are left out better.
  std::optional<PredictedBy> predicted_by = {};
  std::uint64_t seed = 1;
  std::size_t resamples = 200;
};

// What was measured of one number of ranks and one size, beside the bound.
struct MeasuredAlltoall {
  std::int64_t ranks = 0;
  std::uint64_t size_bytes = 0;
  double duration_ns = 0;
  double bound_ns = 0;
  bool operator==(const MeasuredAlltoall&) const = default;
};

// gamma at one number of ranks, with its 95 % interval.
struct GammaAt {
  std::int64_t ranks = 0;
  double gamma = 1;
  Interval interval;
  bool operator==(const GammaAt&) const = default;
};

struct SignatureFit {
  Signature signature;
  Interval gamma;
  Interval delta_ns;
  Interval delta_from_bytes;
  double no_delta_probability = 1;  // of an equal improvement by chance, without a delta
  std::vector<std::int64_t> ranks;  // used in the fit
  std::vector<std::uint64_t> sizes_bytes;
  std::size_t times = 0;  // without outliers
  std::size_t outliers = 0;
  std::size_t sessions = 0;
  std::vector<GammaAt> gamma_by_ranks;
  std::int64_t saturated_from = 0;  // one gamma holds from this number of ranks on; 0: unknown
  std::vector<MeasuredAlltoall> measured;    // by ranks and size, the small sizes included
  std::vector<ConnectionProbe> connections;  // many messages at a time, if that was measured
  std::optional<TwoStates> two_states;       // from them; nullopt: fewer than two numbers of them
  // Root mean square of ln(measured / predicted) at a number of ranks that was left out; nullopt if
  // there is only one.
  std::optional<double> error_left_out;
  std::optional<Topology> topology;  // with the uplinks that were fitted; nullopt: only NICs bound
  bool uplink_fitted = false;        // some uplink was unknown before the fit, and is known now
  bool groups_measured = false;      // the topology is what was found, and goes on alike beyond it
  std::optional<MeasuredUplink> uplink_measured;  // of the switches whose uplink no file states
  std::vector<std::string> remarks;               // for the reader of the fit
  bool operator==(const SignatureFit&) const = default;
};

// Throws Error(kUsage) that names what is missing or impossible, and what to measure instead.
SignatureFit fit_signature(const AlltoallTimes& given, const FitOptions& options);

// A signature that was published or typed in: it has no interval except its own error.
SignatureFit taken_as_given(const Signature& signature);

}  // namespace nmt::contention
