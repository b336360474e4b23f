// SPDX-License-Identifier: BSD-3-Clause
//
// Writes one row to a statement, reads it back, and computes its digest: visitors of Row::columns.
//
// Identifiers are blobs of 16 bytes. Named fields and derived content are JSON on one line.
// Unsigned integers are stored bit for bit, so SQL shows values above 2^63 as negative. The digest
// covers the content, not its form: a changed byte that changes no value is no damage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/id.h"
#include "profiledb/rows.h"
#include "profiledb/sqlite.h"

namespace nmt::profiledb {

class RowBinder {
 public:
  // Binds the first `columns_max` columns, from parameter 1 on.
  RowBinder(sqlite::Statement& statement, int columns_max)
      : statement_(statement), columns_max_(columns_max) {}

  template <class T>
  void operator()(std::string_view, const T& value) {
    if (bound_ < columns_max_) bind(++bound_, value);
  }
  int bound() const { return bound_; }

 private:
  void bind(int parameter, const Id& value);
  void bind(int parameter, const std::string& value);
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, std::uint64_t value);
  void bind(int parameter, bool value);
  void bind(int parameter, double value);
  void bind(int parameter, const Fields& value);
  void bind(int parameter, const json::Value& value);
  void bind(int parameter, Origin value);
  void bind(int parameter, const std::vector<Repetition>& value);

  sqlite::Statement& statement_;
  int columns_max_;
  int bound_ = 0;
};

// Reads the columns in order; Error(kFailed) for a value without meaning.
class RowReader {
 public:
  explicit RowReader(const sqlite::Statement& statement) : statement_(statement) {}

  template <class T>
  void operator()(std::string_view, T& value) {
    read(column_++, value);
  }
  int column() const { return column_; }  // the next one

 private:
  void read(int column, Id& value) const;
  void read(int column, std::string& value) const;
  void read(int column, std::int64_t& value) const;
  void read(int column, std::uint64_t& value) const;
  void read(int column, bool& value) const;
  void read(int column, double& value) const;
  void read(int column, Fields& value) const;
  void read(int column, json::Value& value) const;
  void read(int column, Origin& value) const;
  void read(int column, std::vector<Repetition>& value) const;

  const sqlite::Statement& statement_;
  int column_ = 0;
};

class RowDigest {
 public:
  void operator()(std::string_view, const Id& value);
  void operator()(std::string_view, const std::string& value);
  void operator()(std::string_view, std::int64_t value);
  void operator()(std::string_view, std::uint64_t value);
  void operator()(std::string_view, bool value);
  void operator()(std::string_view, double value);
  void operator()(std::string_view, const Fields& value);
  void operator()(std::string_view, const json::Value& value);
  void operator()(std::string_view, Origin value);
  void operator()(std::string_view, const std::vector<Repetition>& value);
  std::uint64_t value() const { return digest_.value(); }

 private:
  Digest digest_;
};

template <class Row>
std::uint64_t digest_of(const Row& row) {
  RowDigest digest;
  Row::columns(row, digest);
  return digest.value();
}

}  // namespace nmt::profiledb
