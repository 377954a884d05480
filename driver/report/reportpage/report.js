// The script of the page that "zonemark report" writes: it sorts and chooses rows of the results, and draws the details
// of a result when its row is opened. Texts go to the page as text nodes only.
"use strict";
(() => {
  const table = document.getElementById("results");
  if (!table) return;
  const data = JSON.parse(document.getElementById("data").textContent);
  const text = (at) => data.texts[at];

  const {html, svg, digits, time, steps, stepText} = drawing;

  // percent writes a share with two significant digits.
  function percent(share) {
    if (share >= 0.995) return "100 %";
    return (share > 0 ? String(Number((100 * share).toPrecision(2))) : "0") + " %";
  }

  const counted = (n, one, many = one + "s") => n.toLocaleString("en") + " " + (n === 1 ? one : many);

  // A Chart is a frame with an axis of time upwards, from samples.from to samples.to.
  class Chart {
    constructor(title, note, width, detail) {
      this.from = detail.samples.from;
      this.to = detail.samples.to;
      this.left = 62;
      this.right = width - 8;
      this.top = 8;
      this.bottom = 190;
      this.root = svg("svg", {viewBox: `0 0 ${width} 226`, role: "img", "aria-label": title});
      const ticks = steps(this.from, this.to, 5);
      for (const v of ticks) {
        const y = this.y(v);
        this.add("line", {class: "grid", x1: this.left, x2: this.right, y1: y, y2: y});
        this.label(this.left - 5, y + 4, stepText(v, ticks), "end");
      }
      this.add("rect", {class: "frame", x: this.left, y: this.top, width: this.right - this.left,
        height: this.bottom - this.top});
      const across = this.add("text", {class: "title middle",
        transform: `translate(11 ${(this.top + this.bottom) / 2}) rotate(-90)`});
      across.append("time, " + detail.unit);
      this.figure = html("figure", {}, html("figcaption", {}, title), this.root);
      if (note) this.figure.append(html("p", {class: "soft"}, note));
    }

    add(name, attributes) {
      return this.root.appendChild(svg(name, attributes));
    }

    label(x, y, words, anchor) {
      this.add("text", {class: anchor, x, y}).append(words);
    }

    xTitle(words) {
      this.label((this.left + this.right) / 2, 220, words, "title middle");
    }

    // y returns the place of a time; what is beyond the axis is at its end.
    y(v) {
      const share = Math.max(0, Math.min(1, (v - this.from) / (this.to - this.from)));
      return this.bottom - share * (this.bottom - this.top);
    }

    // interval draws the median with its interval.
    interval(detail) {
      const y = this.y(detail.median);
      if (detail.high) { // a single launch has no interval
        const high = this.y(detail.high), low = this.y(detail.low);
        this.add("rect", {class: "ci", x: this.left, y: high, width: this.right - this.left,
          height: Math.max(1, low - high)});
      }
      this.add("line", {class: "median", x1: this.left, x2: this.right, y1: y, y2: y});
    }
  }

  // launchesChart draws a box for each launch: 25th to 75th percentile, with the median, and lines from the 5th to the
  // 95th.
  function launchesChart(detail, width) {
    const s = detail.samples, last = s.launches[s.launches.length - 1][0], apart = s.apart || [];
    const notes = ["Boxes hold the middle half of the samples, lines 90 %. The band is the interval of the median."];
    if (s.joined) notes.push(`A box is ${s.joined} launches.`);
    if (apart.length) notes.push(counted(apart.length, "launch", "launches") + " set apart: ×.");
    const c = new Chart("Distribution by launch", notes.join(" "), width, detail);
    c.interval(detail);
    const slots = s.joined ? s.launches.length : last + 1;
    const pitch = (c.right - c.left) / slots, half = Math.min(9, pitch * 0.35);
    const x = (slot) => c.left + (slot + 0.5) * pitch;
    const each = Math.ceil(slots / Math.max(1, Math.floor((c.right - c.left) / 34)));
    s.launches.forEach((box, i) => {
      const [number, n, p5, p25, p50, p75, p95] = box, at = x(s.joined ? i : number);
      if (n === 0) return;
      c.add("line", {class: "stem", x1: at, x2: at, y1: c.y(p5), y2: c.y(p95)});
      const rect = c.add("rect", {class: "box", x: at - half, y: c.y(p75), width: 2 * half,
        height: Math.max(1, c.y(p25) - c.y(p75))});
      const of = counted(n, "batch", "batches");
      rect.append(svg("title", {}, `launch ${number + 1}: median ${digits(p50)} ${detail.unit} of ${of}`));
      c.add("line", {class: "median", x1: at - half, x2: at + half, y1: c.y(p50), y2: c.y(p50)});
    });
    for (const number of apart) c.label(x(number), c.bottom - 5, "×", "middle");
    for (let i = 0; i < slots; i += each) {
      c.label(x(i), c.bottom + 15, String((s.joined ? s.launches[i][0] : i) + 1), "middle");
    }
    c.xTitle("launch");
    return c.figure;
  }

  // timeChart draws the samples in order of measuring, and beside them how often each time occurred.
  function timeChart(detail, width) {
    const s = detail.samples;
    const notes = [];
    if (s.each > 1) notes.push(`A column is ${s.each} batches: their range, and their median.`);
    if (s.beyond) notes.push(counted(s.beyond, "sample is", "samples are") + " beyond the axis and drawn at its end.");
    if (s.waited) notes.push("▲ The thread waited for the CPU in this batch.");
    if (s.set) {
      const some = s.set.length < s.all ? `; ${s.set.length} of them are drawn` : "";
      const all = counted(s.all, "batch", "batches");
      notes.push(`× Set apart, since other work took the CPU or shared the core: ${all}${some}.`);
    }
    const c = new Chart("Samples over time", notes.join(" "), width, detail);
    const side = Math.min(70, (c.right - c.left) / 5), end = c.right - side;
    c.add("line", {class: "grid", x1: end, x2: end, y1: c.top, y2: c.bottom});
    const x = (i) => c.left + Math.min(1, ((i + 0.5) * s.each) / s.total) * (end - c.left);
    const places = (times) => times.map((v, i) => `${x(i).toFixed(1)} ${c.y(v).toFixed(1)}`);
    let start = 0;
    for (const [, n] of s.joined ? [] : s.launches || []) {
      const at = c.left + (start / s.total) * (end - c.left);
      if (start > 0) c.add("line", {class: "grid", x1: at, x2: at, y1: c.top, y2: c.bottom});
      start += n;
    }
    if (s.low) {
      c.add("path", {class: "band", d: "M" + places(s.high).concat(places(s.low).reverse()).join("L") + "Z"});
      c.add("path", {class: "curve", d: "M" + places(s.middle).join("L")});
    } else {
      c.add("path", {class: s.middle.length > 150 ? "dots crowded" : "dots", d: places(s.middle).map((p) => `M${p}h0`).join("")});
    }
    const crosses = (s.set || []).map(([after, v]) => {
      const at = c.left + Math.min(1, Math.max(0, after / s.total)) * (end - c.left);
      return `M${(at - 3).toFixed(1)} ${(c.y(v) - 3).toFixed(1)}l6 6m0-6l-6 6`;
    });
    if (crosses.length) c.add("path", {class: "set", d: crosses.join("")});
    for (const i of s.waited || []) {
      const at = x(i), y = c.bottom - 1;
      c.add("path", {class: "mark", d: `M${at.toFixed(1)} ${y - 8}l3.5 7h-7Z`});
    }
    c.add("line", {class: "median", x1: c.left, x2: end, y1: c.y(detail.median), y2: c.y(detail.median)});
    const most = Math.max(...s.histogram), height = (c.bottom - c.top) / s.histogram.length;
    s.histogram.forEach((n, i) => {
      if (n) c.add("rect", {class: "bars", x: end + 1, y: c.bottom - (i + 1) * height, height,
        width: Math.max(0.8, (n / most) * (side - 3))});
    });
    const each = steps(0, s.total, Math.max(2, Math.floor((end - c.left) / 90))).filter((v) => v % 1 === 0);
    for (const v of each) {
      c.label(c.left + (v / s.total) * (end - c.left), c.bottom + 15, v.toLocaleString("en"), "middle");
    }
    c.label(end + side / 2, c.bottom + 15, "how often", "middle");
    c.xTitle("batch, in order of measuring");
    return c.figure;
  }

  // breakable returns the parts of a name between which a browser may break it: behind its separators.
  function breakable(name) {
    return name.split(/(?<=[_.\/$:,=@-])(?=.)/).flatMap((part, i) => i ? [html("wbr", {}), part] : [part]);
  }

  function dispatchTable(detail) {
    const rows = detail.dispatches, whole = rows.reduce((sum, r) => sum + r[1], 0) || 1;
    const most = Math.max(...rows.map((r) => r[1]), 1e-9), counts = rows.some((r) => r[2] > 1);
    const head = html("tr", {}, html("th", {}, "dispatch"), html("th", {class: "right"}, "wall"),
      html("th", {class: "right"}, "share"), html("th", {}, ""));
    if (counts) head.append(html("th", {class: "right"}, "count"));
    head.append(html("th", {}, ""));
    const body = html("tbody", {});
    for (const [name, ns, count, more] of rows) {
      const bar = html("span", {class: "bar"});
      bar.style.width = Math.max(0, Math.min(100, (100 * ns) / most)).toFixed(1) + "%";
      const row = html("tr", {}, html("td", {class: "name"}, ...breakable(text(name))), html("td", {class: "right"}, time(ns)),
        html("td", {class: "right"}, percent(ns / whole)), html("td", {class: "barred picture"}, bar));
      if (counts) row.append(html("td", {class: "right"}, count ? count.toLocaleString("en") + " ×" : ""));
      row.append(html("td", {class: "text soft"}, text(more)));
      body.append(row);
    }
    return html("div", {class: "wide"}, html("table", {class: "results"}, html("thead", {}, head), body));
  }

  function list(pairs) {
    const all = html("dl", {class: "facts"});
    for (const [name, words] of pairs) all.append(html("dt", {}, text(name)), html("dd", {}, text(words)));
    return all;
  }

  // details returns what is shown below an opened row.
  function details(detail, width) {
    const root = html("div", {class: "details"});
    root.style.width = width + "px";
    for (const note of detail.notes || []) root.append(html("p", {class: "soft"}, text(note)));
    if (detail.samples) {
      const both = detail.samples.launches !== undefined;
      const each = Math.min(620, both && width > 700 ? Math.floor(width / 2) - 10 : width);
      const pair = root.appendChild(html("div", {class: "pair"}));
      if (both) pair.append(launchesChart(detail, each));
      pair.append(timeChart(detail, each));
      for (const figure of pair.children) figure.style.maxWidth = "620px";
    }
    for (const call of detail.calls || []) {
      const of = {title: text(call.title), names: data.texts, span: call.span, lanes: [{title: "", spans: call.spans}],
        note: "Under the tracer. Drag, pinch, Ctrl with the wheel, or the keys + − ← → move and zoom."};
      root.append(drawing.timeline(of, Math.min(1240, width)));
    }
    if (detail.dispatches) {
      root.append(html("h3", {}, "Dispatches: " + text(detail.call)), dispatchTable(detail));
    }
    if (detail.counters) root.append(html("h3", {}, "Counters, per call"), list(detail.counters));
    if (detail.facts) root.append(html("h3", {}, "How it was measured"), list(detail.facts));
    return root;
  }

  const bodies = [...table.tBodies];
  const columns = table.tHead.rows[0].cells.length;

  function toggle(body, button, detail) {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    if (!open) return body.rows[1].remove();
    const width = Math.min(1280, table.parentElement.clientWidth - 24);
    body.append(html("tr", {class: "open"}, html("td", {colspan: columns}, details(detail, width))));
  }

  bodies.forEach((body, i) => {
    const cell = body.rows[0].cells[0];
    const button = html("button", {type: "button", "aria-expanded": "false"}, ...cell.childNodes);
    button.addEventListener("click", () => toggle(body, button, data.details[i]));
    cell.replaceChildren(button);
  });

  // key returns by what a row is sorted: a number, a text, or undefined if the cell is empty.
  function key(body, column) {
    const cell = body.rows[0].cells[column];
    if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
    return cell.textContent === "" ? undefined : cell.textContent;
  }

  function compare(a, b) {
    if (a === undefined || b === undefined) return 0;
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", {numeric: true});
  }

  function sort(header, column) {
    const down = header.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = bodies.map((body) => [key(body, column), body]);
    keyed.sort(([a], [b]) => (a === undefined) - (b === undefined) || (down ? compare(b, a) : compare(a, b)));
    table.append(...keyed.map(([, body]) => body));
  }

  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = html("button", {type: "button"}, header.textContent);
    button.addEventListener("click", () => sort(header, column));
    header.replaceChildren(button);
  });

  const filter = document.getElementById("filter"), choice = document.getElementById("choice");
  const names = bodies.map((body) => body.rows[0].cells[0].textContent.toLowerCase());
  const words = bodies.map((body) => body.dataset.words.split("\n"));

  function choose() {
    const part = filter.value.toLowerCase();
    let shown = 0;
    bodies.forEach((body, i) => {
      body.hidden = !names[i].includes(part) || (choice.value !== "" && !words[i].includes(choice.value));
      if (!body.hidden) shown++;
    });
    document.getElementById("shown").textContent =
      `${shown.toLocaleString("en")} of ${bodies.length.toLocaleString("en")}`;
  }
  filter.addEventListener("input", choose);
  choice.addEventListener("input", choose);
  document.querySelector(".tools").hidden = bodies.length < 2;
  choose();

  // A row is opened if it is the only one, or if the address ends with its id: report.html#id-….
  function openNamed() {
    const named = bodies.find((body) => body.id === location.hash.slice(1));
    const first = bodies.length === 1 ? bodies[0] : named;
    if (!first) return;
    const button = first.querySelector("button");
    if (button.getAttribute("aria-expanded") !== "true") button.click();
    if (named) first.scrollIntoView();
  }
  window.addEventListener("hashchange", openNamed);
  openNamed();
})();
