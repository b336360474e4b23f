// SPDX-License-Identifier: BSD-3-Clause
//
// JSON, read without trust.
//
// parse() refuses what a hostile or broken file may contain: more than 64 levels, more than the
// given size, duplicate keys, bad UTF-8, NaN, numbers that a double cannot hold. It never blocks (a
// FIFO is refused), and its memory is bounded. A Reader walks a parsed document and names the place
// of an error ("rails.json: rails[2].methods.copy[0][1]: -5 is negative"). Object members keep
// their order. parse(dump()) gives an equal document, with every bit of a double.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
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
  // Not inline: gcc 14 else warns that members of other alternatives are read uninitialised.
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  Value(double value) : data_(value) {}  // written as null if it is not finite
  // Integers have one form: int64 where it can hold them, uint64 above that.
  template <std::integral Integer>
  Value(Integer value) {
    if (std::in_range<std::int64_t>(value)) {
      data_ = static_cast<std::int64_t>(value);
    } else {
      data_ = static_cast<std::uint64_t>(value);
    }
  }
  Value(std::string value) : data_(std::move(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(Array value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}

  static Value object() { return Value(Object{}); }
  static Value array() { return Value(Array{}); }
  static Value array(std::span<const std::string> texts);

  Value& set(std::string key, Value value);  // on an object: appends or replaces; returns *this
  Value& push_back(Value value);             // on an array; returns *this
  const Value* find(std::string_view key) const;  // null where absent or not an object

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&data_);
  }
  template <class T>
  T* get_if() {
    return std::get_if<T>(&data_);
  }

  // indent < 0: one line. Invalid UTF-8 is replaced. The value has at most kDepthMax levels.
  std::string dump(int indent = 2) const;
  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      data_;
};

inline constexpr std::size_t kDepthMax = 64;
inline constexpr std::size_t kSizeBytesMax = std::size_t{256} << 20;
inline constexpr std::size_t kValuesMax = std::size_t{16} << 20;  // each: numbers, texts, keys ...

// Throws Error(kFailed) "WHAT: line L: cause". `what` names the document, usually its file.
Value parse(std::string_view text, std::string_view what,
            std::size_t size_bytes_max = kSizeBytesMax, std::size_t values_max = kValuesMax);
// Regular files only.
Value parse_file(const std::string& file, std::size_t size_bytes_max = kSizeBytesMax);

// Text from outside for one line of a message: control characters are replaced, and the text is cut
// to `size_bytes_max`.
std::string printable(std::string_view text, std::size_t size_bytes_max = 80);

// A place inside a parsed document. Getters check type and range, and throw Error(kFailed) that
// names the place. A Reader borrows the document, which must outlive it.
class Reader {
 public:
  Reader(const Value& document, std::string_view what);

  Reader operator[](std::string_view key) const;  // throws if absent
  Reader operator[](std::size_t index) const;
  bool has(std::string_view key) const;
  std::vector<std::pair<std::string, Reader>> members() const;
  std::vector<Reader> items() const;

  std::string text() const;
  std::vector<std::string> texts() const;  // of an array
  bool boolean() const;
  double number(double low = -std::numeric_limits<double>::max(),
                double high = std::numeric_limits<double>::max()) const;
  // Whole numbers written as 1e6 or 64.0 count as integers up to 2^53.
  std::uint64_t unsigned_integer(
      std::uint64_t high = std::numeric_limits<std::uint64_t>::max()) const;
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  bool is_null() const { return value_->is_null(); }
  const Value& value() const { return *value_; }

  // Throws unless every member is in `known`, so that a misspelt option is not ignored.
  void only(std::span<const std::string_view> known) const;
  void only(std::initializer_list<std::string_view> known) const;
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  Reader(const Value* value, std::size_t what_size, std::string place)
      : value_(value), what_size_(what_size), place_(std::move(place)) {}
  const Value::Object& as_object() const;
  const Value::Array& as_array() const;
  Reader member(std::string_view key, const Value& value) const;
  Reader item(std::size_t index, const Value& value) const;

  const Value* value_;
  std::size_t what_size_;  // size of the document's name, with which place_ begins
  std::string place_;
};

}  // namespace nmt::json
