// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/split_data.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/tune/split_ways.h"

namespace nmt::tools {
namespace {

constexpr std::uint64_t kLeastBytes = 512;
constexpr std::size_t kPointsMax = 1500;  // of one set of rails; reached only by jagged curves

struct SplitAt {
  std::uint64_t size_bytes = 0;
  double end_ns = 0;
  std::vector<double> bytes;  // of each rail
};

class Splitter {
 public:
  Splitter(const Advice& advice, std::vector<std::string> rails)
      : advice_(advice), rails_(std::move(rails)) {
    for (const std::string& rail : rails_) {
      nmt_share share{};
      share.struct_bytes = sizeof share;
      share.path = find_path(advice, rail, "hot");
      shares_.push_back(share);
      most_bytes_ = std::max(most_bytes_, describe(advice, share.path).size_bytes_max);
    }
  }

  json::Value to_json() {
    std::vector<std::uint64_t> octaves;
    for (std::uint64_t size = kLeastBytes; size <= most_bytes_; size *= 2) octaves.push_back(size);
    if (octaves.size() < 2 || !split(octaves.back())) return {};
    std::map<std::uint64_t, SplitAt> points;
    for (const std::uint64_t size_bytes : octaves) points[size_bytes] = *split(size_bytes);
    for (std::size_t i = 1; i < octaves.size(); ++i) {
      refine(points.at(octaves[i - 1]), points.at(octaves[i]), &points);
    }
    json::Value sizes = json::Value::array(), ends = json::Value::array();
    std::vector<json::Value> bytes(rails_.size(), json::Value::array());
    for (const auto& [size_bytes, point] : points) {
      sizes.push_back(size_bytes);
      ends.push_back(point.end_ns);
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i].push_back(point.bytes[i]);
    }
    json::Value names = json::Value::array();
    for (const std::string& rail : rails_) names.push_back(rail);
    return json::Value::object()
        .set("rails", std::move(names))
        .set("size_bytes", std::move(sizes))
        .set("end_ns", std::move(ends))
        .set("bytes", json::Value::Array(bytes.begin(), bytes.end()))
        .set("ways", ways_json(octaves));
  }

 private:
  std::optional<SplitAt> split(std::uint64_t size_bytes) {
    nmt_split_result result{};
    result.struct_bytes = sizeof result;
    const int status = nmt_split(advice_.get(), size_bytes, shares_.data(),
                                 static_cast<std::uint32_t>(shares_.size()), &result);
    if (status != NMT_OK) return std::nullopt;
    SplitAt point{.size_bytes = size_bytes, .end_ns = result.end_ns, .bytes = {}};
    for (const nmt_share& share : shares_) {
      const bool takes_part = share.left_out == NMT_TAKES_PART;
      point.bytes.push_back(takes_part ? static_cast<double>(share.bytes) : 0);
    }
    return point;
  }

  static bool on_line(const SplitAt& from, const SplitAt& to, const SplitAt& between) {
    const double at = static_cast<double>(between.size_bytes - from.size_bytes) /
                      static_cast<double>(to.size_bytes - from.size_bytes);
    const auto near = [&](double first, double second, double value, double whole) {
      return std::abs(std::lerp(first, second, at) - value) <= kSplitTolerance * whole;
    };
    if (!near(from.end_ns, to.end_ns, between.end_ns, between.end_ns)) return false;
    for (std::size_t i = 0; i < between.bytes.size(); ++i) {
      const double whole = static_cast<double>(between.size_bytes);
      if (!near(from.bytes[i], to.bytes[i], between.bytes[i], whole)) return false;
    }
    return true;
  }

  // Three sizes between, so that a bend is not missed where it happens to be in the middle.
  void refine(const SplitAt& from, const SplitAt& to, std::map<std::uint64_t, SplitAt>* points) {
    const std::uint64_t distance = to.size_bytes - from.size_bytes;
    if (distance < 2 || points->size() >= kPointsMax) return;
    const SplitAt middle = *split(from.size_bytes + distance / 2);
    bool straight = on_line(from, to, middle);
    for (const std::uint64_t quarter : {distance / 4, distance - distance / 4}) {
      if (straight && quarter > 0 && quarter < distance) {
        straight = on_line(from, to, *split(from.size_bytes + quarter));
      }
    }
    if (straight) return;
    (*points)[middle.size_bytes] = middle;
    refine(from, middle, points);
    refine(middle, to, points);
  }

  json::Value ways_json(const std::vector<std::uint64_t>& sizes) {
    std::vector<std::string> names;
    std::map<std::string, json::Value> points;
    for (const std::uint64_t size_bytes : sizes) {
      for (const SplitWay& way :
           other_ways(advice_, rails_, shares_, static_cast<double>(size_bytes))) {
        const auto [entry, first] = points.try_emplace(way.name, json::Value::array());
        if (first) names.push_back(way.name);
        entry->second.push_back(json::Value::Array{size_bytes, way.end_ns});
      }
    }
    json::Value ways = json::Value::array();
    for (const std::string& name : names) {
      ways.push_back(json::Value::object().set("way", name).set("points", points.at(name)));
    }
    return ways;
  }

  const Advice& advice_;
  std::vector<std::string> rails_;
  std::vector<nmt_share> shares_;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace

json::Value splits_json(const Advice& advice, const std::vector<std::string>& rails) {
  json::Value list = json::Value::array();
  const auto add = [&](std::vector<std::string> together) {
    json::Value split = Splitter(advice, std::move(together)).to_json();
    if (!split.is_null()) list.push_back(std::move(split));
  };
  if (rails.size() < 2) return list;
  add({rails.begin(),
       rails.begin() + std::min<std::ptrdiff_t>(std::ssize(rails), NMT_SPLIT_RAILS_MAX)});
  for (std::size_t i = 0; rails.size() > 2 && i < rails.size(); ++i) {
    for (std::size_t j = i + 1; j < rails.size(); ++j) add({rails[i], rails[j]});
  }
  return list;
}

}  // namespace nmt::tools
