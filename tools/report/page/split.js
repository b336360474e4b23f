// SPDX-License-Identifier: BSD-3-Clause
//
// How a message is split over the rails, by size, and what other ways would take.
"use strict";

// {"size_bytes", "end_ns", "bytes"} at any size within what was measured; null beyond. Straight
// lines between the given sizes, which are dense enough for that (tools/report/split_data.h).
function splitAt(split, size) {
  const points = (values) => split.size_bytes.map((bytes, i) => [bytes, values[i]]);
  const end = valueAt(points(split.end_ns), size);
  if (end === null) return null;
  return {size_bytes: size, end_ns: end,
    bytes: split.bytes.map((values) => valueAt(points(values), size))};
}

function splitShares(split) {
  const series = [];
  const sum = split.size_bytes.map(() => 0);
  for (let i = split.rails.length - 1; i >= 0; --i) {
    split.bytes[i].forEach((bytes, at) => { sum[at] += bytes / split.size_bytes[at]; });
    series.unshift({name: split.rails[i], color: i, dash: [],
      points: split.size_bytes.map((size, at) => [size, sum[at]]),
      values: split.size_bytes.map((size, at) => [size, split.bytes[i][at] / size])});
  }
  return series;
}

function bestSingle(split) {
  const alone = split.ways.filter((way) => way.way.startsWith("whole over "));
  return alone[0].points.map(([size], i) =>
    [size, Math.min(...alone.map((way) => way.points[i][1]))]);
}

function splitWays(split) {
  const slowdown = (points) => points.map(([size, ns]) =>
    [size, ns / splitAt(split, size).end_ns - 1]);
  const names = {"equal parts": "equal parts", "dichotomy (paper)": "dichotomy (paper)",
    "asymptotic bandwidths (paper)": "fixed ratio of bandwidths"};
  return [{name: "best single rail", color: 0, points: slowdown(bestSingle(split))},
    ...split.ways.filter((way) => way.way in names).map((way, i) =>
      ({name: names[way.way], color: i + 1, points: slowdown(way.points)}))]
    .map((series) => ({...series, dash: dashes[series.color % dashes.length]}));
}

function splitAnswer(split, text) {
  const size = parseBytes(text);
  if (Number.isNaN(size)) return "Write a size, for example 4M.";
  const found = splitAt(split, size);
  if (found === null) {
    return `Sizes from ${formatBytes(split.size_bytes[0])} to ` +
      `${formatBytes(split.size_bytes[split.size_bytes.length - 1])} were measured.`;
  }
  const parts = split.rails.map((rail, i) => [rail, found.bytes[i]])
    .filter(([, bytes]) => bytes > 0)
    .map(([rail, bytes]) => `${formatBytes(Math.round(bytes))} over ${rail}`);
  return `${formatBytes(size)} in ${formatDuration(found.end_ns)}, ` +
    `${formatBandwidth(size / found.end_ns * 1e9)}: ${parts.join(", ")}`;
}

function splitPanel(data) {
  const section = panel("split", "How a message is split over the rails",
    "The parts that end at the same time, by the measured curves, while all rails are idle; as " +
    "nmad-tune split answers.");
  if (data.splits.length === 0) {
    section.append(element("p", {}, "It needs two rails between the same ends."));
    return section;
  }
  let split = data.splits[0];
  const shares = chartPlace(), ways = chartPlace();
  const rest = element("div");
  const answer = element("output", {class: "answer", id: "split-answer"});
  const input = element("input", {type: "text", id: "split-size", value: "1M", size: 10,
    input: () => { answer.textContent = splitAnswer(split, input.value); }});
  const draw = () => {
    shares.show({label: "Share of each rail by size", x: sizeAxis, stacked: true, height: 260,
      y: {label: "Share", format: formatFraction, log: false, range: () => [0, 1]},
      series: splitShares(split)});
    ways.show({label: "Other ways against the split, by size", x: sizeAxis, height: 260,
      y: {label: "Slower than the split", format: formatChange, log: false},
      series: splitWays(split)});
    rest.replaceChildren(tableBehind("split by size", () => splitTable(split)));
    answer.textContent = splitAnswer(split, input.value);
  };
  section.append(element("div", {class: "controls"},
    data.splits.length > 1 ? pick("Rails", data.splits.map((each, i) =>
      [String(i), each.rails.join(" + ")]), "0",
    (value) => { split = data.splits[Number(value)]; draw(); }) : null,
    element("span", {class: "pick"}, element("label", {for: "split-size"}, "A message of"), input)),
  element("p", {}, answer),
  element("div", {class: "two"},
    element("div", {}, element("h3", {}, "Share of each rail"), shares.node),
    element("div", {}, element("h3", {}, "Other ways, against the split"), ways.node)),
  rest);
  draw();
  return section;
}

function splitTable(split) {
  const sizes = split.ways[0].points.map(([size]) => size);
  const others = splitWays(split);
  return makeTable([">size", ">end", ...split.rails.map((rail) => ">" + rail),
    ...others.map((way) => ">" + way.name)],
  sizes.map((size, i) => {
    const found = splitAt(split, size);
    return [formatBytes(size), formatDuration(found.end_ns),
      ...found.bytes.map((bytes) => bytes > 0 ? formatBytes(Math.round(bytes)) : ""),
      ...others.map((way) => formatChange(way.points[i][1]))];
  }));
}
