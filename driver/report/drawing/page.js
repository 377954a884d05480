// What the scripts of pages have in common: elements, numbers as texts, and a timeline that can be zoomed. Texts go to
// the page as text nodes only.
"use strict";
const drawing = (() => {
  // html makes an element with attributes and children, which are elements or texts.
  function html(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function svg(name, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) {
      element.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
    }
    element.append(...children);
    return element;
  }

  // digits writes a number with four significant digits, without an exponent.
  function digits(v) {
    if (v === 0) return "0";
    const places = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(Math.abs(v)))));
    return v.toFixed(places);
  }

  const units = [["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9]];
  const unitOf = (ns) => units.find(([, length]) => Math.abs(ns) < 999.95 * length) || units[3];

  function time(ns) {
    const [unit, length] = unitOf(ns);
    return digits(ns / length) + " " + unit;
  }

  // steps returns about n round numbers from low to high.
  function steps(low, high, n) {
    const raw = (high - low) / n;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw) || 10 * power;
    const all = [];
    for (let i = Math.ceil(low / step); i * step <= high && all.length < 20; i++) all.push(i * step);
    return all;
  }

  // stepText writes a round number with as many digits as the distance of the steps needs.
  function stepText(v, all) {
    const step = all.length > 1 ? all[1] - all[0] : Math.abs(v) || 1;
    return v.toFixed(Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9))));
  }

  // hue returns a colour for a name, the same in every timeline.
  function hue(name) {
    let hash = 0;
    for (const c of name) hash = (hash * 31 + c.codePointAt(0)) % 4093;
    return (hash * 137.5) % 360;
  }

  // rowsOf puts spans that overlap into different rows. Spans are [name, start, length], in order of start.
  function rowsOf(spans) {
    const ends = [], rows = [];
    for (const span of spans) {
      let at = ends.findIndex((end) => end <= span[1] + 1e-6);
      if (at < 0) at = Math.min(ends.length, 11);
      ends[at] = Math.max(ends[at] || 0, span[1] + span[2]);
      (rows[at] = rows[at] || []).push(span);
    }
    return rows;
  }

  const left = 8, rowHeight = 18, laneGap = 16, axisHeight = 22;

  // A Timeline shows spans of time in lanes. The wheel (with Ctrl, or when the timeline has the focus), two fingers,
  // keys and buttons zoom; dragging moves. spec has title, note, names, span (the length of all, in ns) and lanes, each
  // with a title and spans [position in names, start, length] in ns. It may have folds, which are gaps that are drawn
  // shorter than they are: [start, drawn length, real length].
  class Timeline {
    constructor(spec, width) {
      this.spec = spec;
      this.width = width;
      this.from = 0;
      this.to = spec.span;
      this.lanes = spec.lanes.map((lane) => ({title: lane.title, rows: rowsOf(lane.spans)}));
      const rows = this.lanes.reduce((n, lane) => n + lane.rows.length, 0);
      const titles = this.lanes.filter((lane) => lane.title !== "").length;
      this.height = rows * rowHeight + titles * laneGap + axisHeight;
      this.root = svg("svg", {viewBox: `0 0 ${width} ${this.height}`, class: "timeline", tabindex: "0", role: "img",
        "aria-label": spec.title + ": + and − zoom, arrows move, 0 shows all"});
      this.where = html("span", {class: "soft", role: "status"});
      const button = (words, label, act) => {
        const b = html("button", {type: "button", "aria-label": label}, words);
        b.addEventListener("click", act);
        return b;
      };
      const tools = html("div", {class: "zoom"}, button("+", "zoom in", () => this.zoom(0.5)),
        button("−", "zoom out", () => this.zoom(2)), button("←", "earlier", () => this.move(-0.25)),
        button("→", "later", () => this.move(0.25)), button("all", "show all", () => this.show(0, spec.span)),
        this.where);
      this.figure = html("figure", {}, html("figcaption", {}, spec.title), tools, this.root);
      if (spec.note) this.figure.append(html("p", {class: "soft"}, spec.note));
      this.listen();
      this.draw();
    }

    x(ns) {
      return left + ((ns - this.from) / (this.to - this.from)) * (this.width - 2 * left);
    }

    // share returns where in the shown time an event is, from 0 to 1.
    share(clientX) {
      const box = this.root.getBoundingClientRect();
      const x = ((clientX - box.left) / Math.max(1, box.width)) * this.width;
      return Math.max(0, Math.min(1, (x - left) / (this.width - 2 * left)));
    }

    // show shows a part of the time, at least a nanosecond, and no more than there is.
    show(from, to) {
      const length = Math.max(1, Math.min(this.spec.span, to - from));
      this.from = Math.max(0, Math.min(this.spec.span - length, from));
      this.to = this.from + length;
      this.draw();
    }

    zoom(factor, at = 0.5) {
      const centre = this.from + at * (this.to - this.from), length = (this.to - this.from) * factor;
      this.show(centre - at * length, centre + (1 - at) * length);
    }

    move(share) {
      const by = share * (this.to - this.from);
      this.show(this.from + by, this.to + by);
    }

    listen() {
      this.root.addEventListener("wheel", (e) => {
        if (!e.ctrlKey && document.activeElement !== this.root) return;
        e.preventDefault();
        this.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 300))), this.share(e.clientX));
      }, {passive: false});
      this.root.addEventListener("keydown", (e) => {
        const act = {"+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
          ArrowLeft: () => this.move(-0.25), ArrowRight: () => this.move(0.25),
          "0": () => this.show(0, this.spec.span)}[e.key];
        if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
        e.preventDefault();
        act();
      });
      const fingers = new Map();
      this.root.addEventListener("pointerdown", (e) => {
        fingers.set(e.pointerId, e.clientX);
        this.root.setPointerCapture(e.pointerId);
      });
      for (const end of ["pointerup", "pointercancel"]) {
        this.root.addEventListener(end, (e) => fingers.delete(e.pointerId));
      }
      this.root.addEventListener("pointermove", (e) => {
        const before = fingers.get(e.pointerId);
        if (before === undefined) return;
        fingers.set(e.pointerId, e.clientX);
        const others = [...fingers].filter(([id]) => id !== e.pointerId);
        if (others.length === 0) {
          this.move(this.share(before) - this.share(e.clientX));
        } else {
          const fixed = others[0][1], apart = Math.abs(e.clientX - fixed);
          if (apart > 4) this.zoom(Math.abs(before - fixed) / apart, this.share(fixed));
        }
      });
    }

    draw() {
      this.root.replaceChildren();
      const add = (name, attributes) => this.root.appendChild(svg(name, attributes));
      const bottom = this.height - axisHeight, right = this.width - left;
      const [unit, length] = unitOf(this.to);
      const ticks = steps(this.from / length, this.to / length, Math.max(2, Math.floor(this.width / 110)));
      for (const v of ticks) {
        const x = this.x(v * length);
        add("line", {class: "grid", x1: x, x2: x, y1: 0, y2: bottom});
        const near = x > right - 30 ? "end" : x < left + 20 ? "start" : "middle";
        add("text", {class: near, x, y: bottom + 15}).append(stepText(v, ticks) + " " + unit);
      }
      for (const [start, drawn, real] of this.spec.folds || []) {
        if (start + drawn < this.from || start > this.to) continue;
        const x0 = Math.max(left, this.x(start)), x1 = Math.min(right, this.x(start + drawn));
        const fold = svg("rect", {class: "fold", x: x0, y: 0, width: Math.max(1, x1 - x0), height: bottom});
        fold.append(svg("title", {}, `nothing ran for ${time(real)}`));
        this.root.append(fold);
        if (x1 - x0 > 50) add("text", {class: "middle", x: (x0 + x1) / 2, y: 12}).append(time(real));
      }
      let y = 0;
      for (const lane of this.lanes) {
        if (lane.title !== "") {
          add("text", {x: left, y: y + 12}).append(lane.title);
          y += laneGap;
        }
        for (const row of lane.rows) {
          this.drawRow(row, y);
          y += rowHeight;
        }
      }
      this.where.replaceChildren(`${time(this.from)} … ${time(this.to)}`);
    }

    // real returns the time of a place on the axis.
    real(ns) {
      const before = (this.spec.folds || []).filter(([start]) => start < ns);
      return before.reduce((sum, [, drawn, real]) => sum + real - drawn, ns);
    }

    // drawRow draws the spans of a row that are in the shown time. Of those that share a pixel, it draws one.
    drawRow(row, y) {
      let drawn = -1;
      for (const [name, start, length] of row) {
        if (start + length < this.from || start > this.to) continue;
        const x0 = Math.max(left, this.x(start)), x1 = Math.min(this.width - left, this.x(start + length));
        if (x1 < drawn + 0.7 && x1 - x0 < 0.7) continue;
        drawn = x1;
        const words = this.spec.names[name], width = Math.max(0.7, x1 - x0);
        const rect = svg("rect", {class: "zone", x: x0, y, width, height: rowHeight - 3,
          style: `--hue:${hue(words).toFixed(0)}`});
        rect.append(svg("title", {}, `${words}: ${time(length)}, at ${time(this.real(start))}`));
        this.root.append(rect);
        const letters = Math.floor((width - 6) / 6.2);
        if (letters >= 4) {
          const short = words.length > letters ? words.slice(0, letters - 1) + "…" : words;
          this.root.append(svg("text", {class: "zone", x: x0 + 3, y: y + 12}, short));
        }
      }
    }
  }

  return {html, svg, digits, time, steps, stepText, timeline: (spec, width) => new Timeline(spec, width).figure};
})();
