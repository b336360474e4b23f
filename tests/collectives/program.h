// SPDX-License-Identifier: BSD-3-Clause
//
// MPI programs with libnmadtune-mpi.so in front of their MPI, by the name of the MPI.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/plan.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {

class InFrontOfMpi : public Sandbox, public ::testing::WithParamInterface<std::string> {
 protected:
  using Environment = std::map<std::string, std::string>;

  void SetUp() override;  // skips where that MPI is missing

  static std::string library_of(const std::string& mpi);  // empty where that MPI is missing

  // A source of this folder by that MPI's "mpicc" or "mpifort"; the program.
  std::string compile(const std::string& compiler, const std::string& source,
                      const std::string& flags = "", const std::string& name = "program") const;

  // The command of a job of these ranks, with the library in front or without.
  std::vector<std::string> job_command(const std::vector<std::string>& program, int ranks,
                                       bool in_front = true) const;
  // Of the job: no profile, unless `more` has one.
  Environment environment(Environment more) const;
  Result job(const std::vector<std::string>& program, int ranks, const Environment& more,
             bool in_front = true, double deadline_s = 60) const;

  // Whether a job ended with an error, as far as its launcher tells.
  bool failed(const Result& result) const;

  std::string mpi_name() const;  // as profiles store it

  // A profile with these rules, of this platform or of one that differs; its file. Rules without an
  // MPI are given this one.
  std::string write_profile(std::vector<SegmentRule> rules, const Fields& differs = {}) const;

  std::string library_;
};

// Whether the launcher ends by 0 after some jobs that a rank has ended: mpiexec.hydra 4.2
// (pmodels/mpich, issue 7057).
bool loses_exit_codes(const std::string& mpi);

// How often it is there.
int count(const std::string& text, const std::string& what);

}  // namespace nmt::testing
