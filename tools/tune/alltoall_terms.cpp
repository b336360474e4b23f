// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/alltoall_terms.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "contention/contention.h"
#include "core/error.h"
#include "core/units.h"

namespace nmt::tools {
namespace {

constexpr std::size_t kValuesMax = 10'000;  // in one list; more is a typing error

[[noreturn]] void refuse(const std::string& option, const std::string& problem) {
  throw Error(Fault::kUsage, fmt::format("{}: {}", option, problem));
}

std::uint64_t parse_count(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc() && result.ptr == end &&
      value <= std::uint64_t{std::numeric_limits<std::int32_t>::max()}) {
    return value;
  }
  throw Error(Fault::kUsage, fmt::format("'{}' is not a number of ranks; write for example 64",
                                         text.substr(0, 40)));
}

std::vector<std::uint64_t> parse_list(const std::string& option, const std::string& text,
                                      const std::function<std::uint64_t(const std::string&)>& one) {
  const auto value = [&](const std::string& word) {
    try {
      return one(word);
    } catch (const Error& error) {
      refuse(option, error.what());
    }
  };
  std::vector<std::uint64_t> values;
  for (const std::string& item : split_list(text)) {
    const std::size_t dots = item.find("..");
    if (dots == std::string::npos) {
      values.push_back(value(item));
      continue;
    }
    const std::size_t colon = item.find(':', dots);
    const std::uint64_t from = value(item.substr(0, dots));
    const std::uint64_t to = value(item.substr(dots + 2, colon - std::min(colon, dots + 2)));
    const std::uint64_t step = colon == std::string::npos ? 0 : value(item.substr(colon + 1));
    if (from == 0 || to < from || (colon != std::string::npos && step == 0)) {
      refuse(option, fmt::format("'{}' is not a range; write for example 4..64 or 4..64:4", item));
    }
    for (std::uint64_t next = from; next<to; next = step> 0 ? next + step : next * 2) {
      values.push_back(next);
      if (values.size() > kValuesMax) refuse(option, "more than 10000 values");
    }
    values.push_back(to);
  }
  if (values.empty()) refuse(option, "no value; write for example 64");
  return values;
}

// "8.502ns/B", "0.0085us/B".
double parse_gap(const std::string& text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string::npos || text.substr(slash) != "/B") {
    throw Error(Fault::kUsage,
                fmt::format("'{}' is not a time per byte; write for example 8.502ns/B", text));
  }
  return parse_duration_ns(text.substr(0, slash));
}

double ratio_from(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc() && result.ptr == end && std::isfinite(value) && value > 0) {
    return value;
  }
  throw Error(Fault::kUsage, fmt::format("'{}' is not a number above 0; write for example 4.3628",
                                         text.substr(0, 40)));
}

contention::DeltaForm parse_form(const std::string& text) {
  if (const auto form = contention::parse_delta_form(text)) return *form;
  throw Error(Fault::kUsage, fmt::format("no form '{}'; write per_communication or once", text));
}

}  // namespace

std::vector<std::int64_t> parse_ranks(const std::string& option, const std::string& text) {
  const std::vector<std::uint64_t> values = parse_list(option, text, parse_count);
  return {values.begin(), values.end()};
}

std::vector<std::uint64_t> parse_sizes(const std::string& option, const std::string& text) {
  return parse_list(option, text, [](const std::string& word) { return parse_bytes(word); });
}

double parse_ratio(const std::string& option, const std::string& text) {
  try {
    return ratio_from(text);
  } catch (const Error& error) {
    refuse(option, error.what());
  }
}

Signature parse_signature(const std::string& text) {
  constexpr char kExample[] = "alpha=50us,beta=8.502ns/B,gamma=4.3628,delta=4.93ms,M=8K";
  double alpha_ns = 0;
  double beta_ns = 0;
  Signature signature{.algorithm = "direct"};
  const auto ranks = [&](const std::string& value) {
    signature.ranks_min = signature.ranks_max = static_cast<std::int64_t>(parse_count(value));
  };
  const auto form = [&](const std::string& value) {
    signature.delta_per_message = parse_form(value) == contention::DeltaForm::kPerCommunication;
  };
  const std::map<std::string, std::function<void(const std::string&)>> terms = {
      {"alpha", [&](const std::string& value) { alpha_ns = parse_duration_ns(value); }},
      {"beta", [&](const std::string& value) { beta_ns = parse_gap(value); }},
      {"gamma", [&](const std::string& value) { signature.gamma = ratio_from(value); }},
      {"delta", [&](const std::string& value) { signature.delta_ns = parse_duration_ns(value); }},
      {"M", [&](const std::string& value) { signature.delta_from_bytes = parse_bytes(value); }},
      {"form", form},
      {"n", ranks},
      {"error", [&](const std::string& value) { signature.error = parse_fraction(value); }}};
  std::set<std::string> seen;
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string name = item.substr(0, equals);
    const auto term = terms.find(name);
    if (term == terms.end() || equals == item.size()) {
      refuse("--signature", fmt::format("'{}' is not a term of a signature; write for example {}",
                                        item, kExample));
    }
    if (!seen.insert(name).second) refuse("--signature", fmt::format("{} is given twice", name));
    try {
      term->second(item.substr(equals + 1));
    } catch (const Error& error) {
      refuse("--signature", fmt::format("{}: {}", name, error.what()));
    }
  }
  for (const char* name : {"alpha", "beta", "gamma"}) {
    if (!seen.contains(name)) {
      refuse("--signature", fmt::format("{} is missing; write for example {}", name, kExample));
    }
  }
  if (seen.contains("delta") && !seen.contains("M")) {
    refuse("--signature", "delta needs M, the size at which it begins; write for example M=8K");
  }
  signature.bound = contention::straight_line(alpha_ns, beta_ns);
  return signature;
}

}  // namespace nmt::tools
