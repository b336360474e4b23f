// SPDX-License-Identifier: BSD-3-Clause
//
// The cluster: node by node, which pair is out of line, and what the nodes are.
"use strict";

const pairFigures = {
  latency: {name: "Latency", of: (pair) => pair.latency_ns, slow: (value) => value,
    format: formatDuration, slower: "slower", faster: "faster"},
  bandwidth: {name: "Bandwidth", of: (pair) => pair.bandwidth_bytes_per_second,
    slow: (value) => 1 / value, format: formatBandwidth, slower: "slower", faster: "faster"},
};

function middleOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// Host names in the order of their numbers: node2 before node10.
function byName(a, b) {
  return a.localeCompare(b, "en", {numeric: true});
}

// {hosts, at(near, far), ratio(pair), typical}: the pairs of one rail, and how much slower each is
// than usual. Hosts are ordered by deviation, the slowest first.
function railMap(pairs, rail, figure) {
  const {of, slow} = pairFigures[figure];
  const own = pairs.filter((pair) => pair.rail === rail);
  const typical = middleOf(own.map(of));
  const ratio = (pair) => slow(of(pair) / typical);
  const at = new Map();
  const ratios = new Map();
  for (const pair of own) {
    at.set(pair.near + "\n" + pair.far, pair);
    for (const host of [pair.near, pair.far]) {
      if (!ratios.has(host)) ratios.set(host, []);
      ratios.get(host).push(ratio(pair));
    }
  }
  const deviation = new Map([...ratios].map(([host, values]) => [host, middleOf(values)]));
  const hosts = [...ratios.keys()].sort((a, b) =>
    Math.abs(Math.log(deviation.get(b) / deviation.get(a))) > 0.02
      ? deviation.get(b) - deviation.get(a) : byName(a, b));
  return {own, hosts, typical, ratio, deviation,
    find: (near, far) => at.get(near + "\n" + far) || at.get(far + "\n" + near)};
}

const shownHostsMax = 128;

// The hosts of a map: those that deviate most, each with all its peers, so that a slow node's row is
// whole; in the map's order.
function shownHosts(map) {
  const peers = new Map();
  for (const {near, far} of map.own) {
    for (const [host, peer] of [[near, far], [far, near]]) {
      if (!peers.has(host)) peers.set(host, []);
      peers.get(host).push(peer);
    }
  }
  const shown = new Set();
  for (const host of map.hosts) {
    for (const each of [host, ...peers.get(host)]) {
      if (shown.size < shownHostsMax) shown.add(each);
    }
  }
  return map.hosts.filter((host) => shown.has(host));
}

// What the page leaves out of a large cluster, in words.
function leftOutOf(cluster, map, hosts) {
  const words = [];
  if (map.hosts.length > hosts.length) {
    words.push(`The map has ${hosts.length} of ${map.hosts.length} nodes: those that deviate ` +
      "most, with their peers.");
  }
  if (cluster.left_out > 0) {
    words.push(`${cluster.left_out} pairs that differ least are left out of this page.`);
  }
  if (cluster.curves_left_out > 0) {
    words.push(`So are the curves of ${cluster.curves_left_out} more.`);
  }
  return words.join(" ");
}

function clusterMapPanel(data) {
  const section = panel("pairs", "Every pair of nodes",
    "How much each pair differs from the usual pair over the same rail. Slow nodes come first. " +
    "Grey was not measured. Choose a tile to see its curve.");
  const {pairs} = data.cluster;
  const rails = [...new Set(pairs.map((pair) => pair.rail))];
  // First the rail on which a node deviates most.
  const deviation = (name) => Math.max(...railMap(pairs, name, "latency").deviation.values());
  let rail = rails.reduce((a, b) => deviation(b) > deviation(a) ? b : a), figure = "latency";
  const place = element("div"), rest = element("div"), note = element("p", {class: "muted"});
  const chart = chartPlace();
  const heading = element("h3");
  const absent = element("p", {class: "muted", hidden: true},
    "The curve of this pair is left out: it differs little from the usual one.");
  const draw = () => {
    const map = railMap(pairs, rail, figure);
    const {format, slower, faster, of} = pairFigures[figure];
    const hosts = shownHosts(map);
    const most = Math.max(0.1, Math.min(0.7, Math.log(Math.max(...map.own.map(map.ratio)))));
    const cells = hosts.map((near) => hosts.map((far) => {
      const pair = near === far ? null : map.find(near, far);
      if (!pair) return near === far ? {class: "tile self", label: near, text: ""} : null;
      const ratio = map.ratio(pair);
      return {class: ratioFill(ratio, most), text: "",
        label: `${pair.near} → ${pair.far}: ${format(of(pair))}, ` +
          `${formatChange(ratio - 1)} time`};
    }));
    const size = Math.max(9, Math.min(30, Math.floor(820 / hosts.length)));
    const picture = heatmap(hosts, hosts, cells,
      {size, label: `${figure} of each pair over ${rail}`}, (row, column) => {
        const pair = map.find(hosts[row], hosts[column]);
        if (pair) show(map, pair);
      });
    place.replaceChildren(picture, ratioScale(most, slower, faster));
    note.textContent = `Usual: ${format(map.typical)}, over ${map.own.length} pairs of ` +
      `${map.hosts.length} nodes. ${leftOutOf(data.cluster, map, hosts)}`;
    const slowest = [...map.own].sort((a, b) => map.ratio(b) - map.ratio(a));
    rest.replaceChildren(tableBehind("pairs, the slowest first", () => makeTable(
      ["node", "peer", ">latency", ">bandwidth", ">time against usual"],
      slowest.map((pair) => [pair.near, pair.far, formatDuration(pair.latency_ns),
        formatBandwidth(pair.bandwidth_bytes_per_second), formatChange(map.ratio(pair) - 1)]))));
    show(map, slowest[0]);
  };
  const show = (map, pair) => {
    const {band} = data.cluster.usual.find((each) => each.rail === rail);
    const usual = new Map(band.map(([size, , median]) => [size, median]));
    const column = (index) => band.map((row) => [row[0], row[index]]);
    const against = (points) => points.filter(([size]) => usual.has(size))
      .map(([size, ns]) => [size, ns / usual.get(size) - 1]);
    const title = `${pair.near} → ${pair.far}: time against the usual pair, by size`;
    chart.show({label: `${title}, over ${rail}`, x: sizeAxis,
      y: {label: "Time against the usual pair", format: formatChange, log: false,
        range: (min, max) => [Math.min(min, -0.05) * 1.1, Math.max(max, 0.05) * 1.1]}, series: [
        {name: "usual, and the middle half of all pairs", color: 5, dash: dashes[1],
          points: against(column(2)), low: against(column(1)), high: against(column(3))},
        {name: `${pair.near} → ${pair.far}`, color: 1, dash: [], wide: true,
          points: against(pair.curve ?? [])}]});
    heading.textContent = title;
    absent.hidden = pair.curve !== null;
  };
  section.append(element("div", {class: "controls"},
    rails.length > 1 ? pick("Rail", rails.map((name) => [name, name]), rail,
      (value) => { rail = value; draw(); }) : null,
    choice("Quantity", Object.entries(pairFigures).map(([key, each]) => [key, each.name]), figure,
      (value) => { figure = value; draw(); })),
  note, element("div", {class: "beside"}, place,
    element("div", {class: "follows"}, heading, chart.node, absent)), rest);
  draw();
  return section;
}

