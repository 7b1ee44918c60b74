// Data of the algorithms on sequences: input, output and registers; for two of them a picture.

import { NIL } from "../worlds/tapes.js";
import { wordName } from "../worlds/notation.js";
import { h, s } from "./dom.js";

const REGISTERS = {
  counter: "counter",
  read: "word read last",
  value: "last value",
  latch: "operator that waits",
  base: "base",
  addend: "digit kept",
  carry: "carry",
  fedBack: "stored next",
  least: "least so far",
};

export class TapeView {
  constructor(model) {
    this.model = model;
    this.input = h("ol", { class: "tape", "aria-label": "Input" });
    this.output = h("ol", { class: "tape out", "aria-label": "Output" });
    this.registers = h("dl", { class: "registers" });
    this.picture = h("div", { class: "picture" });
    const { name } = model.algorithm;
    const inputTitle = { preorder: "The tree", hanoi: "The disks" }[name] ?? "Input";
    this.element = h(
      "div",
      { class: "tapes" },
      name === "preorder" ? null : [h("h3", {}, inputTitle), this.input],
      h("h3", {}, "Output"),
      this.output,
      this.registers,
      this.picture,
    );
  }

  update(run, tick) {
    const now = run.at(tick),
      { task } = run;
    const shownUntil = { ...now.before }.position;
    const shown = (word, place) => task.shown?.(place, word) ?? wordName(task, word);
    this.input.replaceChildren(
      ...task.tape.map((word, place) => {
        const newest = place === shownUntil - 1 && shownUntil !== run.at(tick - 1)?.before.position;
        const state = newest ? "now" : place < shownUntil ? "seen" : "to-come";
        return h("li", { class: state, "aria-current": newest ? "step" : null }, shown(word, place));
      }),
    );
    const written = run.side.written.slice(0, now.after.written);
    const isNew = now.after.written > now.before.written;
    this.output.replaceChildren(
      ...written.map((word, place) => {
        const last = isNew && place === written.length - 1;
        return h("li", { class: last ? "now written" : "seen" }, this.outputName(task, word));
      }),
    );
    if (written.length === 0) this.output.append(h("li", { class: "none" }, "nothing yet"));
    this.showRegisters(task, now.after);
    this.showPicture(run, now, written);
  }

  outputName(task, word) {
    const { name } = this.model.algorithm;
    if (name === "brackets" || name === "counts") return word ? "yes" : "no";
    return wordName(task, word);
  }

  showRegisters(task, values) {
    const rows = Object.entries(REGISTERS).filter(
      ([name]) => values[name] !== undefined && name !== "fedBack",
    );
    const text = (name, value) => (name === "least" && value > 2 ** 52 ? "none" : wordName(task, value));
    this.registers.replaceChildren(
      ...rows.flatMap(([name, title]) => [
        h("dt", {}, title),
        h("dd", {}, name === "latch" && values[name] === 0 ? "none" : text(name, values[name])),
      ]),
    );
  }

  showPicture(run, now, written) {
    const { name } = this.model.algorithm;
    if (name === "hanoi" && run.task.disks <= 12)
      this.picture.replaceChildren(towers(run.task.disks, written));
    if (name === "preorder") this.picture.replaceChildren(binaryTree(run.task, now, written));
  }
}

// Three pegs after some moves. Each disk goes round in one direction, the largest from the first peg to the last.
function towers(disks, moves) {
  const peg = Array(disks + 1).fill(0);
  for (const disk of moves) peg[disk] = (peg[disk] + ((disks - disk) % 2 ? 1 : 2)) % 3;
  const width = 130,
    unit = 12,
    height = unit * disks + 26;
  const shapes = [0, 1, 2].flatMap((k) => [
    s("path", { d: `M${width * (k + 0.5)} 6V${height - 8}`, class: "peg" }),
    s("path", { d: `M${width * k + 8} ${height - 8}H${width * (k + 1) - 8}`, class: "peg" }),
  ]);
  const heights = [0, 0, 0];
  for (let disk = disks; disk >= 1; disk--) {
    const size = 24 + (disk * (width - 44)) / disks,
      k = peg[disk];
    const y = height - 10 - unit * ++heights[k];
    const x = width * (k + 0.5) - size / 2;
    const last = moves[moves.length - 1] === disk;
    shapes.push(s("rect", { x, y, width: size, height: unit - 1, rx: 5, class: last ? "disk now" : "disk" }));
    shapes.push(s("text", { x: width * (k + 0.5), y: y + 9, class: "disk-number" }, String(disk)));
  }
  const where = [0, 1, 2].map(
    (k) => `peg ${k + 1}: ${peg.flatMap((p, d) => (d && p === k ? [d] : [])).join(" ") || "empty"}`,
  );
  const view = {
    viewBox: `0 0 ${3 * width} ${height}`,
    class: "towers",
    role: "img",
    "aria-label": where.join("; "),
  };
  return s("svg", view, shapes);
}

// The tree to walk through: what was written already, and the node that is read.
function binaryTree(task, now, written) {
  const node = (number) => ({
    number,
    children: task.children[number].map((child) => (child < 0 ? { number: -1 } : node(child))),
  });
  const data = node(0);
  const root = d3.hierarchy(data, (d) => (d.children?.some((c) => c.number >= 0) ? d.children : null));
  d3.tree().nodeSize([34, 46])(root);
  const real = root.descendants().filter((d) => d.data.number >= 0);
  const xs = real.map((d) => d.x),
    low = Math.min(...xs) - 24,
    high = Math.max(...xs) + 24;
  const height = 46 * Math.max(...real.map((d) => d.depth)) + 46;
  const shapes = real
    .filter((d) => d.parent)
    .map((d) => s("path", { d: `M${d.parent.x} ${d.parent.y}L${d.x} ${d.y}`, class: "edge" }));
  for (const d of real) {
    const place = written.indexOf(d.data.number);
    const kind = now.data === d.data.number && now.data !== NIL ? "cursor" : place >= 0 ? "visited" : "";
    shapes.push(
      s(
        "g",
        { transform: `translate(${d.x} ${d.y})`, class: kind },
        s("circle", { r: 13 }),
        s("text", { y: 4 }, wordName(task, d.data.number)),
        place >= 0 ? s("text", { x: 18, y: -7, class: "order" }, String(place + 1)) : null,
      ),
    );
  }
  const label = `${real.length} nodes, ${written.length} of them written`;
  return s(
    "svg",
    {
      viewBox: `${low} -22 ${high - low} ${height}`,
      class: "walked",
      role: "img",
      "aria-label": label,
      width: 1.6 * (high - low),
      height: 1.6 * height,
    },
    shapes,
  );
}
