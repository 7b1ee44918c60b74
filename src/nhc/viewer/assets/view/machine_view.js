// All views of one machine.

import { MECHANISMS } from "../machine/control.js";
import { isPlanning } from "../machine/run.js";
import { board, captioned } from "./boards.js";
import { h, opText, panel, signOf } from "./dom.js";
import { MechanismsView, StripView } from "./mechanisms.js";
import { MemoryView } from "./memory.js";
import { ProgramView } from "./program.js";
import { StoryView } from "./story.js";
import { TapeView } from "./tape.js";
import { TreeView } from "./tree.js";

export class MachineView {
  constructor(model, { go, select, named }) {
    this.model = model;
    const planning = isPlanning(model.algorithm);
    this.story = new StoryView(model);
    this.tree = planning ? new TreeView(model, select) : null;
    this.tape = planning ? null : new TapeView(model);
    this.memory = new MemoryView(model, select);
    this.mechanisms = new MechanismsView();
    this.program = new ProgramView(model);
    this.strip = new StripView(model, go);
    this.boards = h("div", { class: "boards" });
    this.ending = h("p", { class: "ending", role: "status" });
    this.counter = h("span", { class: "counter" });
    this.element = h(
      "div",
      { class: "machine", role: "group", "aria-label": model.name },
      named
        ? h("h2", { class: "machine-name" }, model.name, " ", h("code", {}, model.hash.slice(0, 8)))
        : null,
      panel("now", "This tick the machine", this.story.element, this.ending),
      planning
        ? panel("data", "The board", this.boards, this.story.signals)
        : panel("data", "Data", this.tape.element, h("h3", {}, "Signals"), this.story.signals),
      planning ? panel("tree", "The search tree", this.tree.element) : null,
      panel("memory", "Memory: a row of cells", linksNote(), this.memory.element),
      panel("mech", "Five ways to choose a cell", this.mechanisms.element),
      panel("prog", "The learned program", this.program.element),
      panel("time", "The five ways over time: how strong each was, and which won", this.strip.element),
    );
  }

  reset() {
    this.tree?.reset();
  }

  update(run, tick, selected) {
    if (run.length === 0) {
      this.showEnding(run, 0);
      return;
    }
    const shown = Math.min(tick, run.length);
    this.story.update(run, shown);
    if (this.tree) {
      this.showBoards(run, shown);
      this.tree.update(run, shown, selected);
    } else this.tape.update(run, shown);
    this.memory.update(run, shown, selected);
    this.mechanisms.update(run, shown);
    this.program.update(run, shown);
    this.strip.update(run, shown);
    this.showEnding(run, tick);
  }

  showBoards(run, tick) {
    const now = run.at(tick),
      size = run.task.world.name === "free-tree" ? 64 : 100;
    const arrow = h(
      "div",
      { class: "does", "aria-label": opText(this.model, now.op, run.task) },
      h("span", { class: "big", "aria-hidden": "true" }, signOf(run.task, now.op)),
      h("span", {}, run.task.world.signs && now.op < 4 ? `place ${now.op}` : this.model.algorithm.ops[now.op]),
    );
    this.boards.replaceChildren(
      captioned(
        `read from cell ${now.address}`,
        board(run.task, now.data, { size, label: "before:" }),
        "read",
      ),
      arrow,
      captioned(
        "newest data",
        board(run.task, now.after.made, { size, before: now.data, label: "after:" }),
        "made",
      ),
      ...encodedBoards(run.task, now),
    );
  }

  showEnding(run, tick) {
    const over = run.ending && tick >= run.length;
    this.ending.hidden = !over;
    this.ending.className = over ? `ending ${run.ending.kind}` : "ending";
    this.ending.textContent = over ? run.ending.text : "";
  }
}

// Words in another encoding, as they stand in memory: control does as well with them.
function encodedBoards(task, now) {
  if (!task.world.encoded) return [];
  const [read, made] = [now.data, now.after.made].map((state) =>
    board(task, task.world.encoded(state), { size: 64, label: "as memory holds it:" }),
  );
  const note = "The same words as memory holds them, signs and cells permuted:";
  return [h("p", { class: "note" }, note), captioned("read", read), captioned("newest", made)];
}

function linksNote() {
  return h(
    "ul",
    { class: "legend" },
    h("li", {}, "→ next: written after it"),
    h("li", {}, "⤺ parent: it was written from there"),
    h("li", {}, h("span", { class: "bit-sample on" }), "+1"),
    h("li", {}, h("span", { class: "bit-sample" }), "−1"),
    h("li", {}, `▴ named by one of the ${MECHANISMS.length} ways, ★ by the one that wins`),
  );
}
