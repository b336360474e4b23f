// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json.h"

namespace nmt::json {
namespace {

constexpr double kExactMax = 0x1p53;  // every integer up to here is a double

std::string_view kind(const Value& value) {
  if (value.get_if<bool>()) return "true or false";
  if (value.get_if<std::string>()) return "text";
  if (value.get_if<Value::Array>()) return "a list";
  if (value.get_if<Value::Object>()) return "an object";
  return value.is_null() ? "null" : "a number";
}

}  // namespace

Reader::Reader(const Value& document, std::string_view what)
    : value_(&document), what_size_(what.size()), place_(what) {}

void Reader::fail(std::string_view problem) const {
  throw Error(Fault::kFailed, fmt::format("{}: {}", place_, problem));
}

Reader Reader::member(std::string_view key, const Value& value) const {
  const std::string_view separator = place_.size() == what_size_ ? ": " : ".";
  return Reader(&value, what_size_, fmt::format("{}{}{}", place_, separator, printable(key)));
}

Reader Reader::item(std::size_t index, const Value& value) const {
  const std::string_view separator = place_.size() == what_size_ ? ": " : "";
  return Reader(&value, what_size_, fmt::format("{}{}[{}]", place_, separator, index));
}

const Value::Object& Reader::as_object() const {
  const auto* object = value_->get_if<Value::Object>();
  if (object == nullptr) fail(fmt::format("expected an object, found {}", kind(*value_)));
  return *object;
}

const Value::Array& Reader::as_array() const {
  const auto* array = value_->get_if<Value::Array>();
  if (array == nullptr) fail(fmt::format("expected a list, found {}", kind(*value_)));
  return *array;
}

Reader Reader::operator[](std::string_view key) const {
  as_object();
  const Value* found = value_->find(key);
  if (found == nullptr) fail(fmt::format("'{}' is missing", printable(key)));
  return member(key, *found);
}

Reader Reader::operator[](std::size_t index) const {
  const Value::Array& array = as_array();
  if (index >= array.size()) {
    fail(fmt::format("expected at least {} entries, found {}", index + 1, array.size()));
  }
  return item(index, array[index]);
}

bool Reader::has(std::string_view key) const { return value_->find(key) != nullptr; }

std::vector<std::pair<std::string, Reader>> Reader::members() const {
  std::vector<std::pair<std::string, Reader>> all;
  for (const auto& [key, value] : as_object()) all.emplace_back(key, member(key, value));
  return all;
}

std::vector<Reader> Reader::items() const {
  const Value::Array& array = as_array();
  std::vector<Reader> all;
  all.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) all.push_back(item(i, array[i]));
  return all;
}

std::string Reader::text() const {
  const auto* text = value_->get_if<std::string>();
  if (text == nullptr) fail(fmt::format("expected text, found {}", kind(*value_)));
  return *text;
}

std::vector<std::string> Reader::texts() const {
  std::vector<std::string> texts;
  for (const Reader& item : items()) texts.push_back(item.text());
  return texts;
}

bool Reader::boolean() const {
  const auto* boolean = value_->get_if<bool>();
  if (boolean == nullptr) fail(fmt::format("expected true or false, found {}", kind(*value_)));
  return *boolean;
}

double Reader::number(double low, double high) const {
  double value = 0;
  if (const auto* real = value_->get_if<double>()) {
    value = *real;
  } else if (const auto* integer = value_->get_if<std::int64_t>()) {
    value = static_cast<double>(*integer);
  } else if (const auto* large = value_->get_if<std::uint64_t>()) {
    value = static_cast<double>(*large);
  } else {
    fail(fmt::format("expected a number, found {}", kind(*value_)));
  }
  if (low == 0 && value < 0) fail(fmt::format("{} is negative", value));
  if (!(value >= low)) fail(fmt::format("{} is below {}", value, low));
  if (!(value <= high)) fail(fmt::format("{} is above {}", value, high));
  return value;
}

std::uint64_t Reader::unsigned_integer(std::uint64_t high) const {
  std::uint64_t value = 0;
  if (const auto* large = value_->get_if<std::uint64_t>()) {
    value = *large;
  } else if (const auto* integer = value_->get_if<std::int64_t>()) {
    if (*integer < 0) fail(fmt::format("{} is negative", *integer));
    value = static_cast<std::uint64_t>(*integer);
  } else {
    const double real = number();
    if (real < 0) fail(fmt::format("{} is negative", real));
    if (real != std::floor(real)) fail(fmt::format("{} is not a whole number", real));
    if (real > kExactMax) fail(fmt::format("{} is not an exact integer", real));
    value = static_cast<std::uint64_t>(real);
  }
  if (value > high) fail(fmt::format("{} is above {}", value, high));
  return value;
}

std::int64_t Reader::integer(std::int64_t low, std::int64_t high) const {
  std::int64_t value = 0;
  if (const auto* integer = value_->get_if<std::int64_t>()) {
    value = *integer;
  } else if (const auto* large = value_->get_if<std::uint64_t>()) {
    fail(fmt::format("{} is above {}", *large, high));
  } else {
    const double real = number();
    if (real != std::floor(real)) fail(fmt::format("{} is not a whole number", real));
    if (std::abs(real) > kExactMax) fail(fmt::format("{} is not an exact integer", real));
    value = static_cast<std::int64_t>(real);
  }
  if (low == 0 && value < 0) fail(fmt::format("{} is negative", value));
  if (value < low) fail(fmt::format("{} is below {}", value, low));
  if (value > high) fail(fmt::format("{} is above {}", value, high));
  return value;
}

void Reader::only(std::initializer_list<std::string_view> known) const {
  only(std::span<const std::string_view>(known.begin(), known.size()));
}

void Reader::only(std::span<const std::string_view> known) const {
  for (const auto& [key, value] : as_object()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      fail(fmt::format("'{}' is not known here; known are {}", printable(key),
                       fmt::join(known, ", ")));
    }
  }
}

}  // namespace nmt::json
