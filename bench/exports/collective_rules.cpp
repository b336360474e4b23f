// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on four hosts of four ranks: sampled within a quarter of an hour, exported, and
// compared by nmad-tune ab, which withdraws rules. What is then written runs against the library's
// own choice (of Open MPI, the better of coll/tuned and coll/han at each cell), launches in turns.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/exports/groups.h"
#include "bench/exports/launched.h"
#include "bench/row.h"
#include "bench/stage.h"
#include "core/units.h"
#include "stacks/stacks.h"

namespace nmt::bench {
namespace {

constexpr std::uint32_t kTurns = 9, kMoreTurns = 6;
constexpr int kMoreTurnsMax = 1;
constexpr double kSampledWithinS = 900;
constexpr double kWorthIt = 1.1;
constexpr double kGoal = 1.3;

constexpr int kRanks = 16;

using Which = std::pair<std::string, std::uint64_t>;  // operation, size
using Cells = std::map<Which, stacks::ByRound>;

// What nmad-sample's ranks time of the library's own choice, rules included where it has some.
void time_own_choice(const std::string& mpi, const std::string& settings,
                     const std::string& launcher, const std::set<Which>& which, std::uint32_t turn,
                     Cells& cells) {
  std::map<std::string, std::vector<std::uint64_t>> sizes_bytes;
  for (const auto& [operation, size_bytes] : which) sizes_bytes[operation].push_back(size_bytes);
  for (const auto& [operation, sizes] : sizes_bytes) {
    const json::Value document =
        launched(mpi, settings, launcher,
                 fmt::format("operation:{}/candidates:0x0/sizes:{}/budget:5000000000/seed:1",
                             operation, fmt::join(sizes, ",")));
    const json::Reader reader(document, "nmad-sample");
    for (const json::Reader& cell : reader["collectives"]["cells"].items()) {
      if (cell["ranks"].integer(1, 1 << 20) != kRanks) continue;
      cells[{operation, cell["size_bytes"].unsigned_integer()}][turn] = round_ns(cell);
    }
  }
}

// Every size that was sampled over all ranks, and of those the ones at which some algorithm of the
// library beats its own choice by more than 10 %; of Open MPI, that of coll/tuned and that of
// coll/han. From the sampling, not from what is compared below: the best of that would be chosen
// for its luck.
struct Sizes {
  std::set<Which> all, improvable;
};
Sizes sizes_in(const json::Value& sampled) {
  Sizes sizes;
  const json::Reader reader(sampled, "nmad-sample");
  for (const json::Reader& cell : reader["cells"].items()) {
    if (cell["ranks"].integer(1, 1 << 20) != kRanks) continue;
    const Which which{cell["operation"].text(), cell["size_bytes"].unsigned_integer()};
    sizes.all.insert(which);
    if (cell["best_gain"].number() > kWorthIt * cell["component_gain"].number()) {
      sizes.improvable.insert(which);
    }
  }
  return sizes;
}

// The settings for collectives of a file as it was written, in the environment.
std::string words_of(const std::string& mpi, const std::string& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Fields all =
      mpi == "openmpi" ? stacks::read_mca_params(text, file) : stacks::read_environment(text, file);
  std::string words;
  for (const auto& [name, value] : all) {
    if (stacks::group_of(name) != stacks::kRulesGroup) continue;
    words += fmt::format("{}{}={} ", stacks::find_stack(mpi).environment_prefix, name, value);
  }
  return words;
}

// Without rules: Open MPI's two components for collectives over several nodes, each asked first.
std::vector<std::string> rivals_of(const std::string& mpi) {
  if (mpi != "openmpi") return {""};
  return {"OMPI_MCA_coll_han_priority=0", "OMPI_MCA_coll_han_priority=100"};
}

// Launches by turns: each rival alone, and the exported rules.
class Contest {
 public:
  Contest(std::string mpi, std::string launcher, std::string exported)
      : mpi_(std::move(mpi)),
        launcher_(std::move(launcher)),
        exported_(std::move(exported)),
        rivals_(rivals_of(mpi_)),
        alone_(rivals_.size()) {}

  void play(const std::set<Which>& which, std::uint32_t turns) {
    for (std::uint32_t turn = played_; turn < played_ + turns; ++turn) {
      for (std::size_t i = 0; i < rivals_.size(); ++i) {
        time_own_choice(mpi_, rivals_[i], launcher_, which, turn, alone_[i]);
      }
      time_own_choice(mpi_, exported_, launcher_, which, turn, after_);
    }
    played_ += turns;
  }

