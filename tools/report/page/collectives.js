// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives: for each size and shape, whose algorithm is fastest and by how much.
"use strict";

// The MPI's own has the colour of slow tiles in the heatmaps, ours that of fast ones: not a
// judgement, but the pair of colours that everybody tells apart.
function collectiveTile(cell) {
  if (!cell.library || !cell.ours) return null;
  const gain = cell.library.median_ns / cell.ours.median_ns;
  const winner = gain >= 1 ? cell.ours : cell.library;
  const segment = winner.segment_bytes > 0
    ? `, segments of ${formatBytes(winner.segment_bytes)}` : "";
  return {class: ratioFill(1 / gain, Math.log(2)), text: gain.toFixed(2),
    label: `${cell.operation}, ${formatBytes(cell.size_bytes)}, ${cell.nodes} nodes of ` +
      `${cell.ranks_per_node}: ${winner.algorithm}${segment}, ` +
      `${formatDuration(winner.median_ns)}; the MPI's own takes ` +
      `${gain.toFixed(2)} times as long as ours`};
}

function collectivesPanel(data) {
  const section = panel("collective-tiles", "Which collective is fastest where",
    "Each tile is one size and one shape of the job: the time of the MPI's own collective, " +
    "divided by that of the fastest hierarchical one. Blue: ours is faster. Orange: the " +
    "MPI's own is.");
  const cells = data.collectives.cells;
  const operations = [...new Set(cells.map((cell) => cell.operation))];
  let operation = operations[0];
  const place = element("div"), said = element("p", {class: "answer"}), rest = element("div");
  const draw = () => {
    const own = cells.filter((cell) => cell.operation === operation);
    const sizes = [...new Set(own.map((cell) => cell.size_bytes))].sort((a, b) => a - b);
    const shapes = [...new Set(own.map((cell) => `${cell.nodes} × ${cell.ranks_per_node}`))];
    const tiles = shapes.map((shape) => sizes.map((size) => {
      const cell = own.find((each) => each.size_bytes === size &&
        `${each.nodes} × ${each.ranks_per_node}` === shape);
      return cell ? collectiveTile(cell) : null;
    }));
    const picture = heatmap(shapes, sizes.map(formatBytes), tiles,
      {size: Math.max(46, Math.min(76, Math.floor(960 / sizes.length))), height: 34,
        label: `${operation} by size and shape`},
      (row, column) => { said.textContent = tiles[row][column].label; });
    place.replaceChildren(element("p", {class: "muted"}, "Rows: nodes × ranks per node."), picture,
      ratioScale(Math.log(2), "the MPI's own is faster", "ours is faster"));
    said.textContent = "";
    rest.replaceChildren(tableBehind("times", () => makeTable(
      [">size", ">nodes", ">per node", ">the MPI's own", "our fastest", ">segment", ">its time",
        ">library / ours", ">regret of the rule"],
      own.map((cell) => [formatBytes(cell.size_bytes), String(cell.nodes),
        String(cell.ranks_per_node), cell.library ? formatDuration(cell.library.median_ns) : "-",
        cell.ours ? cell.ours.algorithm : "-",
        !cell.ours ? "-" : cell.ours.segment_bytes > 0 ? formatBytes(cell.ours.segment_bytes)
          : "whole",
        cell.ours ? formatDuration(cell.ours.median_ns) : "-",
        cell.library && cell.ours ? (cell.library.median_ns / cell.ours.median_ns).toFixed(2) : "-",
        cell.regret === null ? "-" : formatFraction(cell.regret)]))),
    tableBehind("rules that a program follows", () => makeTable(
      ["operation", ">nodes", ">per node", ">from", ">to", "algorithm", ">segment", ">leaders",
        ">library / ours", ">regret", ">worst"],
      data.collectives.rules.filter((rule) => rule.operation === operation).map((rule) =>
        [rule.operation, String(rule.nodes), String(rule.ranks_per_node),
          formatBytes(rule.from_bytes), rule.to_bytes === null ? "" : formatBytes(rule.to_bytes),
          rule.algorithm, rule.segment_bytes === 0 ? "whole" : formatBytes(rule.segment_bytes),
          String(rule.leaders), rule.speedup === null ? "-" : rule.speedup.toFixed(2),
          formatFraction(rule.regret_mean), formatFraction(rule.regret_worst)]))));
  };
  section.append(element("div", {class: "controls"}, choice("Operation",
    operations.map((name) => [name, name]), operation, (value) => { operation = value; draw(); })),
  place, said, rest);
  draw();
  return section;
}
