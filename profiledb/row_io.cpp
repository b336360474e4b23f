// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/row_io.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "core/plan_json.h"
#include "profiledb/repetitions.h"

namespace nmt::profiledb {
namespace {

constexpr int kOneLine = -1;

std::string_view bytes_of(const Id& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

// SQLite does not keep the sign of a zero.
double without_negative_zero(double value) { return value + 0.0; }

}  // namespace

void RowBinder::bind(int parameter, const Id& value) {
  statement_.bind_blob(parameter, bytes_of(value));
}
void RowBinder::bind(int parameter, const std::string& value) {
  statement_.bind_text(parameter, value);
}
void RowBinder::bind(int parameter, std::int64_t value) { statement_.bind(parameter, value); }
void RowBinder::bind(int parameter, std::uint64_t value) {
  statement_.bind(parameter, static_cast<std::int64_t>(value));
}
void RowBinder::bind(int parameter, bool value) {
  statement_.bind(parameter, std::int64_t{value ? 1 : 0});
}
void RowBinder::bind(int parameter, double value) {
  statement_.bind(parameter, without_negative_zero(value));
}
void RowBinder::bind(int parameter, const Fields& value) { bind(parameter, to_json(value)); }
void RowBinder::bind(int parameter, const json::Value& value) {
  statement_.bind_text(parameter, value.dump(kOneLine));
}
void RowBinder::bind(int parameter, Origin value) {
  statement_.bind_text(parameter, to_string(value));
}
void RowBinder::bind(int parameter, const std::vector<Repetition>& value) {
  statement_.bind_blob(parameter, encode_repetitions(value));
}

void RowReader::read(int column, Id& value) const {
  const std::string bytes = statement_.blob(column);
  if (bytes.size() != value.bytes.size()) throw Error(Fault::kFailed, "no identifier");
  std::copy(bytes.begin(), bytes.end(), value.bytes.begin());
}
void RowReader::read(int column, std::string& value) const { value = statement_.text(column); }
void RowReader::read(int column, std::int64_t& value) const { value = statement_.integer(column); }
void RowReader::read(int column, std::uint64_t& value) const {
  value = static_cast<std::uint64_t>(statement_.integer(column));
}
void RowReader::read(int column, bool& value) const { value = statement_.integer(column) != 0; }
void RowReader::read(int column, double& value) const { value = statement_.real(column); }
void RowReader::read(int column, Fields& value) const {
  json::Value document;
  read(column, document);
  value = fields_from_json(json::Reader(document, "fields"));
}
void RowReader::read(int column, json::Value& value) const {
  value = json::parse(statement_.text(column), "content");
}
void RowReader::read(int column, Origin& value) const {
  value = parse_origin(statement_.text(column));
}
void RowReader::read(int column, std::vector<Repetition>& value) const {
  value = decode_repetitions(statement_.blob(column));
}

void RowDigest::operator()(std::string_view, const Id& value) { digest_.add(bytes_of(value)); }
void RowDigest::operator()(std::string_view, const std::string& value) { digest_.add(value); }
void RowDigest::operator()(std::string_view, std::int64_t value) {
  digest_.add(static_cast<std::uint64_t>(value));
}
void RowDigest::operator()(std::string_view, std::uint64_t value) { digest_.add(value); }
void RowDigest::operator()(std::string_view, bool value) { digest_.add(std::uint64_t{value}); }
void RowDigest::operator()(std::string_view, double value) {
  digest_.add(std::bit_cast<std::uint64_t>(without_negative_zero(value)));
}
void RowDigest::operator()(std::string_view name, const Fields& value) {
  (*this)(name, to_json(value));
}
void RowDigest::operator()(std::string_view, const json::Value& value) {
  digest_.add(value.dump(kOneLine));
}
void RowDigest::operator()(std::string_view, Origin value) { digest_.add(to_string(value)); }
void RowDigest::operator()(std::string_view, const std::vector<Repetition>& value) {
  digest_.add(encode_repetitions(value));
}

}  // namespace nmt::profiledb
