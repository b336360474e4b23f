// SPDX-License-Identifier: BSD-3-Clause
//
// JSON, read without trust and written without surprise.
//
// Parsing refuses what a hostile or broken file may hold before anything is built from it: more
// than 64 levels, more than the given size, duplicate keys, bad UTF-8, NaN, numbers that do not
// fit. A Reader walks a parsed document and names the place of what is wrong ("rails.json:
// rails[2].methods.copy[0][1]: -5 is negative"). Object members keep their order.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nmt::json {

class Value {
 public:
  using Array = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Object = std::vector<Member>;

  Value() = default;  // null
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  Value(double value) : data_(value) {}  // not finite: written as null
  Value(std::int64_t value) : data_(value) {}
  Value(std::uint64_t value) : data_(value) {}
  Value(int value) : data_(static_cast<std::int64_t>(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(Array value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}

  static Value object() { return Value(Object{}); }
  static Value array() { return Value(Array{}); }

  Value& set(std::string key, Value value);  // on an object: appends or replaces; returns *this
  Value& push_back(Value value);             // on an array; returns *this
  const Value* find(std::string_view key) const;  // null where absent or not an object

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&data_);
  }

  std::string dump(int indent = 2) const;  // indent < 0: one line; invalid UTF-8 is replaced
  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      data_;
};

inline constexpr std::size_t kDepthMax = 64;
inline constexpr std::size_t kSizeBytesMax = std::size_t{256} << 20;

// Throws Error(kFailed) "WHAT: line L: cause". `what` names the document, usually its file.
Value parse(std::string_view text, std::string_view what, std::size_t size_bytes_max = kSizeBytesMax);
Value parse_file(const std::string& file, std::size_t size_bytes_max = kSizeBytesMax);

// A place inside a parsed document. Getters check type and range and throw Error(kFailed) naming
// the place. Readers are cheap and borrow the document, which must outlive them.
class Reader {
 public:
  Reader(const Value& document, std::string_view what);

  Reader operator[](std::string_view key) const;  // must be there
  Reader operator[](std::size_t index) const;
  bool has(std::string_view key) const;
  std::vector<std::pair<std::string, Reader>> members() const;
  std::vector<Reader> items() const;

  std::string text() const;
  bool boolean() const;
  double number(double low = -std::numeric_limits<double>::max(),
                double high = std::numeric_limits<double>::max()) const;
  std::uint64_t unsigned_integer(
      std::uint64_t high = std::numeric_limits<std::uint64_t>::max()) const;
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  bool is_null() const { return value_->is_null(); }

  // Throws unless every member is in `known`: a misspelt option must not be ignored.
  void only(std::initializer_list<std::string_view> known) const;
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  Reader(const Value* value, std::string place) : value_(value), place_(std::move(place)) {}
  const Value* value_;
  std::string place_;
};

}  // namespace nmt::json
