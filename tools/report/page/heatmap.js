// SPDX-License-Identifier: BSD-3-Clause
//
// Tiles in rows and columns as SVG, each with its colour and text. One tile at a time has the
// keyboard's focus; arrow keys move it, Enter chooses.
"use strict";

// A ratio to the usual value as a colour: blue is faster, orange slower, both told apart by
// colour-blind readers; `most` (a logarithm) has the full strength.
function ratioFill(ratio, most) {
  const strength = Math.max(-1, Math.min(1, Math.log(ratio) / most));
  const step = Math.round(Math.abs(strength) * 6);
  return step === 0 ? "tile same" : `tile ${strength > 0 ? "slow" : "fast"}-${step}`;
}

// rows, columns: texts. cells[row][column]: null, or {class, text, label, hatched}. onChoose(row,
// column). options: {size, corner, label, wide}
function heatmap(rows, columns, cells, options, onChoose) {
  const names = Math.max(...rows.map((name) => name.length), 3);
  const left = Math.min(170, 12 + 7.2 * names);
  const height = options.height || options.size;
  const longest = Math.max(...columns.map((name) => name.length));
  const upright = longest * 7 > options.size;
  const top = upright ? Math.min(120, 14 + 6.6 * longest) : 24;
  const width = left + columns.length * options.size + 4;
  const picture = svgElement("svg", {viewBox: `0 0 ${width} ${top + rows.length * height + 4}`,
    width, height: top + rows.length * height + 4, role: "grid", "aria-label": options.label,
    class: "heatmap"});
  const cut = (name) => name.length > 24 ? name.slice(0, 23) + "…" : name;
  columns.forEach((name, column) => {
    const x = left + (column + 0.5) * options.size;
    picture.append(svgElement("text", upright
      ? {x: 0, y: 0, transform: `translate(${x + 4} ${top - 6}) rotate(-90)`}
      : {x, y: top - 8, "text-anchor": "middle"}, cut(name)));
  });
  const tiles = [];
  const hatching = uniqueId("hatching");  // of this picture: one that is hidden lends nothing
  rows.forEach((name, row) => {
    const y = top + row * height;
    const line = svgElement("g", {role: "row"});
    line.append(svgElement("text", {x: left - 8, y: y + height / 2 + 4, "text-anchor": "end"},
      cut(name)));
    columns.forEach((other, column) => {
      const cell = cells[row][column];
      const x = left + column * options.size;
      const tile = svgElement("g", {role: "gridcell", class: cell ? cell.class : "tile none",
        "aria-label": cell ? cell.label : `${name}, ${other}: not measured`, tabindex: "-1",
        click: () => choose(row, column)},
      svgElement("rect", {x: x + 1, y: y + 1, width: options.size - 2, height: height - 2, rx: 3}));
      if (cell && cell.hatched) {
        tile.append(svgElement("path", {class: "hatch", fill: `url(#${hatching})`,
          d: `M${x + 1} ${y + 1}h${options.size - 2}v${height - 2}h${2 - options.size}z`}));
      }
      if (cell && cell.text) {
        tile.append(svgElement("text", {x: x + options.size / 2, y: y + height / 2 + 4,
          "text-anchor": "middle"}, cell.text));
      }
      tile.append(svgElement("title", {}, cell ? cell.label : `${name}, ${other}: not measured`));
      line.append(tile);
      (tiles[row] ??= [])[column] = tile;
    });
    picture.append(line);
  });
  picture.prepend(svgElement("defs", {}, svgElement("pattern", {id: hatching, width: 6, height: 6,
    patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"},
  ["dark", "light"].map((shade, i) => svgElement("line", {x1: 3 * i, y1: 0, x2: 3 * i, y2: 6,
    "stroke-width": 1.5, class: `hatching ${shade}`})))));
  let focus = [0, 0], chosen = null;
  const move = (row, column) => {
    tiles[focus[0]][focus[1]].setAttribute("tabindex", "-1");
    focus = [row, column];
    tiles[row][column].setAttribute("tabindex", "0");
  };
  const choose = (row, column) => {
    move(row, column);
    if (chosen) chosen.classList.remove("chosen");
    if (!cells[row][column]) return;
    chosen = tiles[row][column];
    chosen.classList.add("chosen");
    if (onChoose) onChoose(row, column);
  };
  picture.addEventListener("keydown", (event) => {
    const [row, column] = focus;
    const next = {ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1]}[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(row, column);
    } else if (next && tiles[next[0]] && tiles[next[0]][next[1]]) {
      event.preventDefault();
      move(...next);
      tiles[next[0]][next[1]].focus();
    }
  });
  move(0, 0);
  const node = element("div", {class: "scroll plain"}, picture);
  node.choose = choose;
  return node;
}

// What the colours of ratios mean.
function ratioScale(most, slower, faster) {
  const steps = [-6, -4, -2, 0, 2, 4, 6];
  return element("p", {class: "scale muted"}, faster, svgElement("svg", {width: 7 * 26, height: 18,
    "aria-hidden": "true", class: "heatmap"}, steps.map((step, i) =>
    svgElement("g", {class: step === 0 ? "tile same" : `tile ${step > 0 ? "slow" : "fast"}-` +
      Math.abs(step)}, svgElement("rect", {x: 26 * i + 1, y: 1, width: 24, height: 16, rx: 3})))),
  slower, ` (full colour: ${formatFraction(Math.exp(most) - 1)})`);
}
