// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plan_json.h"

namespace nmt::tools {
namespace {

std::string details(const Fields& fields) {
  std::vector<std::string> words;
  for (const auto& [name, value] : fields) words.push_back(name + ' ' + value);
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string methods_text(const sampler::RailToSample& each, std::string_view separator) {
  std::vector<std::string_view> names;
  for (const Method method : each.driver->methods(each.rail)) names.push_back(to_string(method));
  return fmt::format("{}", fmt::join(names, separator));
}

}  // namespace

std::string describe(const Refusal& refusal) {
  const std::string text = refusal.rail + ": " + refusal.reason;
  return refusal.remedy.empty() ? text : text + "; " + refusal.remedy;
}

json::Value to_json(const std::vector<Refusal>& refusals) {
  json::Value out = json::Value::array();
  for (const Refusal& refusal : refusals) {
    json::Value entry = json::Value::object();
    entry.set("rail", refusal.rail).set("usable", false);
    entry.set("reason", refusal.reason).set("remedy", refusal.remedy);
    out.push_back(std::move(entry));
  }
  return out;
}

Problem no_usable_rail(const RailChoice& choice) {
  std::string message = "no usable rail";
  std::string separator = ": ";
  for (const Refusal& refusal : choice.refusals) {
    message += separator + describe(refusal);
    separator = " | ";
  }
  return Problem(Fault::kNoRail, message);
}

Report list_rails(const RailChoice& choice) {
  Report report;
  Table usable({"rail", "methods", "details"});
  json::Value rails = json::Value::array();
  report.records.header = {"rail", "usable", "methods", "reason", "remedy"};
  for (const sampler::RailToSample& each : choice.rails) {
    const std::string name = each.rail.full_name();
    usable.add({name, methods_text(each, ", "), details(each.rail.fingerprint)});
    json::Value methods = json::Value::array();
    for (const Method method : each.driver->methods(each.rail)) {
      methods.push_back(to_string(method));
    }
    json::Value entry = json::Value::object();
    entry.set("rail", name).set("usable", true).set("methods", std::move(methods));
    entry.set("fingerprint", nmt::to_json(each.rail.fingerprint));
    rails.push_back(std::move(entry));
    report.records.rows.push_back({name, true, methods_text(each, " "), nullptr, nullptr});
  }
  if (!choice.rails.empty()) report.text.heading("Usable rails").table(usable);

  Table refused({"rail", "reason", "remedy"});
  for (const Refusal& refusal : choice.refusals) {
    refused.add({refusal.rail, refusal.reason, refusal.remedy});
    report.records.rows.push_back({refusal.rail, false, nullptr, refusal.reason, refusal.remedy});
  }
  if (!choice.refusals.empty()) report.text.heading("Not usable").table(refused);

  report.payload.set("rails", std::move(rails));
  report.payload.set("refused", to_json(choice.refusals));
  report.summary = {{"usable", std::to_string(choice.rails.size())},
                    {"refused", std::to_string(choice.refusals.size())}};
  if (choice.rails.empty()) report.problem = no_usable_rail(choice);
  return report;
}

}  // namespace nmt::tools
