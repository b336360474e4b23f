// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of a profile as values, one type per table (profiledb/schema.cpp).
//
// Each type lists its columns once, in the table's order with the key first. Storing, reading,
// digesting, exporting and importing all use that list. Contents is a whole profile. Parent tables
// come before their children.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/sample.h"
#include "core/statistics.h"

namespace nmt::profiledb {

struct PlatformRow : Platform {
  static constexpr std::string_view kTable = "platform";
  static constexpr int kKeyColumns = 1;
  static void columns(auto& row, auto&& visit) {
    visit("id", row.id);
    visit("name", row.name);
    visit("fingerprint", row.fingerprint);
  }
  bool operator==(const PlatformRow&) const = default;
};

struct NodeRow {
  static constexpr std::string_view kTable = "node";
  static constexpr int kKeyColumns = 1;
  Id id;
  Id platform;
  std::string host;
  static void columns(auto& row, auto&& visit) {
    visit("id", row.id);
    visit("platform", row.platform);
    visit("host", row.host);
  }
  bool operator==(const NodeRow&) const = default;
};

struct RailRow {
  static constexpr std::string_view kTable = "rail";
  static constexpr int kKeyColumns = 1;
  Id id;
  Id node;
  Rail rail;
  static void columns(auto& row, auto&& visit) {
    visit("id", row.id);
    visit("node", row.node);
    visit("driver", row.rail.driver);
    visit("name", row.rail.name);
    visit("fingerprint", row.rail.fingerprint);
  }
  bool operator==(const RailRow&) const = default;
};

struct PathRow {
  static constexpr std::string_view kTable = "path";
  static constexpr int kKeyColumns = 1;
  Id id;
  Id from_rail;
  Id to_rail;
  static void columns(auto& row, auto&& visit) {
    visit("id", row.id);
    visit("from_rail", row.from_rail);
    visit("to_rail", row.to_rail);
  }
  bool operator==(const PathRow&) const = default;
};

struct PathGroupRow {
  static constexpr std::string_view kTable = "path_group";
  static constexpr int kKeyColumns = 1;
  Id id;
  static void columns(auto& row, auto&& visit) { visit("id", row.id); }
  bool operator==(const PathGroupRow&) const = default;
};

struct PathGroupMemberRow {
  static constexpr std::string_view kTable = "path_group_member";
  static constexpr int kKeyColumns = 2;
  Id path_group;
  Id path;
  static void columns(auto& row, auto&& visit) {
    visit("path_group", row.path_group);
    visit("path", row.path);
  }
  bool operator==(const PathGroupMemberRow&) const = default;
};

struct CampaignRow : Campaign {
  static constexpr std::string_view kTable = "campaign";
  static constexpr int kKeyColumns = 1;
  bool pinned = false;
  static void columns(auto& row, auto&& visit) {
    visit("id", row.id);
    visit("platform", row.platform);
    visit("started_utc", row.started_utc);
    visit("finished_utc", row.finished_utc);
    visit("tool_version", row.tool_version);
    visit("command_line", row.command_line);
    visit("options", row.options);
    visit("complete", row.complete);
    visit("quality", row.quality);
    visit("remark", row.remark);
    visit("pinned", row.pinned);
  }
  bool operator==(const CampaignRow&) const = default;
};

struct SessionRow : Session {
  static constexpr std::string_view kTable = "session";
  static constexpr int kKeyColumns = 1;
  Id campaign;
  static void columns(auto& row, auto&& visit) {
    visit("id", row.id);
    visit("campaign", row.campaign);
    visit("started_utc", row.started_utc);
    visit("clock", row.clock);
    visit("clock_cost_ns", row.clock_cost_ns);
    visit("clock_resolution_ns", row.clock_resolution_ns);
    visit("seed", row.seed);
    visit("elapsed_ns", row.elapsed_ns);
  }
  bool operator==(const SessionRow&) const = default;
};

struct ConditionRow {
  static constexpr std::string_view kTable = "condition";
  static constexpr int kKeyColumns = 1;
  Id id;
  Condition condition;
  static void columns(auto& row, auto&& visit) {
    visit("id", row.id);
    for_each_field(row.condition, visit);
  }
  bool operator==(const ConditionRow&) const = default;
};
// The id of a condition is computed from its content, so equal conditions have one id everywhere.
ConditionRow row_of(const Condition& condition);

struct SampleRow {
  static constexpr std::string_view kTable = "sample";
  static constexpr int kKeyColumns = 5;
  Id session;
  Id path_group;
  Id condition;
  Sample sample;    // its condition is filled when samples are loaded
  Summary summary;  // of its repetitions

