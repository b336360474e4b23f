// SPDX-License-Identifier: BSD-3-Clause
//
// The files of examples/cluster_checks as a package installs them below the test's folder, beside
// the commands of this build, and a profile whose durations are planted: this machine is slower or
// faster than it says, whatever else it does.
#pragma once

#include <functional>
#include <string>

#include "tests/tools/sandbox.h"

namespace nmt::testing {

// Of all messages of the profile; those of no machine.
inline constexpr double kTooFastNs = 10;
inline constexpr double kTooSlowNs = 3.9e6;

class ClusterChecks : public Sandbox {
 protected:
  ClusterChecks();

  std::string installed(const std::string& name) const {
    return path("share/nmadtune/cluster/" + name);
  }
  // A script of the site that starts an installed one with the planted profile.
  std::string of_site(const std::string& name) const;
  std::string executable(const std::string& name, const std::string& line) const;
  std::string profile() const { return path("profile.db"); }

  // Adds five launches to the profile: within host `near`, or to `far` where that is named.
  void plant(double duration_ns, const std::string& rail, const std::string& near,
             const std::string& far = "") const;
  // What the checks before have recorded, of whichever host, and how many alarms in a row.
  std::string record() const;
  int alarms() const;
  // The first of them becomes one of that date.
  void date_first_alarm(const std::string& date) const;
  // On a busy machine a check may find no time for an answer, and is made again.
  static void check_until(const std::function<bool()>& answered,
                          const std::function<void()>& check);

 private:
  std::string record_name() const;  // empty if there is none
};

}  // namespace nmt::testing
