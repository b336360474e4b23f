// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/job_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "tools/command/this_machine.h"

namespace nmt::tools {
namespace {

// One line of JSON with the result, then the profile.
std::string result_of(const RankWork& work) {
  if (!work.measure) return {};
  const std::string host = this_node().host;
  profiledb::ProfileDb measured = profiledb::ProfileDb::in_memory();
  std::string problem;
  try {
    const Report report = work.measure(measured);
    if (report.problem) problem = report.problem->message;
  } catch (const Error& error) {
    problem = error.what();
  }
  json::Value head = json::Value::object();
  head.set("host", host).set("problem", problem);
  head.set("links",
           to_json(work.far.empty() ? std::vector<Link>{} : links_of(measured, host, work.far)));
  return head.dump(-1) + "\n" + (work.keeps ? measured.export_json({}) : "");
}

}  // namespace

Gathered run_shares(const control::MpiJob& job, std::span<const int> ranks, const RankWork& work,
                    profiledb::ProfileDb* profile) {
  Gathered gathered;
  job.collect(ranks, result_of(work), [&](int rank, const std::string& text) {
    const std::string what = fmt::format("what rank {} measured", rank);
    const std::string_view result = text;
    const std::size_t line = result.find('\n');
    const json::Value head = json::parse(result.substr(0, line), what, line);
    const json::Reader reader(head, what);
    if (const std::string problem = reader["problem"].text(); !problem.empty()) {
      gathered.problems[problem].push_back(reader["host"].text());
    }
    std::ranges::move(links_from(reader["links"]), std::back_inserter(gathered.links));
    const std::string_view measured = result.substr(line + 1);
    if (!measured.empty()) profile->import_json(measured, what);
  });
  return gathered;
}

}  // namespace nmt::tools
