// SPDX-License-Identifier: BSD-3-Clause
//
// Each rail: duration by method and size, with its 95 % band and the thresholds between methods.
"use strict";

const methodColors = {copy: 0, iovec: 1, rendezvous: 2};

function railKey(rail) {
  return [rail.rail, rail.regime, rail.placement].join("\n");
}

function transfersOf(rail) {
  return rail.curves.filter((curve) => curve.benchmark === "transfer");
}

// What both sides of aggregation cost, for two packets.
function packetsOf(rail) {
  return rail.curves.filter((curve) =>
    curve.benchmark === "two_packets" || curve.benchmark === "aggregate");
}

function curveName(curve) {
  const name = curve.benchmark === "transfer" ? curve.method
    : `${curve.benchmark === "aggregate" ? "two in one" : "two packets"}, ${curve.method}`;
  return curve.variant ? `${name} (${curve.variant})` : name;
}

const quantities = {
  duration: {name: "Duration", y: {label: "Duration", format: formatDuration, log: true},
    of: (size, ns) => ns},
  bandwidth: {name: "Bandwidth", y: {label: "Bandwidth", log: true,
    format: (value) => formatBandwidth(value)}, of: (size, ns) => size / ns * 1e9},
  relative: {name: "Against the best method", y: {label: "Slower than the best", log: false,
    format: formatChange, range: (min, max) => [-0.02, Math.min(max * 1.05, 1.5)]}},
};

function positive(points) {
  return points.filter(([size, value]) => size > 0 && value > 0);
}

// How much slower each curve is than the best of all at its own points.
function relativeTo(curves, points) {
  return positive(points).map(([size, ns]) => {
    let best = ns;
    for (const curve of curves) {
      const other = valueAt(curve.duration, size);
      if (other !== null && other < best) best = other;
    }
    return [size, ns / best - 1];
  });
}

function railSeries(curves, quantity) {
  const variants = new Map();
  return curves.map((curve) => {
    const color = methodColors[curve.method] ?? 3;
    const count = variants.get(curve.method) ?? 0;
    variants.set(curve.method, count + 1);
    const convert = (points) => positive(points)
      .map(([size, ns]) => [size, quantities[quantity].of(size, ns)]);
    const series = {name: curveName(curve), color, dash: dashes[color + count]};
    if (quantity === "relative") return {...series, points: relativeTo(curves, curve.duration)};
    return {...series, points: convert(curve.duration), low: convert(curve.low),
      high: convert(curve.high)};
  });
}

function thresholdMarks(rail, kinds) {
  return rail.thresholds
    .filter((each) => kinds.includes(each.kind) && each.answer === "threshold" && each.bytes > 0)
    .map((each) => ({from: Math.max(1, each.interval[0]), to: Math.max(1, each.interval[1]),
      at: each.bytes, text: `${each.kind} ${formatBytes(each.bytes)}`}));
}

// "copy below 2 KiB, iovec from that size on", as the commands say it.
function inWords(threshold) {
  const ranges = threshold.ranges;
  if (ranges.length === 1) return ranges[0].choice + " at every size";
  return ranges.map((range) => range.to === null ? `${range.choice} from that size on`
    : `${range.choice} below ${formatBytes(range.to)}, `).join("") +
    (threshold.bounded ? " (a limit)" : "");
}

function thresholdTable(rail) {
  return makeTable(["decision", ">threshold", "95 % interval", ">regret", "meaning"],
    rail.thresholds.map((each) => [each.kind,
      each.answer === "threshold" ? formatBytes(each.bytes)
        : each.answer === "ranges" ? `${each.ranges.length} ranges` : each.answer,
      each.answer === "threshold" && each.interval[0] !== each.interval[1]
        ? `${formatBytes(each.interval[0])} .. ${formatBytes(each.interval[1])}` : "",
      formatFraction(each.regret), inWords(each)]));
}

function curveTable(curves) {
  const sizes = [...new Set(curves.flatMap((curve) => curve.duration.map(([size]) => size)))]
    .sort((a, b) => a - b);
  const columns = curves.map((curve) => ({at: new Map(curve.duration), low: new Map(curve.low),
    high: new Map(curve.high)}));
  return makeTable([">size", ...curves.flatMap((curve) =>
    [">" + curveName(curve), "95 % interval"])],
  sizes.map((size) => [formatBytes(size), ...columns.flatMap((column) => column.at.has(size)
    ? [formatDuration(column.at.get(size)),
      `${formatDuration(column.low.get(size))} .. ${formatDuration(column.high.get(size))}`]
    : ["", ""])]));
}

// Which rail, and hot or cold buffers: what several panels let choose.
function railPicker(rails, onChange) {
  const options = rails.map((rail, i) => [String(i), rail.rail +
    (rail.peer ? `, ${rail.node} → ${rail.peer}` : "") +
    (rails.some((other) => other !== rail && other.rail === rail.rail)
      ? ` (${[rail.regime + " buffers", rail.placement].filter(Boolean).join(", ")})` : "")]);
  if (options.length < 2) return null;
  return pick("Rail", options, "0", (value) => onChange(rails[Number(value)]));
}

function railsPanel(data) {
  const section = panel("rails", "How long a message takes",
    "The median duration of one message by each transfer method, with its 95 % interval as a " +
    "band. Vertical bands are the thresholds that were derived, with their intervals.");
  const rails = data.rails.filter((rail) => transfersOf(rail).length > 0);
  if (rails.length === 0) {
    section.append(element("p", {}, "This profile has no transfer over a rail."));
    return section;
  }
  let rail = rails[0], quantity = "duration", what = "transfer";
  const chart = chartPlace();
  const tables = element("div");
  const draw = () => {
    const curves = what === "transfer" ? transfersOf(rail) : packetsOf(rail);
    const kinds = what === "transfer" ? ["iovec", "rendezvous"] : ["aggregation"];
    chart.show({label: `${quantities[quantity].name} by size on ${rail.rail}`, x: sizeAxis,
      y: quantities[quantity].y, series: railSeries(curves, quantity),
      marks: thresholdMarks(rail, kinds)});
    tables.replaceChildren(element("h3", {}, `Thresholds of ${rail.rail}`), thresholdTable(rail),
      tableBehind("duration by size", () => curveTable(curves)));
  };
  section.append(element("div", {class: "controls"},
    railPicker(rails, (chosen) => { rail = chosen; draw(); }),
    choice("Quantity", Object.entries(quantities).map(([key, each]) => [key, each.name]), quantity,
      (value) => { quantity = value; draw(); }),
    rails.some((each) => packetsOf(each).length > 0)
      ? choice("Messages", [["transfer", "One"], ["packets", "Two small ones"]], what,
        (value) => { what = value; draw(); }) : null),
  chart.node, tables);
  draw();
  return section;
}
