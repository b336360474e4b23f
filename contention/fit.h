// SPDX-License-Identifier: BSD-3-Clause
//
// The contention signature of one algorithm on one network, fitted to measured alltoalls.
//
// The model is that of core/signature.h, with two terms that the paper leaves open: gamma as a
// function of the number of ranks where the network is not saturated yet, and processor time,
// c n (n - 1) / cores, where ranks share cores. Sizes so small that no single gamma fits them keep
// the ratios that were measured.
//
// gamma and delta by generalized least squares for each possible M, with the spread of the
// replicates, what sessions share, and what the model misses as covariance; M where that fits best;
// the form of delta by which of the two predicts a number of ranks left out better; whether there
// is a delta at all by a bootstrap, since an F test is not valid where M was searched; intervals by
// a bootstrap over sessions. Outliers move nothing: docs/contention.md has the whole method.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contention/bound.h"
#include "core/signature.h"
#include "core/statistics.h"

namespace nmt {

// One alltoall: from the first start to the last end.
struct AlltoallTime {
  std::int64_t ranks = 0;
  std::uint64_t size_bytes = 0;  // to each rank
  std::uint32_t session = 0;     // times of one session share a factor that nothing else tells
  double duration_ns = 0;
};

struct AlltoallTimes {
  std::string algorithm = "direct";
  std::int64_t ranks_per_node = 1;
  std::int64_t cores = 0;               // under all ranks together; 0: at least one for each
  Curve message;                        // duration of one message alone, on the same network
  std::vector<ConnectionProbe> probes;  // many messages at a time, where that was measured
  std::vector<AlltoallTime> times;
};

enum class DeltaForm { kPerCommunication, kOnce };
std::string_view to_string(DeltaForm form);
std::optional<DeltaForm> parse_delta_form(std::string_view text);

struct FitOptions {
  // The paper's M; searched where there are at least six sizes, else no delta without it.
  std::optional<std::uint64_t> delta_from_bytes = {};
  // Needed where there is one number of ranks only, which cannot tell.
  std::optional<DeltaForm> delta_form = {};
  std::uint64_t seed = 1;
  std::size_t resamples = 200;
};

// gamma as found at one number of ranks, with its 95 % interval.
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
  double no_delta_probability = 1;  // of as much improvement by a delta where there is none
  std::vector<std::int64_t> ranks;  // that it was fitted on
  std::vector<std::uint64_t> sizes_bytes;
  std::size_t times = 0;  // outliers not counted
  std::size_t outliers = 0;
  std::size_t sessions = 0;
  std::vector<GammaAt> gamma_by_ranks;
  std::int64_t saturated_from = 0;  // one gamma serves from so many ranks on; 0: not that is known
  std::optional<TwoStates> two_states;  // of the probes; nullopt: there were fewer than two
  // Root mean square of the relative error at a number of ranks that was left out; nullopt where
  // there is one only.
  std::optional<double> error_left_out;
  std::vector<std::string> remarks;  // what its reader must know
  bool operator==(const SignatureFit&) const = default;
};

// Throws Error(kUsage) that names what is missing or impossible, and what to measure instead.
SignatureFit fit_signature(const AlltoallTimes& measured, const FitOptions& options);

// A signature that somebody published or typed in: no interval but its own error.
SignatureFit taken_as_given(const Signature& signature);

}  // namespace nmt
