// SPDX-License-Identifier: BSD-3-Clause
//
// A plot of several series over one axis, by uPlot: its legend reads the values at the cursor, the
// arrow keys move the cursor, a click on a series hides it, dragging zooms.
"use strict";

const charts = new Set();  // all that are drawn, to follow the colours of the page

const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 4], [4, 2]];

// Series that share a colour differ by their dashes.
function dashOf(index) {
  return dashes[(index + Math.floor(index / dashes.length)) % dashes.length];
}

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function seriesColor(index) {
  return cssColor("--series-" + (index % 6 + 1));
}

function faded(color, alpha) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}

// y at x by straight lines between points; null beside them.
function valueAt(points, x) {
  if (points.length === 0 || x < points[0][0] || x > points[points.length - 1][0]) return null;
  let low = 0, high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= x) low = middle;
    else high = middle;
  }
  const [x0, y0] = points[low];
  const [x1, y1] = points[high];
  return x1 === x0 ? y0 : y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

function powersOfTwo(min, max, count) {
  const from = Math.ceil(Math.log2(min) - 1e-9), to = Math.floor(Math.log2(max) + 1e-9);
  let step = 1;
  while ((to - from) / step > count) step *= 2;
  const ticks = [];
  for (let power = Math.ceil(from / step) * step; power <= to; power += step) {
    ticks.push(2 ** power);
  }
  return ticks;
}

function decades(min, max, count) {
  const perDecade = Math.log10(max / min) > count / 3 ? [1] : [1, 2, 5];
  const ticks = [];
  for (let power = Math.floor(Math.log10(min)); 10 ** power <= max; ++power) {
    for (const digit of perDecade) {
      const tick = digit * 10 ** power;
      if (tick >= min && tick <= max) ticks.push(tick);
    }
  }
  return ticks;
}

// The values, in order, without those that are closer to the one before than `least`.
function spaced(values, least) {
  const kept = [];
  for (const value of values) {
    if (kept.length === 0 || value - kept[kept.length - 1] >= least) kept.push(value);
  }
  return kept;
}

