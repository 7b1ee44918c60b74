// Memory as a row of cells: data, control word and links. Cells that do not matter now are folded.

import { NONE, SHORT_NAMES } from "../machine/control.js";
import { wordName } from "../worlds/notation.js";
import { boardShapes, boardSize } from "./boards.js";
import { bitsText, h, nameOf, s, watchedSize } from "./dom.js";

const WIDTH = 86,
  GAP = 26,
  ARC = 58,
  BOX = 92,
  BELOW = 32;

export class MemoryView {
  constructor(model, onCell) {
    this.model = model;
    this.onCell = onCell;
    this.svg = s("svg", { class: "cells", height: ARC + BOX + BELOW });
    this.element = h(
      "div",
      { class: "memory-box", tabindex: "0", role: "region", "aria-label": "Cells of memory" },
      this.svg,
    );
    this.size = watchedSize(this.element, () => this.redraw?.());
  }

  update(run, tick, selected) {
    this.redraw = () => this.update(run, tick, selected);
    const memory = run.memoryAt(tick),
      now = run.at(tick),
      before = run.at(tick - 1);
    const places = this.places(memory, now, before, selected);
    const shapes = [];
    const middle = (cell) => places.get(cell) + WIDTH / 2;
    for (const cell of places.keys()) {
      const parent = memory.parent(cell);
      if (parent === NONE || !places.has(parent)) continue;
      const marked = cell === now.address || parent === now.address;
      shapes.push(...arc(middle(cell), middle(parent), marked ? "marked" : ""));
    }
    let last = null;
    for (const [cell, x] of places) {
      if (last !== null) shapes.push(...between(last, cell, x, memory));
      shapes.push(this.cell(run, memory, cell, x, now, before, selected));
      last = cell;
    }
    const width = Math.max(...places.values()) + WIDTH + 4;
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${ARC + BOX + BELOW}`);
    this.svg.replaceChildren(...shapes);
    if (width > this.size.width) this.element.scrollLeft = middle(now.address) - this.size.width / 2;
  }

  // Which cells are shown, and where: all of a few; else those that this tick is about and their neighbours.
  places(memory, now, before, selected) {
    const shown = new Set();
    const add = (cell, around) => {
      for (let c = cell - around; c <= cell + around; c++) if (c >= 0 && c < memory.count) shown.add(c);
    };
    const room = Math.floor((this.size.width || 900) / (WIDTH + GAP));
    if (memory.count <= room) add(0, room);
    else {
      for (const address of [0, now.written, ...now.addresses]) if (address !== NONE) add(address, 0);
      if (before) add(before.address, 0);
      if (selected !== null) add(selected, 0);
      add(now.address, 0);
      // Neighbours, and the way to the first cell, as far as there is room.
      for (let c = memory.parent(now.address); c !== NONE && shown.size < room; c = memory.parent(c))
        add(c, 0);
      for (let around = 1; shown.size < room - 1 && around < memory.count; around++) {
        add(now.address, around);
        if (shown.size < room && now.written !== NONE) add(now.written, around);
      }
    }
    const places = new Map();
    let x = 2,
      last = -1;
    for (const cell of [...shown].sort((a, b) => a - b)) {
      if (last >= 0) x += WIDTH + (cell === last + 1 ? GAP : 2 * GAP + 8);
      places.set(cell, x);
      last = cell;
    }
    return places;
  }

  cell(run, memory, cell, x, now, before, selected) {
    const { model } = this,
      code = memory.code(cell),
      size = model.machine.word_size;
    const kinds = ["cell-box"];
    if (cell === now.address) kinds.push("cursor");
    if (cell === now.written) kinds.push("new");
    if (cell === before?.address) kinds.push("marked");
    if (cell === selected) kinds.push("selected");
    const name = nameOf(model, code),
      named = now.addresses.map((a, m) => (a === cell ? m : -1)).filter((m) => m >= 0);
    const labels = [`cell ${cell}`, `word ${name}`];
    if (cell === now.address) labels.push("read");
    if (cell === now.written) labels.push("new");
    const step = (WIDTH - 14) / size;
    const bits = Array.from({ length: size }, (_, j) =>
      s("rect", {
        x: 8 + step * j,
        y: BOX - 15,
        width: Math.min(7, step - 2),
        height: 7,
        class: (code >> j) & 1 ? "bit on" : "bit",
      }),
    );
    const tags = named.map((m, i) =>
      s(
        "text",
        { x: WIDTH / 2, y: BOX + 15 + 12 * i, class: m === now.winner ? "tag wins" : "tag" },
        `${m === now.winner ? "★" : "▴"} ${SHORT_NAMES[m]}`,
      ),
    );
    const title = s("title", {}, `${labels.join(", ")}; bits ${bitsText(code, size)}`);
    return s(
      "g",
      { transform: `translate(${x} ${ARC})`, class: kinds.join(" "), onclick: () => this.onCell(cell) },
      title,
      s("rect", { width: WIDTH, height: BOX, rx: 7, class: "case" }),
      s("text", { x: 8, y: 15, class: "address" }, String(cell)),
      cell === now.address
        ? s("text", { x: WIDTH - 7, y: 15, class: "flag" }, "read")
        : cell === now.written
          ? s("text", { x: WIDTH - 7, y: 15, class: "flag" }, "new")
          : null,
      this.data(run, memory.data(cell)),
      s(
        "text",
        { x: WIDTH / 2, y: BOX - 22, class: name.length > 12 ? "word-name long" : "word-name" },
        name,
      ),
      bits,
      tags,
    );
  }

  data(run, word) {
    if (run.planning) {
      const [width, height] = boardSize(run.task.world),
        scale = 42 / Math.max(width, height);
      const at = `translate(${WIDTH / 2 - (width * scale) / 2} 18) scale(${scale})`;
      return s("g", { transform: at, class: "board" }, boardShapes(run.task, word));
    }
    const text = wordName(run.task, word);
    return s(
      "text",
      { x: WIDTH / 2, y: 46, class: text.length > 4 ? "datum long" : "datum" },
      text.length > 11 ? `${text.slice(0, 10)}…` : text,
    );
  }
}

// From a cell to where it was written from.
function arc(from, to, kind) {
  const height = Math.min(ARC - 8, 18 + Math.abs(from - to) * 0.16);
  const end = to + Math.sign(from - to) * 6,
    start = from - Math.sign(from - to) * 6;
  const d = `M${start} ${ARC}C${start} ${ARC - height * 1.33} ${end} ${ARC - height * 1.33} ${end} ${ARC - 6}`;
  return [
    s("path", { d, class: `link ${kind}` }),
    s("path", { d: `M${end - 4} ${ARC - 8}H${end + 4}L${end} ${ARC - 1}Z`, class: `arrow-head ${kind}` }),
  ];
}

// The temporal link to the next cell, or how many cells are folded here.
function between(last, cell, x, memory) {
  const y = ARC + BOX / 2;
  if (memory.next(last) === cell) {
    return [
      s("path", { d: `M${x - GAP + 3} ${y}H${x - 8}`, class: "link temporal" }),
      s("path", { d: `M${x - 10} ${y - 4}V${y + 4}L${x - 3} ${y}Z`, class: "arrow-head" }),
    ];
  }
  return [
    s("text", { x: x - GAP - 4, y: y - 4, class: "folded" }, "…"),
    s("text", { x: x - GAP - 4, y: y + 12, class: "folded" }, String(cell - last - 1)),
  ];
}
