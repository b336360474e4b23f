// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/contents_json.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <set>
#include <type_traits>

#include "core/error.h"
#include "core/plan_json.h"
#include "profiledb/catalog.h"
#include "profiledb/schema.h"

namespace nmt::profiledb {
namespace {

using json::Reader;
using json::Value;

constexpr std::string_view kFormat = "nmadtune-profile";
constexpr std::int64_t kIntegerMax = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kUnsigned32Max = std::numeric_limits<std::uint32_t>::max();

Value value_of(const Id& id) { return to_json(id); }
Value value_of(const Fields& fields) { return to_json(fields); }
Value value_of(Origin origin) { return to_string(origin); }
Value value_of(const std::vector<Repetition>& repetitions) {
  Value::Array totals, batches, rounds, disturbed;
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    totals.emplace_back(repetitions[i].total_ns);
    batches.emplace_back(repetitions[i].batch);
    rounds.emplace_back(repetitions[i].round);
    if (repetitions[i].disturbed) disturbed.emplace_back(i);
  }
  return Value::object()
      .set("total_ns", std::move(totals))
      .set("batch", std::move(batches))
      .set("round", std::move(rounds))
      .set("disturbed", std::move(disturbed));
}
template <class T>
Value value_of(const T& value) {
  return Value(value);
}

void read(const Reader& reader, Id& value) { value = id_from_json(reader); }
void read(const Reader& reader, std::string& value) { value = reader.text(); }
void read(const Reader& reader, std::int64_t& value) { value = reader.integer(0, kIntegerMax); }
void read(const Reader& reader, std::uint64_t& value) { value = reader.unsigned_integer(); }
void read(const Reader& reader, bool& value) { value = reader.boolean(); }
void read(const Reader& reader, double& value) { value = reader.number(0); }
void read(const Reader& reader, Fields& value) { value = fields_from_json(reader); }
void read(const Reader& reader, Value& value) { value = reader.value(); }
void read(const Reader& reader, Origin& value) {
  try {
    value = parse_origin(reader.text());
  } catch (const Error& error) {
    reader.fail(error.what());
  }
}
void read(const Reader& reader, std::vector<Repetition>& value) {
  reader.only({"total_ns", "batch", "round", "disturbed"});
  const auto totals = reader["total_ns"].items();
  const auto batches = reader["batch"].items();
  const auto rounds = reader["round"].items();
  if (batches.size() != totals.size() || rounds.size() != totals.size()) {
    reader.fail("total_ns, batch and round have different lengths");
  }
  value.clear();
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const std::uint64_t batch = batches[i].unsigned_integer(kUnsigned32Max);
    if (batch == 0) batches[i].fail("a batch has at least one operation");
    value.push_back(
        {.total_ns = totals[i].unsigned_integer(),
         .batch = static_cast<std::uint32_t>(batch),
         .round = static_cast<std::uint32_t>(rounds[i].unsigned_integer(kUnsigned32Max)),
         .disturbed = false});
  }
  for (const Reader& index : reader["disturbed"].items()) {
    if (value.empty()) index.fail("there is no such repetition");
    value[index.unsigned_integer(value.size() - 1)].disturbed = true;
  }
}

template <class Row>
Value row_to_json(const Row& row) {
  Value object = Value::object();
  Row::columns(row, [&](std::string_view name, const auto& value) {
    object.set(std::string(name), value_of(value));
  });
  return object;
}

template <class Row>
Row row_from_json(const Reader& reader) {
  Row row{};
  std::vector<std::string_view> known;
  Row::columns(row, [&](std::string_view name, const auto&) { known.push_back(name); });
  reader.only(known);
  const auto read_column = [&](std::string_view name, auto& value) { read(reader[name], value); };
  if constexpr (std::is_same_v<Row, SampleRow>) {
    Row::measured_columns(row, read_column);
    row.summary = summarize(row.sample.repetitions);
  } else {
    Row::columns(row, read_column);
  }
  return row;
}

template <class Row>
std::string key_of(const Row& row) {
  Value::Array key;
  Row::columns(row, [&](std::string_view, const auto& value) {
    if (key.size() < Row::kKeyColumns) key.push_back(value_of(value));
  });
  return Value(std::move(key)).dump(-1);
}

// Checks that every identifier in a row is in its table, and that every key is unique.
class Links {
 public:
  explicit Links(const Reader& document) : document_(document) {}

