// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs of other stacks whose times are planted: the launcher is a script that answers as the ranks
// of a job between two hosts would.
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tools/sandbox.h"

namespace nmt::testing {

// Eager costs 2 ns for a byte, rendezvous 30 us and 1 ns; rails of 1000 and 600 Mbit/s share by
// their weights what is above the limit. Each launch is off by up to 2 %.
inline constexpr std::string_view kLauncher = R"sh(#!/bin/sh
case $1 in */nmad-sample) ;; *) exec "$@" ;; esac
while [ "$1" != --turn ]; do shift; done
sizes=${2#sizes:}
exec awk -v sizes="${sizes%%/*}" -v limit="${OMPI_MCA_btl_tcp_eager_limit:-65536}" \
  -v w0="${OMPI_MCA_btl_tcp_bandwidth_r0:-100}" -v w1="${OMPI_MCA_btl_tcp_bandwidth_r1:-100}" '
BEGIN {
  srand(); "od -An -N2 -tu2 /dev/urandom" | getline seed
  speed = 1 + 0.02 * (seed / 65536 - 0.5)
  print "a word of the launcher"
  print "{"
  print "\"library\": \"Open MPI v4.1.4\", \"ranks\": 2, \"hosts\": [\"one\", \"two\"],"
  print "\"network\": \"tcp\", \"messages_by\": \"\","
  print "\"interfaces\": [\"r0\", \"r1\"], \"turn\": {\"cells\": ["
  n = split(sizes, size, ",")
  for (i = 1; i <= n; i++) {
    s = size[i]
    a = s * w0 / (w0 + w1) * 8; b = s * w1 / (w0 + w1) * 13.3
    ns = s + 56 <= limit ? 10000 + s * 2 : 30000 + (a > b ? a : b) / 8
    printf "%s{\"placement\": \"other-node\", \"size_bytes\": %d,", (i > 1 ? "," : ""), s
    printf "\"batch\": 1, \"totals_ns\": [%d, %d, %d]}",
      ns * speed, ns * speed * 1.001, ns * speed * 0.999
  }
  printf "], \"eager\": [{\"placement\": \"other-node\", \"bytes_max\": %d}],", limit - 56
  print "\"variables\": {\"btl_tcp_eager_limit\": \"65536\"}}"
  print "}"
}')sh";

// The same, where messages of s bytes take other durations: `durations` is awk that sets ns.
inline std::string launcher_with(std::string_view durations) {
  constexpr std::string_view kDurations =
      "ns = s + 56 <= limit ? 10000 + s * 2 : 30000 + (a > b ? a : b) / 8";
  std::string text(kLauncher);
  return text.replace(text.find(kDurations), kDurations.size(), durations);
}

// UCX before 1.17, whose rendezvous pays from 18 KB on.
inline constexpr std::string_view kOneThreshold = R"(
    r = ("UCX_RNDV_THRESH" in ENVIRON) ? ENVIRON["UCX_RNDV_THRESH"] + 0 : 65536
    limit = r + 55
    ns = s >= r ? 30000 + s * 0.9 : 10000 + s * 2)";

