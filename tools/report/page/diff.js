// SPDX-License-Identifier: BSD-3-Clause
//
// An older profile against this one: what changed in the machine, what got slower or faster, which
// thresholds moved, and how every campaign measured.
"use strict";

// One row for all nodes in which the same field changed alike.
function alike(fingerprints) {
  const rows = new Map();
  for (const {what, rail, field, before, after} of fingerprints) {
    const key = JSON.stringify([rail, field, before, after]);
    if (!rows.has(key)) rows.set(key, {what, others: 0, field, before, after});
    else ++rows.get(key).others;
  }
  return [...rows.values()].map((row) => [
    row.others === 0 ? row.what : `${row.what} and ${row.others} more`, row.field,
    row.before ?? "(unknown)", row.after ?? "(gone)"]);
}

function diffPanel(data) {
  const {before, after, launches} = data.diff;
  const section = panel("diff-fields", "What changed",
    `Before: ${before.platform}, measured ${before.started_utc.slice(0, 10)}` +
    `${before.file ? ` (${before.file})` : ""}. Now: ${after.platform}, measured ` +
    `${after.started_utc.slice(0, 10)}.`);
  if (!launches) {
    section.append(element("p", {class: "finding"}, "The profiles have no path between the same " +
      "nodes and rails in common. Rails of one name are compared."));
    return section;
  }
  section.append(element("p", {class: "finding"}, launches.sentence));
  const rows = alike(launches.fingerprints);
  section.append(rows.length === 0 ? element("p", {}, "No field of the fingerprints differs.")
    : makeTable(["of", "field", "before", "now"], rows));
  return section;
}

function diffRatioPanel(data) {
  const section = panel("diff-ratio", "Slower or faster, by size",
    "Duration now against before, with the 95 % interval of both medians. The grey band is the " +
    "noise of launches: 19 of 20 launches of an unchanged machine lie in it. Where only one was " +
    "measured, it is repeat noise, how much two measurements of one size differ within a " +
    "campaign, and two launches can differ more than that.");
  const {ratios} = data.diff;
  if (ratios.length === 0) {
    section.append(element("p", {}, "The two profiles have no rail in common."));
    return section;
  }
  const key = (each) => `${each.rail} (${each.regime} buffers${each.placement
    ? ", " + each.placement : ""})`;
  const rails = [...new Set(ratios.map(key))];
  // First the rail that changed most.
  const change = (name) => Math.max(...ratios.filter((each) => key(each) === name)
    .flatMap((each) => each.points.map(([, ratio]) => Math.abs(Math.log(ratio)))));
  let rail = rails.reduce((a, b) => change(b) > change(a) ? b : a);
  const chart = chartPlace(), rest = element("div");
  const draw = () => {
    const own = ratios.filter((each) => key(each) === rail);
    const spread = data.diff.launches?.launch_spreads[own[0].rail] ?? 0;
    const noise = spread > 0 ? Math.exp(1.96 * spread) - 1
      : Math.max(...own.map((each) => each.noise ?? 0));
    const usable = (points) => points.filter(([size]) => size > 0);
    const ends = own.flatMap((each) => usable(each.points).map(([size]) => size));
    const span = [Math.min(...ends), Math.max(...ends)];
    const series = own.map((each) => {
      const points = usable(each.points);
      return {name: curveName({...each, benchmark: "transfer"}),
        color: methodColors[each.method] ?? 3,
        points: points.map(([size, ratio]) => [size, ratio - 1]),
        low: points.map(([size, , low]) => [size, low - 1]),
        high: points.map(([size, , , high]) => [size, high - 1])};
    });
    if (noise > 0) {
      const name = spread > 0 ? "noise of launches" : "repeat noise";
      series.unshift({name: `${name}, ±${formatFraction(noise)}`, color: 5, dash: dashes[1],
        points: span.map((size) => [size, 0]), low: span.map((size) => [size, -noise]),
        high: span.map((size) => [size, noise])});
    }
    chart.show({label: `Duration now against before on ${rail}`, x: sizeAxis,
      y: {label: "Now against before", format: formatChange, log: false,
        range: (min, max) => [Math.min(min * 1.1, -0.05), Math.max(max * 1.1, 0.05)]}, series});
    rest.replaceChildren(tableBehind("ratios by size", () => makeTable(
      [">size", "method", ">now / before", "95 % interval"],
      own.flatMap((each) => each.points.map(([size, ratio, low, high]) => [formatBytes(size),
        curveName({...each, benchmark: "transfer"}), ratio.toFixed(3),
        `${low.toFixed(3)} .. ${high.toFixed(3)}`])))));
  };
  section.append(element("div", {class: "controls"}, rails.length > 1
    ? pick("Rail", rails.map((name) => [name, name]), rail, (value) => { rail = value; draw(); })
    : null), chart.node, rest);
  draw();
  return section;
}

function diffThresholdsPanel(data) {
  if (!data.diff.launches) return [];
  const section = panel("diff-thresholds", "Thresholds that moved",
    "Further than their 95 % intervals. The regret is what it would cost now to keep the old " +
    "threshold.");
  const {thresholds, thresholds_left_out: leftOut} = data.diff.launches;
  section.append(thresholds.length === 0 ? element("p", {}, "None moved.")
    : makeTable(["path", "decision", ">before", ">now", ">mean regret", ">worst", ">at size"],
      thresholds.map((each) => [each.path, each.kind, each.before, each.after,
        formatFraction(each.regret), formatFraction(each.regret_worst),
        each.regret_worst > 0 ? formatBytes(each.worst_size_bytes) : ""])));
  if (leftOut > 0) {
    section.append(element("p", {class: "muted"},
      `${leftOut} more moved, and keeping them costs less.`));
  }
  return section;
}