  // At each cell the rival that is better there, as a whole, over the exported rules.
  std::map<Which, stacks::Ratio> ratios() const {
    Cells before;
    for (const Cells& cells : alone_) {
      for (const auto& [which, times] : cells) {
        const auto known = before.emplace(which, times).first;
        if (stacks::typical_ns(times) < stacks::typical_ns(known->second)) known->second = times;
      }
    }
    std::map<Which, stacks::Ratio> all;
    for (const auto& [which, times] : before) {
      all.emplace(which, stacks::ratio_of(times, after_.at(which)));  // of each turn
    }
    return all;
  }

 private:
  std::string mpi_, launcher_, exported_;
  std::vector<std::string> rivals_;
  std::vector<Cells> alone_;
  Cells after_;
  std::uint32_t played_ = 0;
};

TimesAsFast times_as_fast(const Which& which, const stacks::Ratio& ratio) {
  return {ratio.value, ratio.low, ratio.high,
          fmt::format("{} of {}", which.first, format_bytes(which.second))};
}

// More turns of those cells that are not known well enough to be judged.
std::map<Which, stacks::Ratio> judged(Contest* contest, const std::set<Which>& which) {
  contest->play(which, kTurns);
  for (int more = 0; more < kMoreTurnsMax; ++more) {
    std::set<Which> wide;
    for (const auto& [cell, ratio] : contest->ratios()) {
      if (!times_as_fast(cell, ratio).is_known()) wide.insert(cell);
    }
    if (wide.empty()) break;
    std::fprintf(stderr, "exports: %zu cells are not known to 5 %%, and get more launches\n",
                 wide.size());
    contest->play(wide, kMoreTurns);
  }
  return contest->ratios();
}

void rules_of(const std::string& mpi) {
  const Stage stage("cluster --hosts 4 --rate 1000mbit --queue 400kb --mtu 8000 --burst 66kb");
  const std::string launcher = stage.launcher(mpi, "--per-host 4");
  const auto title = [&](std::string_view what) {
    return mpi == "openmpi" ? std::string(what) : fmt::format("{}: {}", mpi, what);
  };
  double elapsed_s = 0;
  const Sizes sizes = sizes_in(stage.sample(
      fmt::format("--stack {} --parts collectives --launcher '{}'", mpi, launcher), &elapsed_s));
  print_row("exports", title("sampling collectives on 16 ranks"), elapsed_s, "s", Goal::kAtMost,
            kSampledWithinS);
  const json::Value proof = stage.tune(fmt::format("ab {} --launcher '{}'", mpi, launcher));
  const auto withdrawn = json::Reader(proof, "nmad-tune ab")["withdrawn"].items();
  print_row("exports", title("collectives: operations and sizes that ab withdrew"),
            static_cast<double>(withdrawn.size()), "");
  for (const json::Reader& each : withdrawn) {
    std::fprintf(stderr, "exports: withdrawn: %s\n", each.text().c_str());
  }
  const std::string folder = stage.folder().string();
  const json::Value written = stage.tune(fmt::format("export {} -o {}/files/", mpi, folder));
  const std::string against =
      fmt::format("collectives: the slowest cell against {}",
                  rivals_of(mpi).size() > 1 ? "the better of tuned and HAN" : "the default");
  constexpr std::string_view kMean = "collectives: those, in geometric mean";
  if (json::Reader(written, "nmad-tune export")["files"].items().empty()) {
    print_never_slower("exports", title(against), {});
    print_missed("exports", title(kMean), "times", Goal::kAtLeast, kGoal, "nothing was exported");
    return;
  }
  const std::string file = mpi == "openmpi" ? "mca-params.conf" : "mpich.env";
  Contest contest(mpi, launcher, words_of(mpi, folder + "/files/" + file));
  std::vector<TimesAsFast> ratios;
  double sum = 0;
  for (const auto& [which, ratio] : judged(&contest, sizes.all)) {
    ratios.push_back(times_as_fast(which, ratio));
    if (ratio.slower()) {
      std::fprintf(stderr, "exports: %s: %.3f times, %.3f to %.3f\n", ratios.back().what.c_str(),
                   ratio.value, ratio.low, ratio.high);
    }
    if (sizes.improvable.contains(which)) sum += std::log(ratio.value);
  }
  const auto improvable = static_cast<double>(sizes.improvable.size());
  print_never_slower("exports", title(against), ratios);
  print_row("exports", title("collectives: cells with an algorithm more than 10 % faster"),
            improvable, "");
  print_row("exports", title(kMean), std::exp(sum / std::max(1.0, improvable)), "times",
            Goal::kAtLeast, kGoal);
}

}  // namespace

void collective_rules() { rules_of("openmpi"); }
void mpich_rules() { rules_of("mpich"); }

}  // namespace nmt::bench
