// SPDX-License-Identifier: BSD-3-Clause
//
// Two hosts of the lab, and a secret that both ends of a command know.
#pragma once

#include <optional>
#include <string>

#include "tests/lab/lab.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {

class PeerSandbox : public Sandbox {
 protected:
  void SetUp() override;  // skips where there can be no lab

  std::string secret_file() const { return path("secret"); }

  // With this folder's commands in the PATH, for launchers and shells.
  Setting setting_with_path() const;

  // Starts the serving command in host one, with its output in the file "served".
  Process start_serving(std::vector<std::string> command) const;
  // Where it says that `tool` may find it.
  std::string served_at(const std::string& tool) const;
  // Returns once somebody has proven himself there: it listens no more.
  void await_meeting(const std::string& address) const;

  void cut(const std::string& host, const std::string& rail) const;

  std::optional<Lab> lab_;
};

}  // namespace nmt::testing
