// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune predict alltoall and alltoallv: the duration of an exchange between all ranks.
#include <fmt/format.h>

#include <sstream>

#include "core/collective_sample.h"
#include "core/error.h"
#include "core/units.h"
#include "tools/command/report_thresholds.h"
#include "tools/tune/alltoall_choice.h"
#include "tools/tune/alltoall_terms.h"
#include "tools/tune/open_profile.h"
#include "tools/tune/read_file.h"
#include "tools/tune/signatures.h"

namespace nmt::tools {
namespace {

constexpr char kSignatureHelp[] =
    "terms alpha=TIME,beta=TIME/B,gamma=RATIO,... (default: the profile's)\n"
    "A signature from another source: alpha, beta and gamma; delta, and M, the size at which "
    "delta begins; form=once if delta is added once and not per communication; n, the "
    "numbers of ranks that it was fitted on; error, half of a 95 % interval.";

constexpr char kHostsHelp[] =
    "nodes of the ranks, in order: node[01-16] (default: the topology's first)";

std::string interval_text(const contention::AlltoallPrediction& prediction) {
  if (!prediction.interval_ns) return "not known";
  return fmt::format("{} .. {}", format_duration(prediction.interval_ns->low),
                     format_duration(prediction.interval_ns->high));
}

std::string choice_text(const std::optional<AlltoallChoice>& choice) {
  if (!choice) return "-";
  if (choice->algorithm == kLibraryAlgorithm) return "the MPI's own";
  return fmt::format("{}: {:.2f} times as fast{}", choice->algorithm, choice->gain,
                     choice->predicted ? ", predicted" : "");
}

json::Value choice_json(const std::optional<AlltoallChoice>& choice) {
  if (!choice) return {};
  return json::Value::object()
      .set("algorithm", choice->algorithm)
      .set("gain", choice->gain)
      .set("origin", choice->predicted ? "predicted" : "sampled")
      .set("mpi", choice->mpi);
}

// One prediction in every form; `ranks` and `size` come before the other cells and members.
class Predictions {
 public:
  Predictions(bool equal_sizes, bool with_choice)
      : equal_sizes_(equal_sizes),
        with_choice_(with_choice),
        table_(columns(equal_sizes, with_choice)) {
    report.records.header = {"n"};
    if (equal_sizes) report.records.header.push_back("m_bytes");
    for (const char* name : {"predicted_ns", "low_ns", "high_ns", "lower_bound_ns", "verdict"}) {
      report.records.header.push_back(name);
    }
    if (equal_sizes) report.records.header.insert(report.records.header.end(), {"choice", "gain"});
  }

  void add(std::int64_t ranks, std::uint64_t size_bytes,
           const contention::AlltoallPrediction& prediction,
           const std::optional<AlltoallChoice>& choice = {}) {
    const json::Value predicted = prediction.verdict == contention::Verdict::kRefused
                                      ? json::Value()
                                      : json::Value(prediction.predicted_ns);
    const auto limit = [&](double Interval::*end) {
      return prediction.interval_ns ? json::Value((*prediction.interval_ns).*end) : json::Value();
    };
    std::vector<std::string> cells = {std::to_string(ranks)};
    std::vector<json::Value> row = {ranks};
    json::Value member = json::Value::object().set("n", ranks);
    if (equal_sizes_) {
      cells.push_back(format_bytes(size_bytes));
      row.push_back(size_bytes);
      member.set("m_bytes", size_bytes);
    }
    const std::string_view verdict = to_string(prediction.verdict);
    cells.insert(cells.end(),
                 {predicted.is_null() ? "-" : format_duration(prediction.predicted_ns),
                  interval_text(prediction), format_duration(prediction.lower_bound_ns),
                  prediction.reason.empty() ? std::string(verdict)
                                            : fmt::format("{}: {}", verdict, prediction.reason)});
    row.insert(row.end(), {predicted, limit(&Interval::low), limit(&Interval::high),
                           prediction.lower_bound_ns, verdict});
    member.set("predicted_ns", predicted)
        .set("low_ns", limit(&Interval::low))
        .set("high_ns", limit(&Interval::high))
        .set("lower_bound_ns", prediction.lower_bound_ns)
        .set("verdict", verdict)
        .set("reason", prediction.reason.empty() ? json::Value() : json::Value(prediction.reason));
    if (equal_sizes_) {
      row.push_back(choice ? json::Value(choice->algorithm) : json::Value());
      row.push_back(choice ? json::Value(choice->gain) : json::Value());
      member.set("choice", choice_json(choice));
    }
    if (with_choice_) cells.push_back(choice_text(choice));
    table_.add(std::move(cells));
    report.records.rows.push_back(std::move(row));
    list_.push_back(std::move(member));
    ++count_;
    refused_ += prediction.verdict == contention::Verdict::kRefused ? 1 : 0;
    if (prediction.far) far_ = std::max(far_, ranks);
  }

  Report finished(const ChosenSignature& chosen) {
    if (far_ > 0) {
      report.warnings.push_back(
          fmt::format("n = {} is more than 8 times the {} ranks that the signature was fitted on",
                      far_, chosen.fit.signature.ranks_max));
    }
    for (const std::string& remark : chosen.fit.remarks) report.warnings.push_back(remark);
    if (chosen.platform) {
      report.text.heading(
          fmt::format("{}: {}", chosen.platform->name, chosen.fit.signature.algorithm));
      report.payload.set("platform", platform_json(*chosen.platform));
    }
    report.text.table(std::move(table_));
    report.payload.set("predictions", std::move(list_));
    report.summary = {{"predictions", std::to_string(count_)},
                      {"refused", std::to_string(refused_)}};
    return std::move(report);
  }

