// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune import-alltoall: imports other tools' measurements on a network into the profile as
// samples.
//
// The network is a separate platform with the given name, because no machine here is known to be
// one of its nodes. A file is a session: its times share an unknown factor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "contention/contention.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/method.h"
#include "tools/command/options.h"
#include "tools/command/report_thresholds.h"
#include "tools/command/tune_profile.h"
#include "tools/tune/alltoall_terms.h"
#include "tools/tune/open_profile.h"
#include "tools/tune/read_file.h"

namespace nmt::tools {
namespace {

constexpr std::size_t kUnreadShown = 20;

struct ImportOptions {
  std::vector<std::string> files;
  std::string messages;
  std::string ranks;
  std::string network = "imported";
  std::string mpi;
  std::string algorithm = "library";
  std::optional<std::uint64_t> ranks_per_node;
  std::optional<std::uint64_t> cores;
};

struct ImportedFile {
  std::string file;
  contention::Imported content;
};

// The numbers of ranks given with -n are assigned in order to the files that do not contain theirs;
// a single number is used for all of them.
std::vector<ImportedFile> read_files(const ImportOptions& options) {
  const std::vector<std::int64_t> given =
      options.ranks.empty() ? std::vector<std::int64_t>{} : parse_ranks("-n", options.ranks);
  std::vector<ImportedFile> files;
  std::size_t silent = 0;
  for (const std::string& file : options.files) {
    const std::string text = read_file(file);
    std::optional<std::int64_t> ranks;
    if (contention::needs_ranks(text) && !given.empty()) {
      if (given.size() > 1 && silent >= given.size()) {
        throw Error(Fault::kUsage,
                    fmt::format("-n: gives {} numbers of ranks, but more files than that do not "
                                "name their ranks (the "
                                "first without a number is {}); give one number for each such file",
                                given.size(), file));
      }
      ranks = given.size() == 1 ? given.front() : given[silent];
      ++silent;
    }
    files.push_back({file, contention::import_times(text, file, ranks)});
  }
  if (!options.messages.empty()) {
    ImportedFile messages{options.messages, contention::import_times(read_file(options.messages),
                                                                     options.messages, {})};
    std::erase_if(messages.content.times,
                  [](const contention::ImportedTime& time) { return time.ranks != 0; });
    if (messages.content.times.empty()) {
      throw Error(Fault::kUsage,
                  fmt::format("--p2p: {} has no durations of single messages; name an output of "
                              "osu_latency or of IMB-MPI1 PingPong, or a CSV file",
                              options.messages));
    }
    files.push_back(std::move(messages));
  }
  return files;
}

std::vector<Sample> samples_of(const contention::Imported& imported, const ImportOptions& options) {
  std::map<std::pair<std::int64_t, std::uint64_t>, Sample> samples;
  for (const contention::ImportedTime& time : imported.times) {
    Sample& sample = samples[{time.ranks, time.size_bytes}];
    sample.size_bytes = time.size_bytes;
    sample.origin = Origin::kImported;
    Condition& condition = sample.condition;
    condition.mpi = options.mpi;
    condition.benchmark = time.ranks == 0 ? benchmark::kMessage : benchmark::kCollective;
    if (time.ranks != 0) {
      condition.operation = contention::kAlltoall;
      condition.algorithm = options.algorithm;
      condition.ranks = time.ranks;
      condition.ranks_per_node = static_cast<std::int64_t>(options.ranks_per_node.value_or(1));
      condition.nodes = (condition.ranks + condition.ranks_per_node - 1) / condition.ranks_per_node;
    }
    const double total_ns = time.duration_ns * time.operations;
    sample.repetitions.push_back(
        {.total_ns = static_cast<std::uint64_t>(std::llround(std::max(total_ns, 1.0))),
         .batch = time.operations,
         .round = static_cast<std::uint32_t>(sample.repetitions.size())});
  }
  std::vector<Sample> list;
  for (auto& [cell, sample] : samples) list.push_back(std::move(sample));
  return list;
}

Platform store(profiledb::ProfileDb& db, const std::vector<ImportedFile>& files,
               const ImportOptions& options, const Invocation& invocation) {
  const Platform platform =
      db.ensure_platform({Id::random(), options.network, {{"network", options.network}}});
  const Node node = db.ensure_node({Id::random(), options.network}, platform.id);
  const Rail rail{.driver = "network", .name = options.network};
  const Path path = db.ensure_path({Id::random(), node.id, node.id, rail, rail});
  Campaign campaign{.id = Id::random(),
                    .platform = platform.id,
                    .started_utc = utc_now(),
                    .tool_version = NMT_VERSION,
                    .command_line = invocation.command_line,
                    .remark = "imported"};
  if (options.cores) campaign.options[contention::kCoresOption] = std::to_string(*options.cores);
  std::vector<Session> sessions;
  for (const ImportedFile& file : files) {
    const Session& session = sessions.emplace_back(Session{
        .id = Id::random(), .started_utc = campaign.started_utc, .clock = file.content.tool});
    if (!file.content.flows.empty()) {
      const std::vector<std::string>& hosts = file.content.flow_hosts;
      campaign.options[fmt::format("{}.{}", contention::kGroupsOption, session.id.hex())] =
          contention::to_text(
              contention::named(contention::find_groups(file.content.flows, hosts.size()), hosts));
    }
    if (file.content.hosts.empty()) continue;
    contention::expand_hosts(file.content.hosts);  // refuses what nobody could read later
    campaign.options[fmt::format("{}.{}", contention::kHostsOption, session.id.hex())] =
        file.content.hosts;
  }
  db.begin_campaign(campaign);
  for (std::size_t i = 0; i < files.size(); ++i) {
    db.begin_session(sessions[i], campaign.id);
    db.store_samples(sessions[i].id, path.id, samples_of(files[i].content, options));
  }
  campaign.complete = true;
  campaign.finished_utc = utc_now();
  db.finish_campaign(campaign);
  return platform;
}

void add_unread(const std::vector<ImportedFile>& files, Report* report) {
  json::Value list = json::Value::array();
  std::size_t count = 0;
  for (const ImportedFile& file : files) {
    for (const contention::UnreadLine& unread : file.content.unread) {
      if (++count <= kUnreadShown) {
        report->warnings.push_back(
            fmt::format("{}: line {}: {}", file.file, unread.line, unread.problem));
      }
      list.push_back(json::Value::object()
                         .set("file", file.file)
                         .set("line", unread.line)
                         .set("problem", unread.problem));
    }
  }
  if (count > 0) {
    report->problem = Problem(Fault::kPartial,
                              fmt::format("{} could not be read; all others were imported",
                                          count == 1 ? "1 line" : fmt::format("{} lines", count)));
  }
  report->payload.set("unread", std::move(list));
  report->summary.emplace_back("unread", std::to_string(count));
}

Report import_alltoall(const ImportOptions& options, const ProfileOptions& profile,
                       const Invocation& invocation) {
  if (options.ranks_per_node == 0) {
    throw Error(Fault::kUsage, "--ranks-per-node: give at least 1");
  }
  const std::vector<ImportedFile> files = read_files(options);
  std::size_t times = 0;
  bool messages = false;
  Report report;
  Table table({"file", "as", ">alltoalls", "of ranks", ">single messages"});
  report.records.header = {"file", "tool", "alltoalls", "messages"};
  for (const ImportedFile& file : files) {
    std::set<std::int64_t> ranks;
    std::size_t alone = 0;
    for (const contention::ImportedTime& time : file.content.times) {
      if (time.ranks == 0) ++alone;
      if (time.ranks != 0) ranks.insert(time.ranks);
    }
    const std::size_t alltoalls = file.content.times.size() - alone;
    std::string which;
    for (const std::int64_t n : ranks) which += fmt::format("{}{}", which.empty() ? "" : ", ", n);
    table.add(
        {file.file, file.content.tool, std::to_string(alltoalls), which, std::to_string(alone)});
    report.records.rows.push_back({file.file, file.content.tool, alltoalls, alone});
    times += file.content.times.size();
    messages = messages || alone > 0;
  }
  report.summary = {{"times", std::to_string(times)}};
  add_unread(files, &report);
  if (times == 0)
    throw Error(Fault::kUsage,
                "nothing was imported: nmad-tune can read no row of these files; name outputs of "
                "osu_alltoall or IMB-MPI1, or CSV files");
  profiledb::ProfileDb db = open_whole_to_write(profile, invocation, true);
  const Platform platform = store(db, files, options, invocation);
  tune(db, platform.id);
  if (!messages) {
    report.warnings.push_back(
        "no signature was derived: it needs durations of single messages; give --p2p FILE");
  }
  report.text.heading(
      fmt::format("Into platform {} ({}) of {}", platform.name, short_id(platform.id), db.file()));
  report.text.table(std::move(table));
  report.payload.set("platform", platform_json(platform)).set("times", times);
  report.summary.emplace_back("profile", db.file());
  return report;
}

}  // namespace

Work declare_import_alltoall(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<ImportOptions>();
  options
      .texts("FILE", own->files,
             "outputs of osu_alltoall or IMB-MPI1, or CSV (n,m_bytes,time_ns[,rep])\n"
             "CSV may also have messages alone (m_bytes,time_ns), and messages between nodes that "
             "were under way together (round,from,to,time_ns), which show the nodes that share a "
             "switch.")
      .required();
  options.text("--p2p", own->messages, "FILE",
               "single messages: osu_latency, IMB-MPI1, CSV (m_bytes,time_ns)");
  options.list("-n", own->ranks, "N,...", "ranks of the files that do not name theirs, in order");
  options.text("--network", own->network, "NAME", "name of the network (default: imported)");
  options.text("--mpi", own->mpi, "NAME", "MPI that ran it (default: unknown)");
  options.text("--algorithm", own->algorithm, "NAME", "algorithm that it used (default: library)");
  options.count("--ranks-per-node", own->ranks_per_node, "ranks on each node (default: 1)");
  options.count("--cores", own->cores,
                "cores of all ranks together (default: at least one per rank)");
  options.example("nmad-tune import-alltoall a4.txt a8.txt --p2p pingpong.txt");
  return [own, &profile](const Invocation& invocation) {
    return import_alltoall(*own, profile, invocation);
  };
}

}  // namespace nmt::tools
