// SPDX-License-Identifier: BSD-3-Clause
//
// Hosts of the lab, a folder with a profile and exported files, and the commands as a user runs
// them there; all of it gone with the object.
#pragma once

#include <filesystem>
#include <string>

#include "core/json.h"

namespace nmt::bench {

class Stage {
 public:
  // `lab` as scripts/lab up takes it: "rails 1000 600", "cluster --hosts 4".
  explicit Stage(const std::string& lab);
  ~Stage();
  Stage(const Stage&) = delete;

  // What scripts/lab says of the lab: "rate h3 80mbit".
  std::string lab(const std::string& verb) const;
  // Command lines in front of a command: that run it in a host, that launch it as jobs of "openmpi"
  // or "mpich", with the lab's options for it.
  std::string in(const std::string& host) const;
  std::string launcher(const std::string& mpi, const std::string& options) const;
  std::filesystem::path folder() const { return folder_; }
  const std::string& name() const { return name_; }

  // nmad-sample, nmad-tune with a profile of the stage; what they say as JSON. Elapsed seconds
  // where asked for.
  json::Value sample(const std::string& arguments, double* elapsed_s = nullptr,
                     const std::string& profile = "profile.db") const;
  json::Value tune(const std::string& arguments) const;
  // nmad-sample behind a command line, of which only the profile counts; that a machine was too
  // disturbed for its results to be trusted is no failure.
  void sample_behind(const std::string& command, const std::string& arguments) const;

 private:
  std::string name_;
  std::string lab_;
  std::filesystem::path folder_;
};

}  // namespace nmt::bench
