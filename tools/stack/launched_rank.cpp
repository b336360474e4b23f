// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/launched_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "control/control.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/units.h"
#include "node/node.h"
#include "sampler/sampler.h"
#include "tools/sample/oversubscription.h"
#include "tools/stack/compare_rules.h"
#include "tools/stack/loaded_library.h"

namespace nmt::tools {
namespace {

constexpr std::chrono::milliseconds kUntilPrinted{200};

// One line per interface of this node: its name and its subnet.
std::string own_ports() {
  std::string lines;
  for (const auto& driver : drivers::make_drivers()) {
    if (driver->name() != "tcp") continue;
    for (const drivers::Port& port : driver->ports()) {
      lines += fmt::format("{} {}\n", port.rail.name, port.address);
    }
  }
  return lines;
}

// Interfaces of the first text whose subnet is also in the second, without those that Open MPI is
// configured to leave out.
json::Value shared_interfaces(const std::string& own, const std::string& theirs) {
  const char* included = std::getenv("OMPI_MCA_btl_tcp_if_include");
  const std::vector<std::string> chosen = split_list(included != nullptr ? included : "");
  json::Value names = json::Value::array();
  for (const auto& driver : drivers::make_drivers()) {
    if (driver->name() != "tcp") continue;
    std::istringstream ours(own);
    for (std::string name, address; ours >> name >> address;) {
      bool meets = false;
      std::istringstream others(theirs);
      for (std::string other, subnet; others >> other >> subnet;) {
        meets = meets || driver->meet(address, subnet);
      }
      const bool in_use =
          chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
      if (meets && in_use) names.push_back(name);
    }
  }
  return names;
}

Report measure(const control::MpiJob& job, const sampler::CollectivesOrder* collectives_order,
               const sampler::LaunchRoundOrder& order) {
  Report report;
  if (collectives_order != nullptr) {
    const sampler::CollectivesResult result =
        sampler::run_stack_collectives(job, *collectives_order);
    if (job.leads()) report.payload.set("collectives", sampler::to_json(result));
  } else {
    const sampler::LaunchRound timings = sampler::time_launch_round(job, order, RealClock());
    if (job.leads()) report.payload.set("turn", sampler::to_json(timings));
  }
  const sampler::JobShape shape = sampler::JobShape::of(job);
  const std::size_t cores = cores_of(job);
  const std::vector<std::string> hosts = job.gather(node::host_name());
  const std::vector<std::string> ports = job.gather(own_ports());
  report.silent = !job.leads();
  if (report.silent) return report;
  json::Value nodes = json::Value::array(), interfaces = json::Value::array();
  for (const std::vector<int>& ranks : shape.nodes) {
    nodes.push_back(hosts[static_cast<std::size_t>(ranks.front())]);
  }
  if (shape.nodes.size() > 1) {
    const auto next = static_cast<std::size_t>(shape.nodes[1].front());
    interfaces = shared_interfaces(ports[0], ports[next]);
  }
  const LoadedStack loaded = loaded_stack();
  report.payload.set("library", job.library()).set("library_file", loaded.library_file);
  report.payload.set("messages_by", sampler::messages_by(job));
  report.payload.set("control_variables", job.mpi().has_variables() != 0);
  report.payload.set("ucx_version", loaded_ucx_version());
  report.payload.set("libfabric_version", loaded_libfabric_version());
  report.payload.set("network", to_string(loaded.network));
  report.payload.set("ranks", job.size()).set("cores", cores);
  report.payload.set("hosts", std::move(nodes)).set("interfaces", std::move(interfaces));
  return report;
}

}  // namespace

Report run_launched_rank(const SampleOptions& options, const std::string& mpi) {
  const bool collectives = sampler::is_collectives_order(options.rank_order);
  const sampler::CollectivesOrder collectives_order =
      collectives ? sampler::collectives_order_from(options.rank_order)
                  : sampler::CollectivesOrder{};
  const sampler::LaunchRoundOrder order =
      collectives ? sampler::LaunchRoundOrder{}
                  : sampler::launch_round_order_from(options.rank_order);
  check_rules_are_here();
  const control::MpiJob job(mpi);
  try {
    return measure(job, collectives ? &collectives_order : nullptr, order);
  } catch (const Error& error) {
    // The job is aborted next, and launchers drop what ranks print while that happens.
    std::fprintf(stderr, "%s\n", error.what());
    std::this_thread::sleep_for(kUntilPrinted);
    throw;
  }
}

}  // namespace nmt::tools
