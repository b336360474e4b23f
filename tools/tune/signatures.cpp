// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/signatures.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "tools/command/options.h"
#include "tools/tune/alltoall_terms.h"
#include "tools/tune/open_profile.h"
#include "tools/tune/read_file.h"

namespace nmt::tools {
namespace {

constexpr char kMeasured[] = "measured";  // --topology

struct Measured {
  Platform platform;
  std::vector<contention::AlltoallTimes> times;
};

std::vector<contention::AlltoallTimes> times_on(const profiledb::ProfileDb& db,
                                                const Platform& platform) {
  return contention::alltoall_times(db.sample_sets_in_force(platform.id));
}

// From the platform that other subcommands would choose, if it has alltoalls or was requested; else
// from the only platform that has some.
Measured measured_in(const ProfileOptions& options, const Invocation& invocation) {
  const OpenProfile profile = open_to_read(options, invocation);
  Measured measured{profile.platform, times_on(profile.db, profile.platform)};
  if (!measured.times.empty() || !options.platform.empty()) return measured;
  std::vector<Measured> others;
  for (const Platform& platform : profile.db.platforms()) {
    std::vector<contention::AlltoallTimes> times = times_on(profile.db, platform);
    if (!times.empty()) others.push_back({platform, std::move(times)});
  }
  if (others.size() == 1) {
    invocation.notice(fmt::format("taking the alltoalls of {}", others.front().platform.name));
    return others.front();
  }
  if (others.empty()) return measured;
  std::vector<std::string> names;
  for (const Measured& other : others) {
    names.push_back(fmt::format("{} ({})", short_id(other.platform.id), other.platform.name));
  }
  throw Error(
      Fault::kUsage,
      fmt::format("the profile has alltoalls of several platforms; choose one with --platform{}",
                  suggestion("", names)));
}

std::string name_of(const contention::AlltoallTimes& times) {
  return fmt::format("{}, {} per node", times.algorithm, times.ranks_per_node);
}

contention::AlltoallTimes chosen(std::vector<contention::AlltoallTimes> all,
                                 const SignatureChoice& choice) {
  std::vector<std::string> names;
  for (const contention::AlltoallTimes& times : all) names.push_back(name_of(times));
  std::erase_if(all, [&](const contention::AlltoallTimes& times) {
    return !times.algorithm.starts_with(choice.algorithm) ||
           (choice.ranks_per_node &&
            static_cast<std::uint64_t>(times.ranks_per_node) != *choice.ranks_per_node);
  });
  if (all.size() == 1) return all.front();
  if (names.empty()) {
    throw Error(Fault::kUsage,
                "the profile has no alltoalls; import outputs of other tools with nmad-tune "
                "import-alltoall, or give a signature with --signature");
  }
  throw Error(
      Fault::kUsage,
      fmt::format(
          "{} signatures of the profile match; choose one with --algorithm and --ranks-per-node{}",
          all.empty() ? "none" : "several", suggestion("", names)));
}

std::optional<contention::Topology> topology_of(const SignatureChoice& choice) {
  if (choice.topology == kMeasured) return {};
  if (choice.topology.empty()) {
    if (!choice.uplink.empty()) {
      throw Error(Fault::kUsage, "--uplink is about the switches of a topology; give --topology");
    }
    return {};
  }
  contention::Topology topology =
      contention::read_topology(read_file(choice.topology), choice.topology);
  if (choice.uplink.empty()) return topology;
  return topology.with_uplink(parse_ratio("--uplink", choice.uplink));
}

// What measuring found of switches, where it was asked for or completes a file.
contention::AlltoallTimes with_switches(contention::AlltoallTimes times,
                                        const SignatureChoice& choice) {
  if (choice.topology.empty()) return times;
  const bool asked = choice.topology == kMeasured;
  if (asked && !times.groups) {
    throw Error(Fault::kUsage,
                "--topology measured: the profile has no groups of nodes; mpirun nmad-sample "
                "--parts alltoall on 4 nodes or more looks for them, or name a file");
  }
  if (asked && !choice.uplink.empty()) {
    const double nics = parse_ratio("--uplink", choice.uplink);
    times.groups->uplink = contention::MeasuredUplink{nics, {nics, nics}};
  }
  return contention::with_measured_switches(std::move(times));
}

}  // namespace

void declare_signature_choice(Options& options, SignatureChoice& choice) {
  options.text("--algorithm", choice.algorithm, "NAME",
               "algorithm (default: the profile's only one)");
  options.count("--ranks-per-node", choice.ranks_per_node,
                "ranks on each node (default: the profile's only number)");
  options
      .choice("--delta-form", choice.delta_form, {"per_communication", "once"},
              "how delta is added (default: the form that predicts better)")
      .rare();
  options
      .bytes("--from", choice.delta_from_bytes, {.low = 1},
             "size at which delta begins, the paper's M (default: searched)")
      .rare();
  options.text(
      "--topology", choice.topology, "FILE",
      "switches: Slurm's topology.conf, the output of ibnetdiscover, or 'measured'\n"
      "The cables of a switch bound an exchange as a NIC does. Ranks are on the nodes that "
      "were measured; predictions are for the first nodes of the file. measured: the groups of "
      "nodes that nmad-sample found to share switches; more nodes are taken to be in groups like "
      "the largest one. If it found none, predictions for more nodes are refused.");
  options.text("--uplink", choice.uplink, "NICS",
               "bandwidth of a switch's uplinks, in NICs of a node (default: the file's, else "
               "measured, else fitted)");
}

ChosenSignature choose_signature(const SignatureChoice& choice, const ProfileOptions& profile,
                                 const Invocation& invocation) {
  std::optional<contention::Topology> topology = topology_of(choice);
  if (!choice.given.empty()) {
    if (choice.topology == kMeasured) {
      throw Error(Fault::kUsage,
                  "--topology measured: a signature on the command line has no measured groups; "
                  "name a file");
    }
    ChosenSignature given{contention::taken_as_given(parse_signature(choice.given)), {}};
    given.fit.topology = std::move(topology);
    return given;
  }
  const Measured measured = measured_in(profile, invocation);
  contention::FitOptions options{.delta_form = contention::parse_delta_form(choice.delta_form)};
  if (choice.delta_from_bytes > 0) options.delta_from_bytes = choice.delta_from_bytes;
  contention::AlltoallTimes times = chosen(measured.times, choice);
  times.topology = std::move(topology);
  return {contention::fit_signature(with_switches(std::move(times), choice), options),
          measured.platform};
}

}  // namespace nmt::tools
