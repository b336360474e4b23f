// SPDX-License-Identifier: BSD-3-Clause
//
// Predictions beside measurements that they were not derived from.
"use strict";

function heldOutPanel(data) {
  const section = panel("held-out", "How well the profile predicts",
    "Sizes that no curve was derived from, measured and predicted: 0 is a perfect prediction. " +
    "Repeat noise is how much two measurements of one size differ.");
  if (data.held_out.length === 0) {
    section.append(element("p", {},
      "This profile was not verified. nmad-sample --verify measures held-out sizes too."));
    return section;
  }
  const rails = [...new Set(data.held_out.map((each) => each.rail))];
  let rail = rails[0], regime = "hot";
  const chart = chartPlace();
  const rest = element("div");
  const of = () => data.held_out.filter((each) => each.rail === rail && each.regime === regime);
  const draw = () => {
    const methods = [...new Set(of().map((each) => each.method))];
    chart.show({label: `Predicted against measured on ${rail}`, x: sizeAxis,
      y: {label: "Predicted / measured", format: formatChange, log: false,
        range: (min, max) => {
          const most = 1.15 * Math.max(0.02, Math.abs(min), Math.abs(max));
          return [-most, most];
        }},
      series: methods.map((method) => ({name: method, color: methodColors[method] ?? 3, dots: true,
        points: of().filter((each) => each.method === method && each.size_bytes > 0)
          .map((each) => [each.size_bytes, each.predicted_ns / each.measured_ns - 1])
          .sort((a, b) => a[0] - b[0])}))});
    rest.replaceChildren(tableBehind("predicted and measured", () => makeTable(
      [">size", "method", ">measured", ">predicted", ">error"],
      of().sort((a, b) => a.size_bytes - b.size_bytes).map((each) => [formatBytes(each.size_bytes),
        each.method, formatDuration(each.measured_ns), formatDuration(each.predicted_ns),
        formatChange(each.predicted_ns / each.measured_ns - 1)]))));
  };
  const regimes = [...new Set(data.held_out.map((each) => each.regime))];
  regime = regimes[0];
  section.append(element("div", {class: "controls"},
    rails.length > 1 ? pick("Rail", rails.map((name) => [name, name]), rail,
      (value) => { rail = value; draw(); }) : null,
    regimes.length > 1 ? choice("Buffers", regimes.map((name) => [name, name]), regime,
      (value) => { regime = value; draw(); }) : null),
  chart.node, rest);
  draw();
  const verification = data.verification;
  if (verification) {
    section.append(tableBehind("errors of predictions", () => makeTable(
      ["rail", "regime", "method", ">sizes", ">median error", ">95th", ">repeat noise"],
      verification.predictions.map((each) => [each.rail, each.regime, each.method,
        String(each.sizes), formatFraction(each.error_median), formatFraction(each.error_p95),
        formatFraction(each.noise_floor)]))),
    tableBehind("regrets of decisions", () => makeTable(
      ["rail", "regime", "decision", ">sizes", ">median regret", ">95th"],
      verification.decisions.map((each) => [each.rail, each.regime, each.kind, String(each.sizes),
        formatFraction(each.regret_median), formatFraction(each.regret_p95)]))));
  }
  return section;
}
