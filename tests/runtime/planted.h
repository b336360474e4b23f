// SPDX-License-Identifier: BSD-3-Clause
//
// Plans made for tests of the runtime, and profiles opened from them as a communication stack
// would: compiled, written, read.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan.h"
#include "include/nmadtune.h"
#include "runtime/compile.h"

namespace nmt::planted {

PlanCurve curve(std::string_view benchmark, std::string_view method, std::vector<Point> points,
                double half_width = 0);
Threshold threshold(DecisionKind kind, std::vector<std::uint64_t> changes,
                    bool begins_above = false);
RailPlan rail(const std::string& name, std::vector<PlanCurve> curves,
              std::vector<Threshold> thresholds = {});

// One that only knows rendezvous, with this curve.
RailPlan plain_rail(const std::string& name, std::vector<Point> points);

// A rail as measured ones look: a start-up, a bandwidth that settles, jumps between protocols,
// noise; all of it from `random`.
RailPlan random_rail(std::mt19937_64& random, const std::string& name, double noise = 0.01);
// With copy, iovec, rendezvous, two packets and aggregates, and thresholds of any shape.
RailPlan random_full_rail(std::mt19937_64& random, const std::string& name);

Plan plan(std::vector<RailPlan> rails);
// Everything that a snapshot can hold: these rails, two or more, the first of them also measured
// while the second was busy, and what collectives need.
Plan full_plan(std::mt19937_64& random, const std::vector<std::string>& names);
runtime::Provenance provenance();

// The two rails of paper "multirail on multicore", IV-A.
std::vector<RailPlan> paper_rails();

// A folder that goes with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_file(const std::string& file, std::span<const std::byte> bytes);

// An open profile of a plan. The machine is one that shows nothing of itself, unless told
// otherwise, so that nothing is foreign.
class Profile {
 public:
  explicit Profile(const Plan& plan, const runtime::Provenance& provenance = planted::provenance());
  ~Profile() { nmt_close(profile_); }
  Profile(const Profile&) = delete;
  nmt_profile* get() const { return profile_; }
  int path(const char* rail) const { return nmt_find_path(profile_, rail, nullptr); }

 private:
  Folder folder_;
  nmt_profile* profile_ = nullptr;
};
nmt_open_options open_options(const std::string& file);

inline constexpr const char* kBareMachine = "/nonexistent";

}  // namespace nmt::planted
