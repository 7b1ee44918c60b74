// The search tree as it grows. Its nodes are cells of memory; far branches are folded.

import { NONE } from "../machine/control.js";
import { NOP, isMet } from "../worlds/planning.js";
import { board, stateText } from "./boards.js";
import { SubtreeSizes, boundsOf, legend, star } from "./tree_parts.js";
import { button, h, nameOf, s, signOf, watchedSize, wordChip } from "./dom.js";

const MOST_UNFOLDED = 240;
const LEVEL = 42,
  MOST_LEVEL = 146;

export class TreeView {
  constructor(model, onCell) {
    this.model = model;
    this.onCell = onCell;
    this.opened = new Map(); // cell -> was it unfolded or folded by hand?
    this.svg = s("svg", { class: "tree", role: "img" });
    this.size = watchedSize(this.svg, () => this.redraw?.());
    this.canvas = s("g");
    this.svg.append(this.canvas);
    this.moved = false;
    const extent = () => [
      [0, 0],
      [this.size.width, this.size.height],
    ];
    this.zoom = d3
      .zoom()
      .extent(extent)
      .scaleExtent([0.05, 6])
      .on("zoom", ({ transform, sourceEvent }) => {
        if (sourceEvent) this.moved = true;
        this.canvas.setAttribute("transform", transform);
      });
    d3.select(this.svg).call(this.zoom).on("dblclick.zoom", null);
    const scaled = (factor) => () => {
      this.moved = true;
      this.zoom.scaleBy(d3.select(this.svg), factor);
    };
    const tools = h(
      "div",
      { class: "tools" },
      button("Zoom in", "+", scaled(1.4)),
      button("Zoom out", "−", scaled(1 / 1.4)),
      button("Show the whole tree", "Fit", () => this.fit(true)),
    );
    this.inspector = h("div", { class: "inspector", role: "status" });
    this.element = h("div", { class: "tree-box" }, this.svg, tools, legend(), this.inspector);
  }

  // Another task: what was unfolded or moved by hand is forgotten.
  reset() {
    this.sizes = null;
    this.opened.clear();
    this.moved = false;
  }

  update(run, tick, selected) {
    this.redraw = () => this.update(run, tick, selected);
    this.tick = tick;
    this.selected = selected;
    const memory = run.memoryAt(tick),
      now = run.at(tick);
    // A tree that will stay small is laid out at its final size, so that nodes keep their places.
    const small = run.ending && run.length <= MOST_UNFOLDED;
    const whole = small ? run.memoryAt(run.length) : memory;
    this.sizes ??= new SubtreeSizes(run);
    const sizes = this.sizes.at(whole.count);
    const unfolded = small || sizes[0] <= MOST_UNFOLDED ? null : this.unfolded(run, memory, now, selected);
    const root = d3.hierarchy(this.nodeOf(whole, 0, unfolded), (d) => d.children);
    const { width, height } = this.size;
    d3
      .tree()
      .nodeSize([1, 1])
      .separation((a, b) => (a.parent === b.parent ? 1 : 1.25))(root);
    this.stretch(root, width, height);
    this.draw(run, tick, root, memory, now, sizes);
    this.showInspector(run, memory, selected ?? now.address, selected !== null);
    this.fit(false);
  }

  // From units to pixels: as wide and as high as there is room, within reason.
  stretch(root, width, height) {
    let left = 0,
      right = 0;
    root.each((d) => {
      left = Math.min(left, d.x);
      right = Math.max(right, d.x);
    });
    this.pitch = Math.max(13, Math.min(56, (width - 50) / (right - left + 1)));
    const narrow = Math.min(1, width / (this.pitch * (right - left + 1) + 30));
    const level = Math.max(LEVEL, Math.min(MOST_LEVEL, (height - 80) / Math.max(1, root.height) / narrow));
    root.each((d) => {
      d.x *= this.pitch;
      d.y *= level;
    });
  }

  nodeOf(memory, cell, unfolded) {
    const made = memory.children(cell);
    const open = unfolded === null || unfolded.has(cell);
    return {
      cell,
      made,
      folded: !open && made.length > 0,
      children: open ? made.map((c) => this.nodeOf(memory, c, unfolded)) : [],
    };
  }

  // Nodes whose children are shown in a large tree: those near the root, the cursor, what is new and the goal.
  unfolded(run, memory, now, selected) {
    const found = new Set([0, ...memory.children(0)]);
    const towards = (cell) => {
      for (let c = cell; c !== NONE; c = memory.parent(c)) found.add(c);
    };
    towards(now.address);
    if (now.written !== NONE) towards(now.written);
    if (selected !== null) towards(selected);
    if (run.goalAt(this.tick) !== NONE) towards(run.goalAt(this.tick));
    for (const [cell, open] of this.opened) if (open) towards(cell);
    for (const [cell, open] of this.opened) if (!open) found.delete(cell);
    return found;
  }

