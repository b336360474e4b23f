// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/fake/description.h"

#include <algorithm>
#include <set>

#include "core/error.h"

namespace nmt::drivers {
namespace {

constexpr double kDurationNsMax = 1e15;  // eleven days: a longer duration is an error of units

Curve points_from_json(const json::Reader& reader) {
  std::vector<Point> points;
  for (const json::Reader& item : reader.items()) {
    if (item.items().size() != 2) item.fail("is not a pair [bytes, ns]");
    const double size_bytes = static_cast<double>(item[0].unsigned_integer(std::uint64_t{1} << 50));
    const double duration_ns = item[1].number(0, kDurationNsMax);
    if (!points.empty() && size_bytes <= points.back().size_bytes) {
      item[0].fail("is not above the size before it");
    }
    points.push_back({size_bytes, duration_ns});
  }
  if (points.empty()) reader.fail("has no points");
  return Curve(std::move(points));
}

FakeNoise noise_from_json(const json::Reader& reader) {
  reader.only({"cv", "outlier_rate", "outlier_factor", "session_drift"});
  FakeNoise noise;
  if (reader.has("cv")) noise.cv = reader["cv"].number(0, 10);
  if (reader.has("outlier_rate")) noise.outlier_rate = reader["outlier_rate"].number(0, 1);
  if (reader.has("outlier_factor")) noise.outlier_factor = reader["outlier_factor"].number(0, 1e6);
  if (reader.has("session_drift")) noise.session_drift = reader["session_drift"].number(0, 0.99);
  return noise;
}

FakeRail rail_from_json(const json::Reader& reader) {
  reader.only({"name", "methods", "noise", "bus", "change"});
  FakeRail rail;
  rail.name = reader["name"].text();
  if (rail.name.empty() || rail.name.find_first_of(", \t\n") != std::string::npos) {
    reader["name"].fail("is empty, or has a comma or a space in it");
  }
  const json::Reader methods = reader["methods"];
  methods.only({"copy", "iovec", "rendezvous", "memcpy", "eager", "two_packets", "aggregate"});
  const auto read = [&](std::string_view key, std::optional<Curve>* curve) {
    if (methods.has(key)) *curve = points_from_json(methods[key]);
  };
  read("copy", &rail.copy);
  read("iovec", &rail.iovec);
  read("rendezvous", &rail.rendezvous);
  read("memcpy", &rail.memcpy);
  read("eager", &rail.eager);
  read("two_packets", &rail.two_packets);
  read("aggregate", &rail.aggregate);
  if (!rail.copy && !rail.iovec && !rail.rendezvous) {
    methods.fail("has none of copy, iovec and rendezvous");
  }
  if (reader.has("noise")) rail.noise = noise_from_json(reader["noise"]);
  if (reader.has("bus")) {
    reader["bus"].only({"name", "slowdown"});
    rail.bus = reader["bus"]["name"].text();
    rail.slowdown = reader["bus"]["slowdown"].number(1, 1e6);
  }
  if (reader.has("change")) {
    reader["change"].only({"from_ns", "to_ns", "factor"});
    rail.change_from_ns = reader["change"]["from_ns"].number(0, FakeRail::kNoEnd);
    if (reader["change"].has("to_ns")) {
      rail.change_to_ns = reader["change"]["to_ns"].number(rail.change_from_ns, FakeRail::kNoEnd);
    }
    rail.change_factor = reader["change"]["factor"].number(1e-6, 1e6);
  }
  return rail;
}

// The better of copy and iovec; rendezvous if the rail has neither.
double better_eager_ns(const FakeRail& rail, double size_bytes) {
  if (rail.copy && rail.iovec) {
    return std::min(rail.copy->at(size_bytes), rail.iovec->at(size_bytes));
  }
  if (rail.copy) return rail.copy->at(size_bytes);
  return rail.iovec ? rail.iovec->at(size_bytes) : rail.rendezvous->at(size_bytes);
}

}  // namespace

FakeDescription fake_description_from_json(const json::Reader& reader) {
  reader.only({"seed", "rails"});
  FakeDescription description;
  if (reader.has("seed")) description.seed = reader["seed"].unsigned_integer();
  std::set<std::string> names;
  for (const json::Reader& item : reader["rails"].items()) {
    description.rails.push_back(rail_from_json(item));
    if (!names.insert(description.rails.back().name).second) {
      item["name"].fail("is the name of two rails");
    }
  }
  if (description.rails.empty()) reader["rails"].fail("describes no rail");
  return description;
}

bool FakeRail::offers(Method method) const {
  return method == Method::kCopy    ? copy.has_value()
         : method == Method::kIovec ? iovec.has_value()
                                    : rendezvous.has_value();
}

double FakeRail::transfer_ns(Method method, double size_bytes) const {
  NMT_CHECK(offers(method));
  return method == Method::kCopy    ? copy->at(size_bytes)
         : method == Method::kIovec ? iovec->at(size_bytes)
                                    : rendezvous->at(size_bytes);
}

double FakeRail::unexpected_copy_ns(double size_bytes) const {
  if (eager) return eager->at(size_bytes) - better_eager_ns(*this, size_bytes);
  return memcpy ? memcpy->at(size_bytes) : 0;
}

// The description gives both lists for the better of copy and iovec; the other adds its difference.
double FakeRail::second_packet_ns(Method method, double size_bytes) const {
  const double first_ns = transfer_ns(method, size_bytes);
  if (!two_packets || method == Method::kRendezvous) return first_ns;
  const double handicap_ns = first_ns - better_eager_ns(*this, size_bytes);
  return std::max(0.0, two_packets->at(size_bytes) + 2 * handicap_ns - first_ns);
}

double FakeRail::aggregate_ns(Method method, double packets, double total_bytes) const {
  const double whole_ns = transfer_ns(method, total_bytes);
  if (!aggregate || packets != 2 || method == Method::kRendezvous) return whole_ns;
  const double handicap_ns = whole_ns - better_eager_ns(*this, total_bytes);
  return aggregate->at(total_bytes / packets) + handicap_ns;
}

}  // namespace nmt::drivers
