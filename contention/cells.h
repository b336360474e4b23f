// SPDX-License-Identifier: BSD-3-Clause
//
// Measured alltoalls by cell (a number of ranks and a size) and session, in the form that fits use:
// checked, without outliers, and with each session's common factor separated.
//
// Private. The location of a session in a cell is the interquartile mean of its times. That of a
// cell is the mean over its sessions, each divided by the session's factor.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "contention/fit.h"

namespace nmt::contention {

struct AlltoallCell {
  std::int64_t ranks = 0;
  std::uint64_t size_bytes = 0;
  double messages = 0;     // through one NIC
  double bound_ns = 0;     // messages * duration of one message alone
  double processors = 0;   // n (n - 1) / cores where ranks share cores, else 0
  double duration_ns = 0;  // location
  double spread = 0;       // relative standard error of the location, without the sessions' factors
  double trust = 1;        // below 1 if the location is far from the model
};

class AlltoallTable {
 public:
  // Throws Error(kUsage) for data that cannot be fitted.
  AlltoallTable(const AlltoallTimes& measured, const FitOptions& options);

  const std::vector<AlltoallCell>& cells() const { return cells_; }
  std::size_t sessions() const { return factors_.size(); }
  std::size_t times() const { return times_; }
  std::size_t outliers() const { return outliers_; }
  // Relative spread of the sessions' factors; 0 if there is only one session.
  double session_spread() const { return session_spread_; }
  // Whether every cell has enough sessions for resampling.
  bool sessions_tell() const;

  // The cells' durations in another random draw of as many sessions.
  std::vector<double> resampled(std::mt19937_64& random) const;

 private:
  struct Group {  // one session's times of one cell
    std::size_t cell;
    std::size_t session;
    double location_ns;
    double count;
  };

  void make_cells(const AlltoallTimes& measured);
  void make_groups(const AlltoallTimes& measured);
  void find_factors();
  void find_spreads(std::span<const double> within);

  std::vector<AlltoallCell> cells_;
  std::vector<Group> groups_;
  std::vector<double> factors_;  // per session; their mean is 1
  std::size_t times_ = 0;
  std::size_t outliers_ = 0;
  double session_spread_ = 0;
};

}  // namespace nmt::contention
