// SPDX-License-Identifier: BSD-3-Clause
//
// Alltoalls: measured, predicted with an interval, and the lower bound without contention.
"use strict";

function signatureText(fit) {
  const delta = fit.delta_ns > 0
    ? `delta = ${formatDuration(fit.delta_ns)} from M = ${formatBytes(fit.m_from_bytes)} on`
    : "no delta";
  return `gamma = ${fit.gamma.toPrecision(4)} (95 %: ${fit.gamma_interval[0].toPrecision(4)} .. ` +
    `${fit.gamma_interval[1].toPrecision(4)}), ${delta}`;
}

function alltoallPanel(data) {
  return data.alltoalls.map((entry, index) => {
    const section = panel(`alltoall-${index}`, `Alltoall: ${entry.algorithm}`,
      "The lower bound is what the messages would take one after the other without contention. " +
      "Gamma says how many times as long they take; delta is added to large ones.");
    if (!entry.signature) {
      section.append(element("p", {class: "notice"}, entry.reason));
    } else {
      section.append(element("p", {class: "finding"}, signatureText(entry.signature)));
    }
    const predictions = (entry.predictions ?? []).filter((each) => each.predicted_ns !== null);
    const ranks = [...new Set([...entry.times.map(([n]) => n),
      ...predictions.map((each) => each.n)])].sort((a, b) => a - b);
    const measured = (n) => entry.times.filter((each) => each[0] === n).map(([, m, ns]) => [m, ns]);
    let chosen = ranks.filter((n) => measured(n).length > 0).at(-1) ?? ranks[0];
    const chart = chartPlace(), rest = element("div");
    const draw = () => {
      const own = predictions.filter((each) => each.n === chosen);
      const column = (key) => own.filter((each) => each[key] !== null)
        .map((each) => [each.m_bytes, each[key]]);
      const predicted = {name: "predicted", color: 0, dash: [], points: column("predicted_ns")};
      if (column("low_ns").length === own.length && own.length > 0) {
        Object.assign(predicted, {low: column("low_ns"), high: column("high_ns")});
      }
      chart.show({label: `Alltoall of ${chosen} ranks by size`,
        x: {label: "Bytes to each rank", format: formatBytes}, y: quantities.duration.y,
        series: [predicted,
          {name: "lower bound", color: 5, dash: dashes[1], points: column("lower_bound_ns")},
          {name: "measured", color: 1, dots: true, points: measured(chosen)}]});
      const at = new Map(measured(chosen));
      rest.replaceChildren(tableBehind(`${chosen} ranks`, () => makeTable(
        [">m", ">measured", ">predicted", "95 % interval", ">lower bound", "verdict"],
        own.map((each) => [formatBytes(each.m_bytes),
          at.has(each.m_bytes) ? formatDuration(at.get(each.m_bytes)) : "",
          formatDuration(each.predicted_ns), each.low_ns === null ? "not known"
            : `${formatDuration(each.low_ns)} .. ${formatDuration(each.high_ns)}`,
          formatDuration(each.lower_bound_ns), each.verdict]))));
    };
    section.append(element("div", {class: "controls"}, pick("Ranks", ranks.map((n) => [String(n),
      measured(n).length > 0 ? String(n) : `${n} (predicted)`]), String(chosen),
    (value) => { chosen = Number(value); draw(); })), chart.node, rest);
    draw();
    return section;
  });
}
