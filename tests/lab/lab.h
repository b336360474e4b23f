// SPDX-License-Identifier: BSD-3-Clause
//
// Two hosts and shaped rails between them, or a cluster on a switch, for one test, made by
// scripts/lab (docs/lab.md).
//
//   if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
//   const Lab lab({1000, 600});
//   run(lab.in("two", {"nmad-sample", "--peer", lab.address("one", 0)}));
//
// Each lab has a name and network namespaces of its own, so that tests may run side by side. It
// goes with the object, and within about a second of its process however that ends.
#pragma once

#include <string>
#include <vector>

namespace nmt::testing {

// As scripts/lab takes them.
struct Cluster {
  std::string rate = "100mbit";
  std::string queue = "64kb";
  unsigned hosts = 4;
};

class Lab {
 public:
  // Why there can be no lab here; empty where there can.
  static std::string missing();

  // One rail for each rate, "r0" the first. Error where missing() is not empty.
  explicit Lab(const std::vector<unsigned>& rates_mbits_per_s);
  explicit Lab(const Cluster& cluster);  // hosts "h0", "h1" ...
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  const std::string& name() const { return name_; }

  // The command line that runs `arguments` in host "one" or "two"; the command replaces what
  // starts it, so that a signal to the process reaches it.
  std::vector<std::string> in(const std::string& host, std::vector<std::string> arguments) const;

  // The command line of a job of "openmpi" or "mpich"; `options` are those of the verb `mpi`. Ranks
  // that wait sleep, unless told otherwise: tests beside this one need the cores, and none of these
  // is about time.
  std::vector<std::string> job(const std::string& mpi, std::vector<std::string> options,
                               const std::vector<std::string>& command) const;

  // The command line that runs a command of Slurm (srun, sbatch, salloc) on the first host of a
  // cluster; the first of them starts Slurm. Why there can be none here; empty where there can.
  std::vector<std::string> slurm(const std::vector<std::string>& command) const;
  static std::string slurm_missing();

  // From now on rail "rN", or a host's port, has this rate, both ways.
  void rate(const std::string& which, unsigned mbits_per_s) const;

  // Moves the calling thread into a host's network for good: for forked processes, which then end
  // with the lab.
  void enter(const std::string& host) const;

  // Of rail "rN" in a host.
  std::string address(const std::string& host, unsigned rail) const;

 private:
  void up(const std::vector<std::string>& what);

  std::string name_;
};

}  // namespace nmt::testing
