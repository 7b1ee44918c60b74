// The five read mechanisms: their strengths at a tick as bars, and over time as a strip with those that won.

import { MECHANISMS, NONE, SHORT_NAMES } from "../machine/control.js";
import { h, s, signOf, watchedSize } from "./dom.js";

const HELP = [
  "the first cell whose word the key likes best",
  "the cell written after the one read last",
  "the cell written before the one read last",
  "the cell written last from the one read last",
  "where the cell read last was written from",
];

export class MechanismsView {
  constructor() {
    this.rows = MECHANISMS.map((name, m) => {
      const bar = h("span", { class: "bar" });
      const value = h("span", { class: "value" });
      const target = h("span", { class: "target" });
      const row = h(
        "li",
        { title: HELP[m] },
        h("span", { class: "label" }, SHORT_NAMES[m], h("small", {}, ` ${name}`)),
        h("span", { class: "track" }, bar),
        value,
        target,
      );
      return { row, bar, value, target };
    });
    this.element = h(
      "ul",
      { class: "mechanisms" },
      this.rows.map(({ row }) => row),
    );
  }

  update(run, tick) {
    const now = run.at(tick),
      strengths = now.state.modes.value,
      shares = relative(now);
    this.rows.forEach(({ row, bar, value, target }, m) => {
      const wins = m === now.winner,
        absent = now.addresses[m] === NONE;
      row.className = wins ? "wins" : absent ? "absent" : "";
      bar.style.width = `${6 + 94 * shares[m]}%`;
      value.textContent = signed(strengths[m]);
      target.textContent = absent ? "no cell" : `${wins ? "★ " : ""}cell ${now.addresses[m]}`;
    });
  }
}

// Strengths of a tick between 0, for the weakest, and 1, for the strongest.
function relative({ state }) {
  if (!state.shares) {
    const low = Math.min(...state.modes.value),
      span = Math.max(...state.modes.value) - low || 1;
    state.shares = Array.from(state.modes.value, (value) => (value - low) / span);
  }
  return state.shares;
}

function signed(value) {
  const text = value.toFixed(1);
  return text === "-0.0" ? "0.0" : text.replace("-", "−");
}

const NARROWEST = 11,
  WIDEST = 24,
  ROW = 13,
  LEFT = 70,
  TOP = 4;

export class StripView {
  constructor(model, go) {
    this.model = model;
    this.svg = s("svg", { class: "strip", height: 6 * ROW + 22, role: "img" });
    this.element = h("div", { class: "strip-box" }, this.svg);
    this.size = watchedSize(this.element, () => this.redraw?.());
    this.svg.addEventListener("click", (event) => {
      const place = Math.floor((event.clientX - this.svg.getBoundingClientRect().left - LEFT) / this.step);
      if (place >= 0) go(this.first + place);
    });
  }

  update(run, tick) {
    this.redraw = () => this.update(run, tick);
    const width = Math.max(300, this.size.width || 900);
    this.step = Math.max(NARROWEST, Math.min(WIDEST, Math.floor((width - LEFT - 8) / run.length)));
    const step = this.step,
      room = Math.floor((width - LEFT - 8) / step);
    this.first = Math.max(1, Math.min(tick - Math.floor(room * 0.6), run.length - room + 1));
    const last = Math.min(run.length, this.first + room - 1);
    const shapes = MECHANISMS.map((name, m) =>
      s("text", { x: LEFT - 8, y: TOP + ROW * m + 10, class: "row-name" }, SHORT_NAMES[m]),
    );
    shapes.push(s("text", { x: LEFT - 8, y: TOP + ROW * 5 + 11, class: "row-name" }, "operation"));
    for (let m = 0; m < 5; m++) {
      const base = TOP + ROW * (m + 1) - 1;
      let bars = "";
      for (let t = this.first; t <= last; t++) {
        const height = 1 + (ROW - 4) * relative(run.at(t))[m];
        bars += `M${LEFT + step * (t - this.first) + 1.5} ${base}v${-height}h${step - 3}v${height}z`;
      }
      shapes.push(
        s("path", { d: `M${LEFT} ${base}H${LEFT + step * (last - this.first + 1)}`, class: "lane" }),
      );
      shapes.push(s("path", { d: bars, class: "strengths" }));
    }
    for (let t = this.first; t <= last; t++) {
      const x = LEFT + step * (t - this.first),
        { winner, op } = run.at(t);
      const future = t > tick ? " future" : "";
      const height = Math.max(4, 1 + (ROW - 4) * relative(run.at(t))[winner]);
      shapes.push(
        s("rect", {
          x: x + 1.5,
          y: TOP + ROW * (winner + 1) - 1 - height,
          width: step - 3,
          height,
          class: `win${future}`,
        }),
      );
      shapes.push(
        s("text", { x: x + step / 2, y: TOP + ROW * 5 + 11, class: `op-sign${future}` }, this.sign(run.task, op)),
      );
      if (t % 10 === 0 && !(run.metAt && Math.abs(t - run.metAt) * step < 70))
        shapes.push(s("text", { x: x + step / 2, y: TOP + ROW * 6 + 12, class: "tick-number" }, String(t)));
      if (t === run.metAt) {
        shapes.push(s("path", { d: `M${x} 0V${TOP + 6 * ROW}`, class: "met" }));
        shapes.push(s("text", { x: x + 2, y: TOP + ROW * 6 + 12, class: "met-text" }, "goal seen"));
      }
    }
    const here = LEFT + step * (tick - this.first);
    shapes.push(s("rect", { x: here, y: 1, width: step, height: TOP + 6 * ROW, class: "here" }));
    this.svg.setAttribute("width", width);
    this.svg.setAttribute(
      "aria-label",
      `Mechanisms that won in ticks ${this.first} to ${last}; in tick ${tick} ${MECHANISMS[run.at(tick).winner]}`,
    );
    this.svg.replaceChildren(...shapes);
  }

  sign(task, op) {
    return task.world ? signOf(task, op) : this.model.algorithm.ops[op][0];
  }
}