// Pairs of nodes in both profiles: how much slower each became.
function diffMapPanel(data) {
  const old = data.diff.pairs;
  if (!old || !data.cluster) return [];
  const section = panel("diff-pairs", "Every pair of nodes, now against before",
    "Orange pairs became slower, blue ones faster. Grey was not measured on both sides.");
  const key = (pair) => [pair.rail, pair.near, pair.far].join("\n");
  const before = new Map(old.map((pair) => [key(pair), pair]));
  const both = data.cluster.pairs.filter((pair) => before.has(key(pair)));
  if (both.length === 0) return [];
  const rails = [...new Set(both.map((pair) => pair.rail))];
  // First the rail and the quantity whose pairs usually changed most.
  const ratioOf = (pair, {of, slow}) => slow(of(pair)) / slow(of(before.get(key(pair))));
  const [{rail: firstRail, figure: firstFigure}] = rails.flatMap((name) =>
    Object.keys(pairFigures).map((each) => ({rail: name, figure: each, change: middleOf(
      both.filter((pair) => pair.rail === name)
        .map((pair) => Math.abs(Math.log(ratioOf(pair, pairFigures[each])))))})))
    .sort((a, b) => b.change - a.change);
  let rail = firstRail, figure = firstFigure;
  const place = element("div"), said = element("p", {class: "answer"}), rest = element("div");
  const draw = () => {
    const {of, format} = pairFigures[figure];
    const own = both.filter((pair) => pair.rail === rail);
    const ratio = (pair) => ratioOf(pair, pairFigures[figure]);
    const hosts = [...new Set(own.flatMap((pair) => [pair.near, pair.far]))].sort(byName)
      .slice(0, shownHostsMax);
    const at = new Map(own.flatMap((pair) => [[pair.near + "\n" + pair.far, pair],
      [pair.far + "\n" + pair.near, pair]]));
    const most = Math.max(0.1, ...own.map((pair) => Math.abs(Math.log(ratio(pair)))));
    const cells = hosts.map((near) => hosts.map((far) => {
      const pair = at.get(near + "\n" + far);
      if (!pair) return near === far ? {class: "tile self", label: near, text: ""} : null;
      return {class: ratioFill(ratio(pair), most), text: "",
        label: `${pair.near} → ${pair.far}: ${format(of(before.get(key(pair))))} before, ` +
          `${format(of(pair))} now, ${formatChange(ratio(pair) - 1)} time`};
    }));
    const size = Math.max(9, Math.min(30, Math.floor(820 / hosts.length)));
    place.replaceChildren(heatmap(hosts, hosts, cells,
      {size, label: `${figure} now against before over ${rail}`},
      (row, column) => { said.textContent = cells[row][column].label; }),
    ratioScale(most, "slower", "faster"));
    said.textContent = "";
    rest.replaceChildren(tableBehind("pairs, the most slowed first", () => makeTable(
      ["node", "peer", ">before", ">now", ">time against before"],
      [...own].sort((a, b) => ratio(b) - ratio(a)).map((pair) => [pair.near, pair.far,
        format(of(before.get(key(pair)))), format(of(pair)), formatChange(ratio(pair) - 1)]))));
  };
  section.append(element("div", {class: "controls"},
    rails.length > 1 ? pick("Rail", rails.map((name) => [name, name]), rail,
      (value) => { rail = value; draw(); }) : null,
    choice("Quantity", Object.entries(pairFigures).map(([name, each]) => [name, each.name]), figure,
      (value) => { figure = value; draw(); })), place, said, rest);
  draw();
  return section;
}

function trendPanel(data) {
  const {trend} = data.diff;
  const days = (utc) => Date.parse(utc) / 86400000;
  const midnight = (utc) => Math.floor(days(utc));
  if (new Set(trend.map((each) => each.started_utc)).size < 2) return [];
  const section = panel("diff-trend", "Every campaign, over time",
    "Latency of the smallest message, or bandwidth of the largest, by the best method; medians.");
  let figure = "latency";
  const chart = chartPlace();
  const draw = () => {
    const {of, format} = pairFigures[figure];
    const rails = [...new Set(trend.map((each) => each.rail))];
    chart.show({label: `${figure} by campaign`,
      x: {label: "Day", log: false, format: (day) => new Date(day * 86400000).toISOString()
        .slice(0, 10), ticks: [...new Set(trend.map((each) => midnight(each.started_utc)))],
      range: (min, max) => {
        const room = Math.max(1, (max - min) * 0.08);
        return [Math.floor(min) - room, max + room];
      }},
      y: {label: pairFigures[figure].name, format, log: true},
      series: rails.map((rail) => ({name: rail, marked: true, points: trend.filter((each) => each.rail === rail)
        .map((each) => [days(each.started_utc), of(each)])}))});
  };
  section.append(element("div", {class: "controls"}, choice("Quantity",
    Object.entries(pairFigures).map(([name, each]) => [name, each.name]), figure,
    (value) => { figure = value; draw(); })), chart.node,
  tableBehind("campaigns", () => makeTable(["started", "rail", ">latency", ">bandwidth"],
    trend.map((each) => [each.started_utc, each.rail, formatDuration(each.latency_ns),
      formatBandwidth(each.bandwidth_bytes_per_second)]))));
  draw();
  return section;
}
