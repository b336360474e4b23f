// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/hex.h"
#include "core/json.h"

namespace nmt::json {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

unsigned char byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// Bytes of the well-formed UTF-8 character at `i` (Unicode 15, table 3-7), or 0.
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto between = [&](std::size_t at, unsigned low, unsigned high) {
    return byte_at(text, at) >= low && byte_at(text, at) <= high;
  };
  const unsigned char lead = byte_at(text, i);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return between(i + 1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;   // no overlong form
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;  // no surrogate
    return between(i + 1, low, high) && between(i + 2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    const bool good =
        between(i + 1, low, high) && between(i + 2, 0x80, 0xBF) && between(i + 3, 0x80, 0xBF);
    return good ? 4 : 0;
  }
  return 0;
}

void append_control(unsigned char c, std::string* out) {
  switch (c) {
    case '\b':
      *out += "\\b";
      return;
    case '\f':
      *out += "\\f";
      return;
    case '\n':
      *out += "\\n";
      return;
    case '\r':
      *out += "\\r";
      return;
    case '\t':
      *out += "\\t";
      return;
    default:
      *out += "\\u00";
      *out += to_hex({&c, 1});
  }
}

void append_text(std::string_view text, std::string* out) {
  *out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char c = byte_at(text, i);
    const std::size_t length = utf8_length(text, i);
    if (c < 0x20 || c == 0x7F) {
      append_control(c, out);
    } else if (c == '"' || c == '\\') {
      *out += '\\';
      *out += text[i];
    } else {
      *out += length == 0 ? kReplacement : text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  *out += '"';
}

void append_double(double value, std::string* out) {
  if (!std::isfinite(value)) {
    *out += "null";
    return;
  }
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);  // shortest exact
  NMT_CHECK(error == std::errc());
  const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
  *out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) *out += ".0";  // remains a double
}

class Writer {
 public:
  Writer(int indent, std::string* out) : indent_(indent), out_(out) {}

  void write(const Value& value) {
    if (const auto* array = value.get_if<Value::Array>()) {
      write_array(*array);
    } else if (const auto* object = value.get_if<Value::Object>()) {
      write_object(*object);
    } else if (const auto* text = value.get_if<std::string>()) {
      append_text(*text, out_);
    } else if (const auto* real = value.get_if<double>()) {
      append_double(*real, out_);
    } else if (const auto* integer = value.get_if<std::int64_t>()) {
      *out_ += std::to_string(*integer);
    } else if (const auto* large = value.get_if<std::uint64_t>()) {
      *out_ += std::to_string(*large);
    } else if (const auto* boolean = value.get_if<bool>()) {
      *out_ += *boolean ? "true" : "false";
    } else {
      *out_ += "null";
    }
  }

 private:
  // Arrays of plain values stay on one line: a curve's points, a sample's repetitions.
  static bool is_plain(const Value::Array& array) {
    for (const Value& value : array) {
      if (value.get_if<Value::Object>() || value.get_if<Value::Array>()) return false;
    }
    return true;
  }

  void write_array(const Value::Array& array) {
    const bool one_line = indent_ < 0 || is_plain(array);
    open('[');
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (i > 0) *out_ += one_line && indent_ >= 0 ? ", " : ",";
      if (!one_line) new_line();
      write(array[i]);
    }
    close(']', !one_line && !array.empty());
  }

  void write_object(const Value::Object& object) {
    open('{');
    for (std::size_t i = 0; i < object.size(); ++i) {
      if (i > 0) *out_ += ',';
      new_line();
      append_text(object[i].first, out_);
      *out_ += indent_ < 0 ? ":" : ": ";
      write(object[i].second);
    }
    close('}', !object.empty());
  }

  void open(char bracket) {
    NMT_CHECK(++depth_ <= kDepthMax);
    *out_ += bracket;
  }
  void close(char bracket, bool on_new_line) {
    --depth_;
    if (on_new_line) new_line();
    *out_ += bracket;
  }
  void new_line() {
    if (indent_ < 0) return;
    *out_ += '\n';
    out_->append(depth_ * static_cast<std::size_t>(indent_), ' ');
  }

  int indent_;
  std::size_t depth_ = 0;
  std::string* out_;
};

}  // namespace

Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

Value& Value::set(std::string key, Value value) {
  auto* object = std::get_if<Object>(&data_);
  NMT_CHECK(object != nullptr);
  for (Member& member : *object) {
    if (member.first == key) {
      member.second = std::move(value);
      return *this;
    }
  }
  object->emplace_back(std::move(key), std::move(value));
  return *this;
}

Value Value::array(std::span<const std::string> texts) { return Array(texts.begin(), texts.end()); }

Value& Value::push_back(Value value) {
  auto* array = std::get_if<Array>(&data_);
  NMT_CHECK(array != nullptr);
  array->push_back(std::move(value));
  return *this;
}

const Value* Value::find(std::string_view key) const {
  if (const auto* object = std::get_if<Object>(&data_)) {
    for (const Member& member : *object) {
      if (member.first == key) return &member.second;
    }
  }
  return nullptr;
}

std::string Value::dump(int indent) const {
  std::string out;
  Writer(indent, &out).write(*this);
  return out;
}

std::string printable(std::string_view text, std::size_t size_bytes_max) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char c = byte_at(text, i);
    const std::size_t length = utf8_length(text, i);
    if (out.size() + length > size_bytes_max) {
      out += "...";
      break;
    }
    const bool control = c < 0x20 || c == 0x7F || (c == 0xC2 && byte_at(text, i + 1) < 0xA0);
    if (length == 0 || control) {
      out += '?';
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace nmt::json