  template <class Row>
  void check(const std::vector<Row>& rows) {
    std::set<std::string> keys;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto place = [&] { return document_[Row::kTable][i]; };
      if (!keys.insert(key_of(rows[i])).second) place().fail("is there twice");
      const auto check_link = [&](std::string_view column, const auto& value) {
        if constexpr (std::is_same_v<decltype(value), const Id&>) {
          const std::string_view table = target(column);
          if (!table.empty() && !known_[table].contains(value)) {
            place()[column].fail(fmt::format("no such {} in this document", table));
          }
          if (column == "id") known_[Row::kTable].insert(value);
        }
      };
      Row::columns(rows[i], check_link);
    }
  }

 private:
  // The table that a column points to: in most cases it has the column's name.
  static std::string_view target(std::string_view column) {
    if (column == "id") return "";
    return column == "from_rail" || column == "to_rail" ? RailRow::kTable : column;
  }

  const Reader& document_;
  std::map<std::string_view, std::set<Id>> known_;  // by table; parent tables are checked first
};

// Checks rules that the type of a row does not express.
void check_meaning(const Contents& contents, const Reader& document) {
  for (std::size_t i = 0; i < contents.conditions.size(); ++i) {
    const ConditionRow& row = contents.conditions[i];
    if (row.id != row_of(row.condition).id) {
      document[ConditionRow::kTable][i]["id"].fail("does not match the condition");
    }
  }
  for (std::size_t i = 0; i < contents.campaigns.size(); ++i) {
    document[CampaignRow::kTable][i]["quality"].number(0, 1);
  }
  std::map<Id, std::vector<Id>> members = members_by_group(contents);
  for (std::size_t i = 0; i < contents.paths.size(); ++i) {
    const Id& id = contents.paths[i].id;
    if (members[id] != std::vector<Id>{id}) {
      document[PathRow::kTable][i].fail("has no path_group of its own, with the same id");
    }
  }
  for (std::size_t i = 0; i < contents.path_groups.size(); ++i) {
    if (members[contents.path_groups[i].id].empty()) {
      document[PathGroupRow::kTable][i].fail("has no member");
    }
  }
  for (std::size_t i = 0; i < contents.derived.size(); ++i) {
    const DerivedRow& row = contents.derived[i];
    const Reader place = document[DerivedRow::kTable][i]["content"];
    if (row.kind == kPlanKind && plan_from_json(place).platform != row.platform) {
      place["platform"].fail("is not that of the row");
    }
  }
}

std::string digest_of_document(const Value& document) {
  Value::Object rest;
  for (const auto& [key, value] : *document.get_if<Value::Object>()) {
    if (key != "digest") rest.emplace_back(key, value);
  }
  return Digest().add(Value(std::move(rest)).dump(-1)).hex();
}

}  // namespace

Value contents_to_json(const Contents& contents) {
  Value document = Value::object();
  document.set("format", kFormat)
      .set("schema_version", schema_version())
      .set("tool_version", NMT_VERSION);
  Contents::tables(contents, [&](const auto& rows) {
    using Row = typename std::remove_cvref_t<decltype(rows)>::value_type;
    Value::Array list;
    for (const Row& row : rows) list.push_back(row_to_json(row));
    document.set(std::string(Row::kTable), std::move(list));
  });
  return document.set("digest", digest_of_document(document));
}

Contents contents_from_json(const Value& document, std::string_view what) {
  const Reader reader(document, what);
  if (!reader.has("format") || reader["format"].text() != kFormat) {
    reader.fail("not an exported profile: it has no \"format\": \"nmadtune-profile\"");
  }
  const std::uint64_t version = reader["schema_version"].unsigned_integer();
  if (version < kOldestReadableSchema || version > static_cast<std::uint64_t>(schema_version())) {
    reader["schema_version"].fail(
        fmt::format("is {}, this program reads {} to {}; use the version of nmadtune that wrote it",
                    version, kOldestReadableSchema, schema_version()));
  }
  if (reader.has("digest") && reader["digest"].text() != digest_of_document(document)) {
    reader.fail(
        "does not match its digest: it is damaged or was edited; remove \"digest\" to import it "
        "as it is");
  }
  Contents contents;
  Links links(reader);
  std::vector<std::string_view> known = {"format", "schema_version", "tool_version", "digest"};
  Contents::tables(contents, [&](auto& rows) {
    using Row = typename std::remove_cvref_t<decltype(rows)>::value_type;
    known.push_back(Row::kTable);
    for (const Reader& item : reader[Row::kTable].items()) rows.push_back(row_from_json<Row>(item));
    links.check(rows);
  });
  reader.only(known);
  check_meaning(contents, reader);
  return contents;
}

}  // namespace nmt::profiledb
