// Parts of the search tree's picture: its bounds, how many nodes are folded, the goal's star, the legend.

import { NONE } from "../machine/control.js";
import { NOP } from "../worlds/planning.js";
import { h, s } from "./dom.js";

export function boundsOf(nodes) {
  const xs = nodes.map((d) => d.x);
  const folds = nodes.some((d) => d.data.folded) ? 30 : 0;
  return {
    left: Math.min(...xs) - 20,
    right: Math.max(...xs) + 20,
    bottom: Math.max(...nodes.map((d) => d.y)) + 16 + folds,
  };
}

// Nodes of each subtree; from one tick to the next only the ancestors of one node change.
export class SubtreeSizes {
  constructor(run) {
    this.run = run;
    this.count = 0;
    this.sizes = [];
  }

  at(count) {
    while (this.count < count) this.change(this.count++, 1);
    while (this.count > count) this.change(--this.count, -1);
    return this.sizes;
  }

  change(cell, by) {
    if (cell > 0 && this.run.maker(cell).op === NOP) return;
    for (let c = cell; c !== NONE; c = c === 0 ? NONE : this.run.maker(c).address)
      this.sizes[c] = (this.sizes[c] ?? 0) + by;
  }
}

export function star(radius) {
  const points = Array.from({ length: 10 }, (_, i) => {
    const r = i % 2 ? radius * 0.55 : radius * 1.25,
      angle = (Math.PI * i) / 5 - Math.PI / 2;
    return `${(r * Math.cos(angle)).toFixed(1)} ${(r * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}

export function legend() {
  const entry = (shape, text) =>
    h(
      "li",
      {},
      s("svg", { width: 20, height: 18, viewBox: "-10 -9 20 18", "aria-hidden": "true" }, shape),
      text,
    );
  const node = (kind, ...more) => s("g", { class: `node ${kind}` }, ...more, s("circle", { r: 5 }));
  return h(
    "ul",
    { class: "legend" },
    entry(node("done"), "explored"),
    entry(node("open"), "open"),
    entry(node("open new"), "new"),
    entry(node("open cursor", s("circle", { r: 8, class: "ring" })), "read now"),
    entry(s("g", { class: "node" }, s("path", { d: star(7), class: "star" })), "goal"),
    entry(s("path", { d: "M-8 5L8 -5", class: "edge path" }), "way back"),
  );
}