  draw(run, tick, root, memory, now, sizes) {
    const radius = Math.max(5, Math.min(11, this.pitch * 0.47));
    const goal = run.goalAt(tick);
    const path = new Set();
    if (goal !== NONE) {
      for (let t = run.metAt; t <= tick; t++) path.add(run.at(t).address);
    }
    const there = (d) => d.data.cell < memory.count;
    const shapes = [];
    for (const d of root.descendants()) {
      if (!d.parent || !there(d)) continue;
      const onPath = path.has(d.data.cell) && path.has(d.parent.data.cell);
      const half = (d.y + d.parent.y) / 2;
      shapes.push(
        s("path", {
          d: `M${d.parent.x} ${d.parent.y}C${d.parent.x} ${half} ${d.x} ${half} ${d.x} ${d.y}`,
          class: onPath ? "edge path" : "edge",
        }),
      );
      if (onPath || (this.pitch >= 18 && d.parent.data.cell === now.address)) {
        const sign = signOf(run.task, run.maker(d.data.cell).op);
        shapes.push(
          s(
            "text",
            { x: d.x + radius + 5, y: d.y - radius + 1, class: onPath ? "edge-op path" : "edge-op" },
            sign,
          ),
        );
      }
    }
    for (const d of root.descendants())
      if (there(d)) shapes.push(this.node(run, memory, now, d, radius, goal, path, sizes));
    this.canvas.replaceChildren(...shapes);
    this.cursor = root.descendants().find((d) => d.data.cell === now.address);
    this.bounds = boundsOf(
      root.descendants().filter((d) => there(d) || (run.ending && run.length <= MOST_UNFOLDED)),
    );
    const nodes = goal === NONE ? memory.count : goal + 1;
    const told = goal === NONE ? "the goal was not seen yet" : `the goal is node ${goal}`;
    this.svg.setAttribute(
      "aria-label",
      `Search tree of ${nodes} nodes; the cursor is on node ${now.address}; ${told}`,
    );
  }

  node(run, memory, now, d, radius, goal, path, sizes) {
    const { cell, folded } = d.data;
    const complete = memory.applied(cell).length >= 4;
    const kinds = ["node", complete ? "done" : "open"];
    if (cell === now.address) kinds.push("cursor");
    if (cell === now.written) kinds.push("new");
    if (path.has(cell)) kinds.push("path");
    if (cell === this.selected) kinds.push("selected");
    const parts = [s("title", {}, `node ${cell}, ${nameOf(this.model, memory.code(cell))}`)];
    if (folded) {
      parts.push(s("path", { d: `M0 0L-8 ${radius + 9}H8Z`, class: "fold" }));
      parts.push(s("text", { y: radius + 18, class: "fold-count" }, `+${sizes[cell] - 1}`));
    }
    if (cell === now.address)
      parts.push(
        s("circle", { r: radius + 5, class: "ring" }),
        s("path", { d: `M-5 ${-radius - 14}H5L0 ${-radius - 7}Z`, class: "pointer" }),
      );
    parts.push(s("circle", { r: radius }));
    if (cell === goal) parts.push(s("path", { d: star(radius + 3), class: "star" }));
    const digits = String(cell).length;
    if (radius > 6 && digits <= 3)
      parts.push(
        s(
          "text",
          { y: radius * 0.36, "font-size": digits > 2 ? radius * 0.8 : radius, class: "number" },
          String(cell),
        ),
      );
    else if (cell === now.address)
      parts.push(s("text", { x: -radius - 9, y: 4, class: "number beside" }, String(cell)));
    const click = () => {
      if (folded || this.opened.has(cell)) this.opened.set(cell, folded);
      this.onCell(cell);
    };
    return s("g", { transform: `translate(${d.x} ${d.y})`, class: kinds.join(" "), onclick: click }, parts);
  }

  showInspector(run, memory, cell, chosen) {
    if (cell >= memory.count) return;
    const made = cell === 0 || run.maker(cell).op === NOP ? null : run.maker(cell);
    const state = memory.data(cell),
      { world } = run.task;
    const from = made
      ? `made by ${this.model.algorithm.ops[made.op]} from node ${made.address} at tick ${run.born[cell] - 1}`
      : cell === 0
        ? "the start"
        : "written on the way back";
    const met = isMet(run.task, state) ? " It meets the goal." : "";
    this.inspector.replaceChildren(
      board(run.task, state, { size: 56, label: `node ${cell}:` }),
      h(
        "div",
        {},
        h("b", {}, `${chosen ? "Chosen: n" : "N"}ode ${cell}`),
        h("br"),
        `${from}.${met}`,
        h("br"),
        wordChip(this.model, memory.code(cell)),
        world.name === "free-tree" ? ` ${stateText(world, state)}` : "",
      ),
    );
  }

  fit(always) {
    if (always) this.moved = false;
    if (this.moved || !this.bounds) return;
    const { width, height } = this.size;
    if (!width) return;
    const { left, right, bottom } = this.bounds;
    const scale = Math.min(1.5, (width - 20) / (right - left), (height - 16) / (bottom + 30));
    const whole = d3.zoomIdentity
      .translate(width / 2 - (scale * (left + right)) / 2, 30 * scale + 4)
      .scale(scale);
    // Where the whole tree would be too small to read, the part around the cursor is shown.
    const near = 0.85,
      { cursor } = this;
    const part = () =>
      d3.zoomIdentity
        .translate(width / 2 - near * cursor.x, Math.min(34, height * 0.6 - near * cursor.y))
        .scale(near);
    const transform = always || scale > 0.62 || !cursor ? whole : part();
    if (always && scale <= 0.62) this.moved = true;
    d3.select(this.svg).call(this.zoom.transform, transform);
  }
}