// Collectives of 4 ranks on two hosts: own choices take 50 us, other algorithms 30 us; with a rules
// file BCAST and OTHERS, the hierarchical ones HAN; those need the second host.
inline constexpr std::string_view kCollectivesLauncher = R"sh(#!/bin/sh
while [ "$1" != --turn ]; do shift; done
rules=$OMPI_MCA_coll_tuned_dynamic_rules_filename$MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE
test -z "$rules" || test -r "$rules" || exit 4
exec awk -v order="$2" -v rules="$rules" '
BEGIN {
  srand(); "od -An -N2 -tu2 /dev/urandom" | getline seed
  speed = 1 + 0.02 * (seed / 65536 - 0.5)
  print "{"
  print "\"library_file\": \"LIBRARY\","
  print "\"library\": \"Open MPI v4.1.4\", \"ranks\": 4, \"hosts\": [\"one\", \"two\"],"
  print "\"network\": \"tcp\", \"messages_by\": \"\", \"interfaces\": [],"
  n = split(order, part, "/")
  for (i = 1; i <= n; i++) value[substr(part[i], 1, index(part[i], ":"))] = \
      substr(part[i], index(part[i], ":") + 1)
  if (!("operation:" in value)) {
    print "\"turn\": {\"cells\": [{\"placement\": \"other-node\", \"size_bytes\": 1,"
    print "\"batch\": 1, \"totals_ns\": [9000]}], \"eager\": [], \"variables\": {}}\n}"
    exit
  }
  print "\"collectives\": {\"ranks_per_node\": 2, \"nodes\": 2, \"cells\": ["
  candidates = split(value["candidates:"], candidate, ",")
  sizes = split(value["sizes:"], size, ",")
  for (i = 1; i <= candidates; i++) for (k = 1; k <= sizes; k++) {
    split(candidate[i], which, "x")
    ns = which[1] > 0 ? 30000 : 50000
    if (which[1] >= 99) {
      split(value["components:"], component, ",")
      ns = 51000
      if (component[which[1] - 98] == "han" && value["operation:"] == "bcast")
        ns = which[2] == 16384 ? SEGMENT : HAN
    }
    if (rules != "" && candidates == 1) ns = value["operation:"] == "bcast" ? BCAST : OTHERS
    printf "%s{\"ranks\": 4, \"algorithm\": %d, \"segment_bytes\": %d, \"size_bytes\": %d,",
      (i + k > 2 ? "," : ""), which[1], which[2], size[k]
    printf "\"rounds_ns\": ["
    for (r = 0; r < 8; r++) printf "%s%d", (r > 0 ? "," : ""), ns * speed * (1 + r / 1000)
    print "]}"
  }
  print "]}\n}"
}')sh";

class StackTest : public Sandbox {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    std::filesystem::create_directory(path("installed"));
    install("ompi_info", "Open MPI v4.1.4");
    install("mpichversion", "MPICH Version: 4.0.2");
    install("ucx_info", "# Version 1.13.1");
  }

  // A command of that name prints this version. For anything else it is the one of this machine.
  void install(const std::string& name, const std::string& version) const {
    script("installed/" + name, "#!/bin/sh\ncase $1 in --version | -v) echo '" + version +
                                    "' ;; *) PATH=${PATH#*:} exec " + name + " \"$@\" ;; esac\n");
  }
  Result tune(std::vector<std::string> arguments, Setting more = {}) const {
    const char* path_here = std::getenv("PATH");
    more.environment.try_emplace("PATH", path("installed") + ":" + path_here);
    return Sandbox::tune(std::move(arguments), more);
  }

  std::string script(const std::string& name, std::string_view text) const {
    const std::string file = write(name, text);
    ::chmod(file.c_str(), 0700);
    return file;
  }
  // `han_ns`: of a Bcast by coll/han, in awk; empty on one node.
  std::string collectives_script(const std::string& name, const std::string& bcast_ns,
                                 const std::string& others_ns, const std::string& han_ns) const {
    std::string text(kCollectivesLauncher);
    text.replace(text.find("BCAST : OTHERS"), 14, bcast_ns + " : " + others_ns);
    const std::string_view second = R"(, \"two\")";
    if (han_ns.empty()) text.replace(text.find(second), second.size(), "");
    text.replace(text.find("HAN"), 3, han_ns.empty() ? "1" : han_ns);
    text.replace(text.find("SEGMENT"), 7, "40000");
    return script(name, text);
  }
  // Of an Open MPI of that version, on so many ranks of one node.
  std::string collectives_of_version(const std::string& name, const std::string& version,
                                     int ranks) const {
    collectives_script(name, "30000", "30000", "");
    std::string text = read(name);
    const std::string was = "v4.1.4", count = R"(\"ranks\": 4)";
    text.replace(text.find(was), was.size(), "v" + version);
    for (std::size_t at = 0; (at = text.find(count, at)) != std::string::npos; ++at) {
      text.replace(at, count.size(), R"(\"ranks\": )" + std::to_string(ranks));
    }
    return script(name, text);
  }
  Result sample_collectives(const std::string& launcher, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--stack", "openmpi", "--parts", "collectives", "--launcher", launcher,
                             "--db", path("a.db")});
    return sample(more);
  }
  Result sample_stack(const std::string& launcher) const {
    return sample(
        {"--stack", "openmpi", "--launcher", launcher, "--db", path("a.db"), "--rounds", "5"});
  }
};

}  // namespace nmt::testing
