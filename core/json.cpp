// SPDX-License-Identifier: BSD-3-Clause
#include "core/json.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace nmt::json {
namespace {

// Walks the text and records how far it came, so that input that the grammar allows but this reader
// refuses also gets its line number.
struct Cursor {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** reached = nullptr;

  reference operator*() const { return *at; }
  Cursor& operator++() {
    *reached = ++at;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at == other.at; }
};

// Builds a Value from the events of nlohmann's parser. nlohmann's own documents have no limit of
// depth and crash when they are written. Every refusal is an Error; parsing ends there.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, std::string_view what, std::size_t values_max)
      : text_(text), what_(what), values_max_(values_max) {
    reached_ = text.data();
  }

  Cursor begin() { return {text_.data(), &reached_}; }
  Cursor end() { return {text_.data() + text_.size(), &reached_}; }
  Value take() { return std::move(document_); }

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(nlohmann::json::binary_t&) override { refuse("binary data"); }

  bool start_object(std::size_t) override { return open(Value::object()); }
  bool start_array(std::size_t) override { return open(Value::array()); }
  bool key(std::string& name) override {
    count();
    keys_.back() = std::move(name);
    return true;
  }
  bool end_object() override {
    refuse_duplicates(*open_.back().get_if<Value::Object>());
    return close();
  }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    reached_ = text_.data() + std::min(position > 0 ? position - 1 : 0, text_.size());
    std::string_view cause = error.what();  // "[json.exception...] parse error at line ...: CAUSE"
    for (const std::string_view prefix : {"] ", ": "}) {
      const std::size_t at = cause.find(prefix);
      if (at != std::string_view::npos && at < kPrefixMax) cause.remove_prefix(at + prefix.size());
    }
    refuse(printable(cause, kCauseMax));
  }

 private:
  static constexpr std::size_t kPrefixMax = 70;
  static constexpr std::size_t kCauseMax = 160;

  [[noreturn]] void refuse(std::string_view cause) const {
    const auto line = 1 + std::count(text_.data(), reached_, '\n');
    throw Error(Fault::kFailed, fmt::format("{}: line {}: {}", what_, line, cause));
  }

  void count() {
    if (++values_ > values_max_) refuse(fmt::format("more than {} values", values_max_));
  }

  bool add(Value value) {
    count();
    if (open_.empty()) {
      document_ = std::move(value);
    } else if (auto* array = open_.back().get_if<Value::Array>()) {
      array->push_back(std::move(value));
    } else {
      open_.back().get_if<Value::Object>()->emplace_back(std::move(keys_.back()), std::move(value));
    }
    return true;
  }

  bool open(Value empty) {
    if (open_.size() == kDepthMax) refuse(fmt::format("more than {} levels", kDepthMax));
    open_.push_back(std::move(empty));
    keys_.emplace_back();
    return true;
  }

  bool close() {
    Value complete = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(complete));
  }

  void refuse_duplicates(const Value::Object& object) const {
    std::vector<std::string_view> names;
    names.reserve(object.size());
    for (const Value::Member& member : object) names.push_back(member.first);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) {
      refuse(fmt::format("key '{}' is twice in the object that ends here", printable(*twice)));
    }
  }

  std::string_view text_;
  std::string_view what_;
  const char* reached_;
  std::size_t values_ = 0;
  std::size_t values_max_;
  Value document_;
  std::vector<Value> open_;        // objects and arrays not yet closed, outermost first
  std::vector<std::string> keys_;  // for each of them, the key of the member being read
};

[[noreturn]] void refuse_size(std::string_view what, std::size_t size_bytes_max) {
  throw Error(Fault::kFailed, fmt::format("{}: larger than {} bytes", what, size_bytes_max));
}

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

// Regular files only: a FIFO or a terminal would block, and a device may never end.
std::string read_file(const std::string& file, std::size_t size_bytes_max) {
  const std::string name = printable(file, 4096);
  const Descriptor descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status = {};
  if (descriptor.value < 0 || ::fstat(descriptor.value, &status) != 0) {
    throw system_error(Fault::kFailed, fmt::format("open({})", name), errno);
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(Fault::kFailed,
                fmt::format("{}: {}, not a regular file", name,
                            S_ISDIR(status.st_mode) ? "a directory" : "a FIFO or device"));
  }
  if (static_cast<std::uint64_t>(status.st_size) > size_bytes_max) {
    refuse_size(name, size_bytes_max);
  }
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(descriptor.value, buffer, sizeof buffer);
    if (count == 0) return text;
    if (count < 0) throw system_error(Fault::kFailed, fmt::format("read({})", name), errno);
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > size_bytes_max) refuse_size(name, size_bytes_max);
  }
}

}  // namespace

Value parse(std::string_view text, std::string_view what, std::size_t size_bytes_max,
            std::size_t values_max) {
  if (text.size() > size_bytes_max) refuse_size(what, size_bytes_max);
  const std::size_t null_byte = text.find('\0');  // the parser would take it as the end
  if (null_byte != std::string_view::npos) {
    throw Error(Fault::kFailed,
                fmt::format("{}: byte {} is 0; the file is not text", what, null_byte));
  }
  Builder builder(text, what, values_max);
  NMT_CHECK(nlohmann::json::sax_parse(builder.begin(), builder.end(), &builder));
  return builder.take();
}

Value parse_file(const std::string& file, std::size_t size_bytes_max) {
  return parse(read_file(file, size_bytes_max), printable(file, 4096), size_bytes_max);
}

}  // namespace nmt::json
