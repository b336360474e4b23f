// SPDX-License-Identifier: BSD-3-Clause
//
// What the profile is worth: platform, age, quality, verification, and what differs now.
"use strict";

function inForce(data) {
  return data.platform.campaigns.filter((campaign) => campaign.in_force);
}

function verificationBadges(data) {
  if (!data.verification || data.verification.predictions.length === 0) {
    return [badge("warn", "not verified at held-out sizes")];
  }
  const errors = data.verification.predictions.map((each) => each.error_median);
  const regrets = data.verification.decisions.map((each) => each.regret_median);
  const badges = [badge("good", "verified at held-out sizes"),
    badge("", `prediction error ${formatFraction(Math.max(...errors))} (median, worst method)`)];
  if (regrets.length > 0) {
    badges.push(badge("",
      `regret ${formatFraction(Math.max(...regrets))} (median, worst decision)`));
  }
  return badges;
}

// Described rails belong to no machine, so nothing can differ.
function isDescribed(data) {
  return data.origins.length > 0 && data.origins.every((origin) => origin === "described");
}

function verdictPanel(data) {
  const section = panel("verdict", "What this profile is worth");
  const campaigns = inForce(data);
  const newest = campaigns[0] || data.platform.campaigns[0];
  const badges = element("div", {class: "badges"});
  const differing = data.check.findings.filter((finding) => !finding.matches);
  if (isDescribed(data)) {
    badges.append(badge("warn", "described rails, not a machine"));
  } else if (data.check.matches) {
    badges.append(badge("good", "matches the machine that wrote this report"));
  } else {
    badges.append(badge("bad", "differs from the machine that wrote this report"));
  }
  badges.append(...verificationBadges(data));
  section.append(badges);
  if (!newest) return section;
  const facts = [
    ["Platform", data.platform.name],
    ["Measured", newest.started_utc.slice(0, 16).replace("T", " ") + " UTC"],
    ["Age when written", formatAge(newest.age_s)],
    ["Undisturbed repetitions", formatFraction(newest.quality)],
    ["Measured cells", campaigns.reduce((sum, each) => sum + each.cells, 0).toLocaleString("en")],
    ["State", newest.complete ? "complete" : newest.state],
  ];
  section.append(element("dl", {class: "facts"}, facts.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)))));
  if (differing.length > 0 && !isDescribed(data)) {
    const rows = differing.flatMap((finding) => finding.differences.map((each) =>
      [finding.what, each.field, each.before ?? "(unknown)", each.now ?? "(gone)"]));
    section.append(element("p", {class: "notice"}, "Measured on another platform than the one " +
      "that wrote this report, or changed since: the answers hold for the platform that was " +
      "measured."),
    tableBehind("what differs", () =>
      makeTable(["what", "field", "measured with", "now"], rows)));
  }
  section.append(tableBehind("campaigns", () => makeTable(
    ["campaign", "started", ">cells", ">quality", "in force", "rails", "state"],
    data.platform.campaigns.map((each) => [each.id.slice(0, 8), each.started_utc,
      String(each.cells), formatFraction(each.quality), each.in_force ? "yes" : "no",
      each.rails.join(", "), each.state]))),
  tableBehind("the platform's fingerprint", () => makeTable(["field", "value"],
    Object.entries(data.platform.fingerprint))));
  return section;
}
