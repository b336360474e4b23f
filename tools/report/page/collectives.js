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
  const predicted = cell.gain_needed !== null;
  const used = !predicted ? "" : cell.replaced
    ? ". Predicted: ours is used, because the gain is above the least that is needed to believe it"
    : ". Predicted: the MPI's own is used, because the gain has to be above 1.05, and above what " +
      `is needed to believe it (${cell.gain_needed.toFixed(2)} here), on all shapes of its range`;
  return {class: ratioFill(1 / gain, Math.log(2)), text: gain.toFixed(2), hatched: predicted,
    label: `${cell.operation}, ${formatBytes(cell.size_bytes)}, ${cell.nodes} nodes of ` +
      `${cell.ranks_per_node}: ${winner.algorithm}${segment}, ` +
      `${formatDuration(winner.median_ns)}; the MPI's own takes ` +
      `${gain.toFixed(2)} times as long as ours${used}`};
}

function byShape(a, b) {
  return a.nodes - b.nodes || a.ranks_per_node - b.ranks_per_node;
}

function collectivesPanel(data) {
  const section = panel("collective-tiles", "Which collective is fastest where",
    "Each tile is one size and one shape of the job: the time of the MPI's own collective, " +
    "divided by that of the fastest hierarchical one. Blue: ours is faster. Orange: the " +
    "MPI's own is. Hatched: predicted, not measured.");
  const cells = [...data.collectives.cells].sort(byShape);
  const operations = [...new Set(cells.map((cell) => cell.operation))].sort();
  const mpis = [...new Set(data.collectives.cells.map((cell) => cell.mpi))];
  let operation = operations[0], mpi = mpis[0];
  const place = element("div"), said = element("p", {class: "answer"}), rest = element("div");
  const draw = () => {
    const own = cells.filter((cell) => cell.operation === operation && cell.mpi === mpi);
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
        ">library / ours", ">regret of the rule", "origin"],
      own.map((cell) => [formatBytes(cell.size_bytes), String(cell.nodes),
        String(cell.ranks_per_node), cell.library ? formatDuration(cell.library.median_ns) : "-",
        cell.ours ? cell.ours.algorithm : "-",
        !cell.ours ? "-" : cell.ours.segment_bytes > 0 ? formatBytes(cell.ours.segment_bytes)
          : "whole",
        cell.ours ? formatDuration(cell.ours.median_ns) : "-",
        cell.library && cell.ours ? (cell.library.median_ns / cell.ours.median_ns).toFixed(2) : "-",
        cell.regret === null ? "-" : formatFraction(cell.regret),
        cell.gain_needed === null ? "measured" : "predicted"]))),
    tableBehind("rules that a program follows", () => makeTable(
      ["operation", ">nodes", ">per node", ">from", ">to", "algorithm", ">segment", ">leaders",
        ">library / ours", ">regret", ">worst"],
      data.collectives.rules.filter((rule) => rule.operation === operation && rule.mpi === mpi)
        .map((rule) => [rule.operation, String(rule.nodes), String(rule.ranks_per_node),
          formatBytes(rule.from_bytes), rule.to_bytes === null ? "" : formatBytes(rule.to_bytes),
          rule.algorithm, rule.segment_bytes === 0 ? "whole" : formatBytes(rule.segment_bytes),
          String(rule.leaders), rule.speedup === null ? "-" : rule.speedup.toFixed(2),
          formatFraction(rule.regret_mean), formatFraction(rule.regret_worst)]))));
  };
  section.append(element("div", {class: "controls"}, choice("Operation",
    operations.map((name) => [name, name]), operation, (value) => { operation = value; draw(); }),
  mpis.length > 1 ? pick("Under", mpis.map((name) => [name, name]), mpi,
    (value) => { mpi = value; draw(); }) : null), place, said, rest);
  draw();
  return section;
}