// options: label, x and y ({label, format, log, range, ticks: which values to label}), series
// ([{name, points, low, high, dots, marked, color, dash, wide}]), marks ([{from, to, at, text}]:
// ranges of x), stacked, height.
class Chart {
  constructor(options) {
    this.options = options;
    this.series = options.series.filter((each) => each.points.length > 0)
      .map((each, i) => ({color: i, dash: dashOf(i), shown: true, ...each}));
    this.legend = element("div", {class: "legend"});
    this.place = element("div", {class: "plot", tabindex: "0", role: "group",
      "aria-label": options.label + ". Arrow keys move along the axis.",
      keydown: (event) => this.key(event)});
    this.node = element("div", {class: "chart"}, this.place, this.legend);
    this.fillLegend();
    charts.add(this);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.place);
  }

  destroy() {
    this.observer.disconnect();
    charts.delete(this);
    if (this.plot) this.plot.destroy();
  }

  resize() {
    const width = Math.floor(this.place.clientWidth);
    if (width === 0) return;
    const height = this.options.height || Math.max(220, Math.min(380, Math.round(width * 0.48)));
    if (!this.plot) this.draw(width, height);
    else if (width !== this.plot.width) this.plot.setSize({width, height});
  }

  draw(width, height) {
    const data = this.aligned();
    this.plot = new uPlot(this.plotOptions(width, height), data, this.place);
  }

  // uPlot takes one x for all series; a series without a value there has null.
  aligned() {
    const all = new Set();
    for (const each of this.series) for (const [x] of each.points) all.add(x);
    this.xs = [...all].sort((a, b) => a - b);
    const column = (points) => {
      const at = new Map(points);
      return this.xs.map((x) => at.has(x) ? at.get(x) : null);
    };
    const data = [this.xs];
    for (const each of this.series) {
      data.push(column(each.points));
      if (each.low) data.push(column(each.low), column(each.high));
    }
    return data;
  }

  plotOptions(width, height) {
    const {x, y} = this.options;
    const series = [{}];
    const bands = [];
    for (const each of this.series) {
      each.index = series.length;
      const stroke = () => this.colorOf(each);
      series.push({
        label: each.name, stroke, width: each.dots ? 0 : each.wide ? 3 : 2, dash: each.dash,
        spanGaps: true, show: each.shown, paths: each.dots ? () => null : undefined,
        points: {show: Boolean(each.dots || each.marked), size: 7, width: 1.5, stroke,
          fill: () => each.dots ? faded(this.colorOf(each), 0.35) : cssColor("--panel")},
      });
      if (!each.low) continue;
      const edge = {stroke: "transparent", width: 0, spanGaps: true, show: each.shown,
        points: {show: false}};
      series.push(edge, {...edge});
      bands.push({series: [each.index + 2, each.index + 1],
        fill: () => faded(this.colorOf(each), 0.22)});
    }
    if (this.options.stacked) {
      this.series.forEach((each, i) => {
        const below = this.series[i + 1];
        if (below) {
          bands.push({series: [each.index, below.index],
            fill: () => faded(this.colorOf(each), 0.45)});
        } else {
          series[each.index].fill = () => faded(this.colorOf(each), 0.45);
        }
      });
    }
    const room = (axis, pixels) => Math.max(2, Math.floor(pixels / axis));
    const look = {stroke: () => cssColor("--muted"), font: "12px " + cssColor("--font"),
      grid: {stroke: () => cssColor("--grid"), width: 1},
      ticks: {stroke: () => cssColor("--grid"), width: 1, size: 4},
      filter: (plot, splits) => splits};
    return {
      width, height, series, bands, padding: [this.marks().length > 0 ? 50 : 12, 26, 0, 0],
      legend: {show: false},
      cursor: {y: false, points: {size: 8}, drag: {x: true, y: false, setScale: true}},
      scales: {
        x: {time: false, distr: x.log === false ? 1 : 3, log: 2,
          range: (plot, min, max) => x.range ? x.range(min, max)
            : [min, max > min || x.log === false ? max : min * 2]},
        y: {distr: y.log ? 3 : 1, range: (plot, min, max) => this.rangeOf(min, max)},
      },
      axes: [
        {...look, size: 34,
          splits: x.ticks
            ? (plot, axis, min, max) => spaced(x.ticks.filter((at) => at >= min && at <= max),
              (max - min) * 90 / (width - 94))
            : x.log === false ? undefined
              : (plot, axis, min, max) => powersOfTwo(min, max, room(74, width)),
          values: (plot, splits) => splits.map(x.format)},
        {...look, size: 68,
          splits: y.log ? (plot, axis, min, max) => decades(min, max, room(34, height)) : undefined,
          values: (plot, splits) => splits.map((value) => shortened(y.format(value)))},
      ],
      hooks: {
        drawClear: [(plot) => this.drawMarks(plot)],
        setCursor: [(plot) => this.read(plot.cursor.idx)],
      },
    };
  }

  colorOf(each) {
    return seriesColor(each.color);
  }

  rangeOf(min, max) {
    const {y} = this.options;
    if (y.range) return y.range(min, max);
    if (min === null || max === null) return y.log ? [1, 10] : [0, 1];
    if (y.log) return [min / 1.25, max * 1.25];
    const low = Math.min(0, min), high = Math.max(0, max);
    return [low * 1.08, high * 1.08 || 1];
  }

  marks() {
    return this.options.marks || [];
  }

  // Vertical bands with a line each; their texts above the plot, in rows so that none is covered.
  drawMarks(plot) {
    const {ctx, bbox} = plot;
    const pixels = devicePixelRatio || 1;
    ctx.save();
    ctx.font = `${12 * pixels}px ${cssColor("--font")}`;
    ctx.textBaseline = "bottom";
    const rows = [];
    for (const mark of [...this.marks()].sort((a, b) => a.at - b.at)) {
      const [min, max] = [plot.scales.x.min, plot.scales.x.max];
      if (mark.to < min || mark.from > max) continue;
      const inside = (value) => plot.valToPos(Math.min(max, Math.max(min, value)), "x", true);
      const color = cssColor("--mark");
      ctx.fillStyle = faded(color, 0.16);
      const left = inside(mark.from), right = inside(mark.to);
      ctx.fillRect(left, bbox.top, Math.max(1, right - left), bbox.height);
      const at = inside(mark.at);
      ctx.strokeStyle = color;
      ctx.lineWidth = 1.5 * pixels;
      ctx.beginPath();
      ctx.moveTo(at, bbox.top - 4 * pixels);
      ctx.lineTo(at, bbox.top + bbox.height);
      ctx.stroke();
      const width = ctx.measureText(mark.text).width;
      const from = Math.max(0, Math.min(at - width / 2, bbox.left + bbox.width - width));
      let row = rows.findIndex((end) => end + 10 * pixels < from);
      if (row < 0) row = rows.push(0) - 1;
      rows[row] = from + width;
      ctx.fillStyle = cssColor("--ink");
      ctx.fillText(mark.text, from, bbox.top - (6 + 15 * Math.min(row, 2)) * pixels);
    }
    ctx.restore();
  }

  fillLegend() {
    this.position = element("span", {class: "position"});
    this.values = this.series.map(() => element("span", {class: "value"}));
    this.legend.replaceChildren(this.position, ...this.series.map((each, i) => {
      const swatch = svgElement("svg", {width: 28, height: 12, "aria-hidden": "true",
          class: "stroke-" + (each.color % 6 + 1)},
        each.dots ? svgElement("circle", {cx: 14, cy: 6, r: 4, "stroke-width": 2})
          : svgElement("line", {x1: 1, x2: 27, y1: 6, y2: 6, "stroke-width": each.wide ? 4 : 2.5,
            "stroke-dasharray": each.dash.join(" ")}));
      const button = element("button", {type: "button", class: "series",
        "aria-pressed": String(each.shown), click: () => this.toggle(each, button)},
        swatch, element("span", {}, each.name), this.values[i]);
      return button;
    }));
    this.read(null);
  }

  toggle(each, button) {
    each.shown = !each.shown;
    button.setAttribute("aria-pressed", String(each.shown));
    if (!this.plot) return;
    for (let i = 0; i < (each.low ? 3 : 1); ++i) {
      this.plot.setSeries(each.index + i, {show: each.shown});
    }
  }

  read(index) {
    const {x, y} = this.options;
    const at = index === null || index === undefined ? null : this.xs[index];
    this.position.textContent = at === null ? x.label : x.format(at);
    this.series.forEach((each, i) => {
      const shown = each.values || each.points;
      const value = at === null ? null
        : each.dots ? (new Map(shown).get(at) ?? null) : valueAt(shown, at);
      this.values[i].textContent = value === null ? "" : y.format(value);
    });
  }

  key(event) {
    if (!this.plot || event.target !== this.place) return;
    const last = this.xs.length - 1;
    const now = this.plot.cursor.idx ?? -1;
    const next = {ArrowRight: Math.min(last, now + 1), ArrowLeft: Math.max(0, now - 1), Home: 0,
      End: last}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const left = this.plot.valToPos(this.xs[next], "x");
    this.plot.setCursor({left, top: this.plot.over.clientHeight / 2});
    this.read(next);
  }
}

function redrawCharts() {
  for (const chart of charts) {
    if (chart.plot) chart.plot.redraw(false, true);
  }
}

// A place for one chart at a time: show() replaces it.
function chartPlace() {
  const place = element("div");
  let chart = null;
  return {
    node: place,
    show(options) {
      if (chart) chart.destroy();
      chart = options ? new Chart(options) : null;
      place.replaceChildren(...(chart ? [chart.node] : []));
      return chart;
    },
  };
}

const sizeAxis = {label: "Message size", format: formatBytes};
