// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample in a job of a real MPI, over the hosts of a cluster in the lab. The parameter is the
// MPI: "openmpi" or "mpich".
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/lab/lab.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {

class Job : public Sandbox, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
    const std::string launcher = launcher_name();
    if (run({launcher, "--version"}).exit_code != 0) GTEST_SKIP() << launcher << " is missing";
    bring_up();
  }
  virtual void bring_up() { lab_.emplace(Cluster{.hosts = 4}); }

  Result sample(std::vector<std::string> options, const std::vector<std::string>& more) const;

  static std::string launcher_name() {
    return GetParam() == "openmpi" ? "mpirun.openmpi" : "mpiexec.hydra";
  }

  // Two ranks here.
  static std::vector<std::string> local_launcher() {
    std::vector<std::string> command = {launcher_name(), "-n", "2"};
    if (GetParam() == "openmpi") {
      command.insert(command.end(), {"--allow-run-as-root", "--oversubscribe"});
    }
    return command;
  }

  std::optional<Lab> lab_;
};

}  // namespace nmt::testing