  static void measured_columns(auto& row, auto&& visit) {
    visit("session", row.session);
    visit("path_group", row.path_group);
    visit("condition", row.condition);
    visit("size_bytes", row.sample.size_bytes);
    visit("held_out", row.sample.held_out);
    visit("origin", row.sample.origin);
    visit("run_delay_ns", row.sample.run_delay_ns);
    visit("repetitions", row.sample.repetitions);
  }
  static void columns(auto& row, auto&& visit) {
    measured_columns(row, visit);
    visit("n", row.summary.n);
    visit("disturbed", row.summary.disturbed);
    visit("median_ns", row.summary.median_ns);
    visit("interquartile_mean_ns", row.summary.interquartile_mean_ns);
    visit("low_ns", row.summary.low_ns);
    visit("high_ns", row.summary.high_ns);
    visit("p10_ns", row.summary.p10_ns);
    visit("p90_ns", row.summary.p90_ns);
    visit("p99_ns", row.summary.p99_ns);
  }
  bool operator==(const SampleRow&) const = default;
};

inline constexpr std::string_view kPlanKind = "plan";  // content: core/plan_json.h

struct DerivedRow {
  static constexpr std::string_view kTable = "derived";
  static constexpr int kKeyColumns = 1;
  Id id;
  Id platform;
  std::string kind;
  std::string name;
  std::string created_utc;
  std::string tool_version;
  std::uint64_t source_digest = 0;
  json::Value content;
  static void columns(auto& row, auto&& visit) {
    visit("id", row.id);
    visit("platform", row.platform);
    visit("kind", row.kind);
    visit("name", row.name);
    visit("created_utc", row.created_utc);
    visit("tool_version", row.tool_version);
    visit("source_digest", row.source_digest);
    visit("content", row.content);
  }
  bool operator==(const DerivedRow&) const = default;
};

// All tables except the large ones; small enough to be loaded, and so checked, completely.
struct Catalog {
  std::vector<PlatformRow> platforms;
  std::vector<NodeRow> nodes;
  std::vector<RailRow> rails;
  std::vector<PathRow> paths;
  std::vector<PathGroupRow> path_groups;
  std::vector<PathGroupMemberRow> path_group_members;
  std::vector<CampaignRow> campaigns;
  std::vector<SessionRow> sessions;
  std::vector<ConditionRow> conditions;
  static void tables(auto& catalog, auto&& visit) {
    visit(catalog.platforms);
    visit(catalog.nodes);
    visit(catalog.rails);
    visit(catalog.paths);
    visit(catalog.path_groups);
    visit(catalog.path_group_members);
    visit(catalog.campaigns);
    visit(catalog.sessions);
    visit(catalog.conditions);
  }
  bool operator==(const Catalog&) const = default;
};

struct Contents : Catalog {
  std::vector<SampleRow> samples;
  std::vector<DerivedRow> derived;
  static void tables(auto& contents, auto&& visit) {
    Catalog::tables(contents, visit);
    visit(contents.samples);
    visit(contents.derived);
  }
  bool operator==(const Contents&) const = default;
};

}  // namespace nmt::profiledb