// "node07", "node03 - node12", each with its rail.
function culprit(each) {
  return [each.peer ? `${each.node} – ${each.peer}` : each.node, each.rail].filter(Boolean)
    .join(", ");
}

function outliersPanel(data) {
  if (!data.outliers) return [];
  const section = panel("outliers", "Which node, link or rail is out of line",
    "As nmad-tune outliers says it. Chance: how often it would name something so in a cluster in " +
    "which nothing is wrong.");
  const {can_say: canSay, outliers, next} = data.outliers;
  if (outliers.length === 0) {
    section.append(element("p", {class: "finding"}, canSay
      ? "Nothing is slower than chance explains."
      : "Too few pairs were measured to tell a slow node from chance."));
  } else {
    const [worst] = outliers;
    section.append(element("p", {class: "finding"}, element("strong", {}, culprit(worst)),
      ` takes ${formatFraction(worst.ratio - 1)} more time than usual (${worst.figure}; 95 % ` +
      `interval ${formatChange(worst.low_ratio - 1)} to ${formatChange(worst.high_ratio - 1)}).`),
    makeTable(["what", "which", "figure", ">time against usual", "95 % interval", ">chance",
      ">pairs"], outliers.map((each) => [each.kind, culprit(each), each.figure,
      formatChange(each.ratio - 1),
      `${formatChange(each.low_ratio - 1)} .. ${formatChange(each.high_ratio - 1)}`,
      each.chance.toPrecision(2), String(each.pairs)])));
  }
  if (next.length > 0) {
    section.append(tableBehind("pairs to measure next, to be sure", () => makeTable(
      ["node", "peer", "rail", "why"],
      next.map((each) => [each.node, each.peer, each.rail, each.reason]))));
  }
  return section;
}

function platformsPanel(data) {
  const section = panel("platforms", "What the nodes are",
    "Nodes with equal fingerprints are one platform; here is in which fields platforms differ.");
  const {platforms} = data.cluster;
  section.append(makeTable(["platform", ">nodes", "hosts"], platforms.map((each) => [each.name,
    String(each.hosts.length), each.hosts.sort(byName).join(", ")])));
  const fields = [...new Set(platforms.flatMap((each) => Object.keys(each.fingerprint)))].sort();
  const differing = fields.filter((field) =>
    new Set(platforms.map((each) => each.fingerprint[field])).size > 1);
  if (platforms.length > 1 && differing.length > 0) {
    section.append(element("h3", {}, "Fields that differ"), makeTable(
      ["field", ...platforms.map((each, i) => `${i + 1}: ${each.name}`)],
      differing.map((field) => [field,
        ...platforms.map((each) => each.fingerprint[field] ?? "(none)")])));
  } else {
    section.append(element("p", {class: "muted"}, "All nodes have the same fingerprint."));
  }
  return section;
}

function togetherPanel(data) {
  const together = data.platform.together;
  if (together.length === 0) return [];
  const section = panel("together", "Rails alone and together",
    "The bandwidth of rails in use at the same time, beside that of each rail alone.");
  section.append(makeTable(["rails", ">size", ">alone, in sum", ">together", ">of the sum"],
    together.map((each) => {
      const sum = (key) => each.rails.reduce((total, rail) => total + rail[key], 0);
      const alone = sum("alone_bytes_per_second"), both = sum("together_bytes_per_second");
      return [each.rails.map((rail) => rail.rail).join(" + "), formatBytes(each.size_bytes),
        formatBandwidth(alone), formatBandwidth(both), formatFraction(both / alone)];
    })));
  return section;
}
