// SPDX-License-Identifier: BSD-3-Clause
//
// Hosts of the lab, a folder with a profile and exported files, and the commands as a user runs
// them there; all of it gone with the object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"

namespace nmt::bench {

class Stage {
 public:
  // `lab` as scripts/lab up takes it: "rails 1000 600", "cluster --hosts 4".
  explicit Stage(const std::string& lab);
  ~Stage();
  Stage(const Stage&) = delete;

  // A command line that launches jobs of "openmpi" or "mpich", with the lab's options for it.
  std::string launcher(const std::string& mpi, const std::string& options) const;
  std::filesystem::path folder() const { return folder_; }

  // nmad-sample, nmad-tune with a profile of the stage; what they say as JSON. Elapsed seconds
  // where asked for.
  json::Value sample(const std::string& arguments, double* elapsed_s = nullptr,
                     const std::string& profile = "profile.db") const;
  json::Value tune(const std::string& arguments) const;

 private:
  std::string name_;
  std::string lab_;
  std::filesystem::path folder_;
};

// A row of nmad-tune ab.
struct Compared {
  std::string rail;
  std::uint64_t size_bytes = 0;
  double default_ns = 0;
  double tuned_ns = 0;
  double ratio = 0;  // default over tuned
  double ratio_high = 0;
};
std::vector<Compared> compared_in(const json::Value& ab);

}  // namespace nmt::bench