  Report report;

 private:
  static std::vector<std::string> columns(bool equal_sizes, bool with_choice) {
    std::vector<std::string> names = {">n"};
    if (equal_sizes) names.push_back(">m");
    names.insert(names.end(), {">predicted", "95 % interval", ">lower bound", "verdict"});
    if (with_choice) names.push_back("libnmadtune-mpi.so takes");
    return names;
  }

  bool equal_sizes_;
  bool with_choice_;
  Table table_;
  json::Value list_ = json::Value::array();
  std::size_t count_ = 0;
  std::size_t refused_ = 0;
  std::int64_t far_ = 0;
};

struct AlltoallOptions {
  SignatureChoice signature;
  std::string ranks;
  std::string sizes;
  std::string file;   // of alltoallv
  std::string hosts;  // of the ranks, in order; empty: the topology's first
};

// The nodes that --hosts names.
std::vector<std::string> nodes_of(const AlltoallOptions& options) {
  if (options.hosts.empty()) return {};
  if (options.signature.topology.empty()) {
    throw Error(Fault::kUsage, "--hosts places ranks below switches; give --topology");
  }
  return contention::expand_hosts(options.hosts);
}

// Nothing for a signature from elsewhere.
AlltoallChoices choices_of(const ChosenSignature& signature, const ProfileOptions& options,
                           const Invocation& invocation) {
  if (!signature.platform) return {};
  OpenProfile profile = open_to_read(options, invocation);
  profile.platform = *signature.platform;
  std::vector<tuner::CollectiveCell> cells =
      alltoall_cells(profile.db.sample_sets_in_force(profile.platform.id));
  if (cells.empty()) return {};
  return {std::move(cells), read_plan(profile, invocation)};
}

Report predict(const AlltoallOptions& options, const ProfileOptions& profile,
               const Invocation& invocation) {
  const std::vector<std::int64_t> ranks = parse_ranks("-n", options.ranks);
  const std::vector<std::uint64_t> sizes = parse_sizes("-m", options.sizes);
  const ChosenSignature chosen = choose_signature(options.signature, profile, invocation);
  const std::vector<std::string> nodes = nodes_of(options);
  const AlltoallChoices choices = choices_of(chosen, profile, invocation);
  Predictions predictions(true, choices.known());
  for (const std::int64_t n : ranks) {
    for (const std::uint64_t size_bytes : sizes) {
      predictions.add(n, size_bytes, contention::predict_alltoall(chosen.fit, n, size_bytes, nodes),
                      choices.at(n, chosen.fit.signature.ranks_per_node, size_bytes));
    }
  }
  return predictions.finished(chosen);
}

// One row per line, with sizes as people write them, separated by blanks or commas.
contention::ExchangeSizes read_sizes(const std::string& file) {
  std::istringstream stream(read_file(file));
  constexpr std::size_t kRanksMax = 4096;  // as the message says
  contention::ExchangeSizes sizes;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    for (char& c : line) c = c == ',' || c == '\t' || c == '\r' ? ' ' : c;
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::vector<std::uint64_t> row;
    for (std::string word; words >> word;) {
      try {
        row.push_back(parse_bytes(word));
      } catch (const Error& error) {
        throw Error(Fault::kUsage, fmt::format("{}: line {}: {}", file, number, error.what()));
      }
    }
    if (row.empty()) continue;
    sizes.push_back(std::move(row));
    if (sizes.size() > kRanksMax || sizes.back().size() > kRanksMax) {
      throw Error(Fault::kUsage,
                  fmt::format("{}: 4,096 ranks are the limit; sum up the ranks of a node into one "
                              "row and one column",
                              file));
    }
  }
  return sizes;
}

Report predict_unequal(const AlltoallOptions& options, const ProfileOptions& profile,
                       const Invocation& invocation) {
  const contention::ExchangeSizes sizes = read_sizes(options.file);
  const ChosenSignature chosen = choose_signature(options.signature, profile, invocation);
  Predictions predictions(false, false);
  predictions.add(static_cast<std::int64_t>(sizes.size()), 0,
                  contention::predict_alltoallv(chosen.fit, sizes, nodes_of(options)));
  return predictions.finished(chosen);
}

}  // namespace

Work declare_predict_alltoall(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<AlltoallOptions>();
  options.list("-n", own->ranks, "N,...", "numbers of ranks; 4..64 doubles, 4..64:4 adds 4")
      .required();
  options.list("-m", own->sizes, "SIZE,...", "bytes to each rank; ranges as for -n").required();
  options.list("--signature", own->signature.given, "TERM,...", kSignatureHelp);
  declare_signature_choice(options, own->signature);
  options.text("--hosts", own->hosts, "LIST", kHostsHelp);
  options.example("nmad-tune predict alltoall -n 16..256 -m 64K");
  return
      [own, &profile](const Invocation& invocation) { return predict(*own, profile, invocation); };
}

Work declare_predict_alltoallv(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<AlltoallOptions>();
  options
      .text("--sizes", own->file, "FILE",
            "bytes from each rank to each other\n"
            "One line per sending rank. On it, one size per receiving rank, separated by blanks or "
            "commas. At most 4,096 ranks; of a larger job, sum up the ranks of each node into one.")
      .required();
  options.list("--signature", own->signature.given, "TERM,...", kSignatureHelp);
  declare_signature_choice(options, own->signature);
  options.text("--hosts", own->hosts, "LIST", kHostsHelp);
  options.example("nmad-tune predict alltoallv --sizes matrix.txt");
  return [own, &profile](const Invocation& invocation) {
    return predict_unequal(*own, profile, invocation);
  };
}

}  // namespace nmt::tools
