// SPDX-License-Identifier: BSD-3-Clause
//
// Open MPI over the same two rails, in turns with the engine: as it comes, and told the rails' true
// weights by hand, which is what a user gets who knows them.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/output_of.h"
#include "bench/rails/groups.h"
#include "bench/rails/two_hosts.h"
#include "bench/row.h"
#include "core/statistics.h"

namespace nmt::bench {
namespace {

constexpr int kTurns = 3;
constexpr const char* kSizes = "64K,256K,1M,4M,16M";
constexpr const char* kSizesInBytes = "65536 262144 1048576 4194304 16777216";
constexpr const char* kTrueWeights =
    "--mca btl_tcp_bandwidth_r0 1000 --mca btl_tcp_bandwidth_r1 600";

using Times = std::map<std::uint64_t, std::vector<double>>;

// A folder with the program, and the agent by which mpirun starts its daemon in another host.
class Job {
 public:
  explicit Job(const TwoHosts& hosts) : hosts_(hosts) {
    std::string name = std::filesystem::temp_directory_path() / "nmadtune-bench-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = name;
    std::ofstream(folder_ / "agent")
        << "#!/bin/sh\nhost=$1\nshift\nexec " << hosts.lab() << " run \"$host\" sh -c \"$*\"\n";
    ::chmod((folder_ / "agent").c_str(), 0700);
    output_of(
        fmt::format("mpicc.openmpi -O2 {} -o {}/ping-pong", NMT_MPI_PING_PONG, folder_.string()));
  }
  ~Job() { std::filesystem::remove_all(folder_); }
  Job(const Job&) = delete;

  void run(const std::string& settings, Times& times) const {
    std::istringstream lines(hosts_.run(fmt::format(
        "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi -np 2 "
        "--host one,two --oversubscribe --mca plm_rsh_agent {0}/agent --mca oob_tcp_if_include r0 "
        "--mca btl tcp,vader,self --mca btl_tcp_if_include r0,r1 --mca mpi_yield_when_idle 1 {1} "
        "{0}/ping-pong {2}",
        folder_.string(), settings, kSizesInBytes)));
    std::uint64_t size_bytes = 0;
    for (double time_ns = 0; lines >> size_bytes >> time_ns;) times[size_bytes].push_back(time_ns);
  }

 private:
  const TwoHosts& hosts_;
  std::filesystem::path folder_;
};

}  // namespace

void beside_open_mpi() {
  if (std::system("command -v mpicc.openmpi >/dev/null") != 0) {
    std::fprintf(stderr, "rails: no Open MPI here; scripts/install-packages bench brings it\n");
    return;
  }
  const TwoHosts hosts({1000, 600});
  hosts.sample("60s");
  const Job job(hosts);
  Times ours, as_it_comes, weighted, sums;
  for (int turn = 0; turn < kTurns; ++turn) {
    for (const auto& [strategy, sizes] :
         hosts.measure("single:r0,single:r1,adaptive", kSizes, "--rounds 9")) {
      for (const auto& [size_bytes, measured] : sizes) {
        if (strategy == "adaptive") {
          ours[size_bytes].push_back(measured.latency_ns);
        } else {
          sums[size_bytes].push_back(measured.bandwidth);
        }
      }
    }
    job.run("", as_it_comes);
    job.run(kTrueWeights, weighted);
  }
  for (const auto& of_size : ours) {
    const std::uint64_t size_bytes = of_size.first;
    const std::vector<double>& times = of_size.second;
    const std::string size = fmt::format("{} KiB", size_bytes >> 10);
    double sum = 0;
    for (const double bandwidth : sums[size_bytes]) sum += bandwidth / kTurns;
    const auto share = [&](const std::vector<double>& some) {
      return 100 * static_cast<double>(size_bytes) / median(some) * 1e9 / sum;
    };
    print_row("rails", size + ": Open MPI as it comes, of the rails' sum",
              share(as_it_comes[size_bytes]), "%");
    print_row("rails", size + ": Open MPI with true weights, of the rails' sum",
              share(weighted[size_bytes]), "%");
    print_row("rails", size + ": engine, of the rails' sum", share(times), "%");
    print_row("rails", size + ": faster than Open MPI as it comes",
              median(as_it_comes[size_bytes]) / median(times), "times", Goal::kAtLeast, 1);
    print_row("rails", size + ": faster than Open MPI with true weights",
              median(weighted[size_bytes]) / median(times), "times", Goal::kAtLeast, 1);
  }
}

}  // namespace nmt::bench
