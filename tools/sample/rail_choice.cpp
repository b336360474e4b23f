// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/rail_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/options.h"

namespace nmt::tools {
namespace {

constexpr std::string_view kFake = "fake";

class Chooser {
 public:
  explicit Chooser(std::uint64_t seed) : seed_(seed) {}

  void choose_all() {
    detect();
    choice_.rails = usable_;
    choice_.refusals = refused_;
  }

  void choose(const std::string& name) {
    std::string driver, rest;
    split_rail_name(name, &driver, &rest);
    if (driver == kFake) {
      choose_described(name, rest);
      return;
    }
    detect();
    const bool whole_driver = rest.empty();
    bool known = false;
    for (const sampler::RailToSample& each : usable_) {
      if (whole_driver ? each.rail.driver != driver : each.rail.full_name() != name) continue;
      known = true;
      add(each);
    }
    for (const Refusal& refusal : refused_) {
      const bool of_driver = refusal.rail == driver || refusal.rail.starts_with(driver + ':');
      if (whole_driver ? !of_driver : refusal.rail != name) continue;
      known = true;
      choice_.refusals.push_back(refusal);
    }
    if (!known) refuse_unknown(name);
  }

  RailChoice take() { return std::move(choice_); }

 private:
  void detect() {
    if (!usable_.empty() || !refused_.empty()) return;
    for (std::unique_ptr<drivers::Driver>& driver : drivers::make_drivers()) {
      drivers::Detection detection = driver->detect();
      for (Rail& rail : detection.rails) usable_.push_back({driver.get(), std::move(rail)});
      std::ranges::move(detection.refusals, std::back_inserter(refused_));
      choice_.drivers.push_back(std::move(driver));
    }
  }

  void choose_described(const std::string& name, const std::string& file) {
    if (file.empty()) {
      throw Error(
          Fault::kUsage,
          fmt::format("--rails: '{}' needs a file that describes its rails; write fake:FILE",
                      name));
    }
    std::unique_ptr<drivers::Driver> driver = drivers::make_fake_driver(file, seed_);
    for (Rail& rail : driver->detect().rails) add({driver.get(), std::move(rail)});
    choice_.drivers.push_back(std::move(driver));
  }

  // A rail named twice is sampled once; two descriptions with one name contradict each other.
  void add(const sampler::RailToSample& each) {
    for (const sampler::RailToSample& known : choice_.rails) {
      if (known.rail.full_name() != each.rail.full_name()) continue;
      if (known.driver == each.driver) return;
      throw Error(Fault::kUsage,
                  fmt::format("--rails: the rail {} is described twice", each.rail.full_name()));
    }
    choice_.rails.push_back(each);
  }

  [[noreturn]] void refuse_unknown(const std::string& name) const {
    std::vector<std::string> known;
    for (const sampler::RailToSample& each : usable_) known.push_back(each.rail.full_name());
    for (const Refusal& refusal : refused_) known.push_back(refusal.rail);
    throw Error(Fault::kUsage,
                fmt::format("--rails: no rail '{}'{}", name, suggestion(name, known)));
  }

  std::uint64_t seed_;
  std::vector<sampler::RailToSample> usable_;
  std::vector<Refusal> refused_;
  RailChoice choice_;
};

}  // namespace

std::vector<std::string> RailChoice::names() const {
  std::vector<std::string> names;
  for (const sampler::RailToSample& each : rails) names.push_back(each.rail.full_name());
  return names;
}

RailChoice choose_rails(const std::string& wanted, std::uint64_t seed) {
  Chooser chooser(seed);
  if (wanted.empty()) {
    chooser.choose_all();
    return chooser.take();
  }
  const std::vector<std::string> names = split_list(wanted);
  if (names.empty())
    throw Error(Fault::kUsage, "--rails: no rail is named; nmad-sample --list prints the rails");
  for (const std::string& name : names) chooser.choose(name);
  return chooser.take();
}

}  // namespace nmt::tools
