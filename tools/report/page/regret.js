// SPDX-License-Identifier: BSD-3-Clause
//
// What thresholds of other people, or of another rail, cost on a rail: by size, and on average.
"use strict";

const decisionNames = {iovec: "copy or gather list", rendezvous: "eager or rendezvous",
  aggregation: "together or apart"};

// The costliest combination of all: the sentence on top.
function worstForeign(foreign) {
  let worst = null;
  for (const entry of foreign) {
    for (const cost of entry.costs.slice(1)) {
      if (worst === null || cost.worst > worst.cost.worst) worst = {entry, cost};
    }
  }
  return worst;
}

function costBars(costs) {
  const most = Math.max(0.001, ...costs.map((each) => each.worst));
  return element("div", {class: "bars"}, costs.flatMap((cost, i) => {
    const width = (value) => `${Math.max(0.3, 100 * value / most)}%`;
    return [element("span", {class: "name"}, cost.name),
      element("span", {class: "bar"},
        svgElement("svg", {role: "img", "aria-label": `mean ${formatFraction(cost.mean)}, worst ` +
            formatFraction(cost.worst)},
          svgElement("rect", {x: 0, y: 4, width: width(cost.worst), height: 8, rx: 2, opacity: 0.35,
            class: `fill-${cost.color % 6 + 1}`}),
          svgElement("rect", {x: 0, y: 0, width: width(cost.mean), height: 16, rx: 2,
            class: `fill-${cost.color % 6 + 1}`})),
        element("b", {}, `${formatFraction(cost.mean)} (${formatFraction(cost.worst)})`))];
  }));
}

function regretPanel(data) {
  const section = panel("regret", "What other people's thresholds cost here",
    "How much slower messages become on this rail if a constant, another stack's default, or " +
    "another rail's threshold decides, instead of what was measured. Below the largest message " +
    "that may arrive unexpected; above it the choice is not free.");
  const foreign = data.foreign;
  if (foreign.length === 0) {
    section.append(element("p", {}, "No rail was measured with both sides of a decision."));
    return section;
  }
  const worst = worstForeign(foreign);
  if (worst !== null && worst.cost.worst > 0.01) {
    const {entry, cost} = worst;
    section.append(element("p", {class: "finding"}, "If ", element("strong", {}, cost.name),
      ` decided “${decisionNames[entry.kind]}” on `, element("strong", {}, entry.rail),
      ", messages of ", element("strong", {}, formatBytes(cost.worst_size_bytes)), " would be ",
      element("strong", {}, formatFraction(cost.worst)), " slower than they need be, and " +
      `${formatFraction(cost.mean)} on average over the measured sizes.`));
  }
  const start = worst === null ? foreign[0] : worst.entry;
  let rail = start.rail, kind = start.kind;
  const chart = chartPlace();
  const rest = element("div");
  const controls = element("div", {class: "controls"});
  const draw = () => {
    const kinds = foreign.filter((entry) => entry.rail === rail).map((entry) => entry.kind);
    if (!kinds.includes(kind)) kind = kinds[0];
    const entry = foreign.find((each) => each.rail === rail && each.kind === kind);
    const others = entry.costs.slice(1).map((cost, i) => ({...cost, color: i < 2 ? i : i + 1}));
    const costs = [{...entry.costs[0], color: 2},
      ...others.sort((a, b) => b.mean - a.mean)];
    chart.show({label: `Regret by size on ${rail}, ${decisionNames[kind]}`, x: sizeAxis,
      y: {label: "Slower than the best choice", format: formatFraction, log: false},
      series: costs.map((cost, i) => ({name: cost.name, color: cost.color,
        dash: i === 0 ? [] : dashOf(cost.color), wide: i === 0,
        points: positiveSizes(cost.points)}))});
    rest.replaceChildren(
      element("h3", {}, "On average over the measured sizes (and at the worst size)"),
      costBars(costs),
      tableBehind("what they cost", () => makeTable(
        ["threshold", "source", ">bytes", ">mean", ">worst", ">at size"],
        costs.map((cost) => [cost.name, cost.source,
          cost.bytes === null ? "never" : formatBytes(cost.bytes), formatFraction(cost.mean),
          formatFraction(cost.worst), formatBytes(cost.worst_size_bytes)]))),
      tableBehind("regret by size", () => regretTable(costs)));
    controls.replaceChildren(
      pick("Rail", [...new Set(foreign.map((each) => each.rail))].map((name) => [name, name]), rail,
        (value) => { rail = value; draw(); controls.querySelector("select").focus(); }),
      choice("Decision", kinds.map((each) => [each, decisionNames[each]]), kind,
        (value) => { kind = value; draw(); controls.querySelector("input:checked").focus(); }));
  };
  section.append(controls, chart.node, rest);
  draw();
  return section;
}

function positiveSizes(points) {
  return points.filter(([size]) => size > 0);
}

function regretTable(costs) {
  return makeTable([">size", ...costs.map((cost) => ">" + cost.name)],
    costs[0].points.map(([size], i) => [formatBytes(size),
      ...costs.map((cost) => formatFraction(cost.points[i][1]))]));
}
