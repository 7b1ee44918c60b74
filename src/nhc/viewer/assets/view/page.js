// The page: one task, one or two machines, and the tick that is shown.

import { MOST_TICKS, Run, breaksAt, firstDifference, isPlanning, taskOf } from "../machine/run.js";
import { readTask } from "../worlds/notation.js";
import { TapeSide } from "../worlds/tapes.js";
import { Bar } from "./bar.js";
import { button, h, panel } from "./dom.js";
import { BoardEditor, TextEditor, exampleOf, worldsOf } from "./editors.js";
import { LearningBar, machineThen } from "./learning.js";
import { readLink, writeLink } from "./link.js";
import { MachineView } from "./machine_view.js";

const FIRST_MS = 30;
const CHUNK_MS = 12;
const LINK_MS = 150;
const STAGE_TICKS = 5000; // of a machine that has not learned all: it may go on forever

class Page {
  constructor({ machines, task, title }) {
    this.models = machines;
    this.tick = 1;
    this.selected = null;
    this.timer = null;
    const tools = {
      go: (tick) => this.go(tick),
      select: (cell) => this.select(this.selected === cell ? null : cell),
      named: machines.length > 1,
    };
    this.tools = tools;
    this.views = machines.map((model) => new MachineView(model, tools));
    [this.trained] = machines;
    this.snapshots = machines.length > 1 ? [] : (this.trained.learning ?? []);
    this.build(title);
    const link = readLink();
    this.stage = this.snapshots.length;
    if (link.learned !== null && link.learned < this.stage) this.enter(link.learned);
    const open = (text) => this.setTask(text, { tick: link.tick ?? 1, node: link.node });
    if (link.task === null || !open(link.task)) open(task);
    window.addEventListener("hashchange", () => this.follow());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  build(title) {
    const [model] = this.models;
    const planning = isPlanning(model.algorithm);
    const change = (text) => this.setTask(text, { tick: 1, node: null });
    this.editor = planning ? new BoardEditor(change) : new TextEditor(model, change);
    const onchange = (event) => change(exampleOf(event.target.value));
    this.worlds = planning ? h("select", { "aria-label": "World", onchange }) : null;
    const main = document.getElementById("machines");
    main.className = `${this.models.length > 1 ? "two" : "one"} ${planning ? "planning" : "sequence"}`;
    const task = panel("task", "Task", this.worlds, this.editor.element);
    main.append(task, ...this.views.map((view) => view.element));
    this.bar = new Bar(model, this);
    this.wanted = this.bar.wanted;
    document.getElementById("transport").append(...this.bar.elements);
    this.learning = this.snapshots.length ? new LearningBar(this.snapshots, this) : null;
    if (this.learning) document.getElementById("news").before(this.learning.element);
    this.margin = h("p", {});
    document.getElementById("foot").append(...aboutTexts(title, this.models), this.margin, ...thanks());
  }

  get length() {
    return Math.max(1, ...this.runs.map((run) => run.length));
  }

  get over() {
    return this.all.every((run) => run.ending);
  }

  // Begin anew with a task; false, and a message, if the text is none.
  setTask(text, { tick, node }) {
    let task;
    try {
      task = taskOf(this.models[0].algorithm, text);
    } catch (error) {
      this.editor.fault.textContent = error.message;
      return false;
    }
    this.stop();
    this.text = text;
    this.editor.fault.textContent = "";
    this.worlds?.replaceChildren(...worldsOf(task));
    this.begin(task);
    this.selected = node;
    this.editor.show(task);
    this.target = tick; // shown as soon as the run comes to it
    this.go(tick);
    this.continue();
    return true;
  }

  // Runs of a task by the machines that are shown, and by the trained one to compare with.
  begin(task) {
    const isTrained = this.stage === this.snapshots.length;
    this.runs = this.models.map((model) => new Run(model, task, isTrained ? MOST_TICKS : STAGE_TICKS));
    this.reference = isTrained ? null : new Run(this.trained, task, STAGE_TICKS);
    this.different = null;
    this.views.forEach((view) => view.reset());
    this.all.forEach((run) => run.extend(Infinity, FIRST_MS));
  }

  // All runs that have to come to their end.
  get all() {
    return this.reference ? [...this.runs, this.reference] : this.runs;
  }

  // The same tick of the same task by the machine of a stage of learning.
  setStage(stage) {
    const { task } = this.runs[0];
    this.stop();
    this.enter(stage);
    this.begin(task);
    this.target = this.tick;
    this.go(this.tick);
    this.continue();
  }

  enter(stage) {
    const snapshot = this.snapshots[stage];
    this.stage = stage;
    this.models = [snapshot ? machineThen(this.trained, snapshot) : this.trained];
    const view = new MachineView(this.models[0], this.tools);
    this.views[0].element.replaceWith(view.element);
    this.views = [view];
  }

  // Run on in small pieces, so that the page stays responsive.
  continue() {
    clearTimeout(this.pending);
    if (this.over) {
      this.settle();
      return;
    }
    this.pending = setTimeout(() => {
      this.all.forEach((run) => run.extend(Infinity, CHUNK_MS));
      if (this.target !== null && this.length >= this.target) this.go(this.target);
      else this.showLength();
      this.continue();
    }, 0);
  }

  // All runs are over.
  settle() {
    this.editor.moves = this.runs[0].ending.ops;
    if (this.target !== null) this.go(this.target);
    this.target = null;
    const ratio = Math.min(...this.runs.map((each) => each.smallest?.ratio ?? Infinity));
    const times = Math.floor(ratio).toLocaleString("en");
    this.margin.textContent =
      `The closest decision of this run is ${times} times further from any other ` +
      "than float32 arithmetic can be off.";
    this.show();
    document.documentElement.dataset.ready = "true";
  }

  go(tick) {
    this.tick = Math.min(Math.max(1, tick), this.length);
    if (this.tick === this.target) this.target = null;
    this.show();
  }

  by(ticks) {
    this.go(this.tick + ticks);
  }

  last() {
    this.go(this.length);
  }

  select(cell) {
    this.selected = cell;
    this.show();
  }

  show() {
    this.showLength();
    this.views.forEach((view, k) => view.update(this.runs[k], this.tick, this.selected));
    const [run] = this.runs;
    const now = run.at(Math.min(this.tick, run.length));
    const text = now ? `tick ${this.tick}: ${run.model.algorithm.ops[now.op]}, cell ${now.address}` : "";
    this.bar.showTick(this.tick, text);
    clearTimeout(this.linking);
    if (this.target === null) this.linking = setTimeout(() => this.link(), LINK_MS);
  }

  link() {
    const learned = this.stage < this.snapshots.length ? this.stage : null;
    writeLink({ task: this.text, tick: this.tick, node: this.selected, learned });
  }

  showLength() {
    if (this.all.length > 1) this.different ??= firstDifference(...this.all);
    const met = this.runs.find((run) => run.metAt !== null)?.metAt ?? null;
    const marks = met === null ? [] : [[met, "★ goal seen"]];
    if (this.different) marks.push([this.different, "≠ first difference"]);
    this.bar.showLength(this.length, this.over, marks);
    if (this.runs.length > 1) this.showNews();
    this.learning?.show(this.stage, this.different, this.over);
  }

  // Where two machines part.
  showNews() {
    const news = document.getElementById("news");
    const { different } = this;
    const same = this.over ? "Both do the same at every tick." : "";
    const text = different ? `The first difference is at tick ${different}: ` : same;
    if (news.dataset.text === text) return;
    news.dataset.text = text;
    news.className = different ? "different" : "";
    const go = () => this.go(different);
    news.replaceChildren(text);
    if (different) news.append(button("Go to the first difference", `go to tick ${different}`, go));
  }

  toggle() {
    if (this.timer) this.stop();
    else this.play();
  }

  // Play at another speed.
  replay() {
    if (!this.timer) return;
    this.stop();
    this.play();
  }

  play() {
    if (this.tick >= this.length) this.go(1);
    this.bar.showPlaying(true);
    this.timer = setInterval(() => {
      this.by(1);
      const ended = this.tick >= this.length && this.over;
      if (ended || breaksAt(this.runs[0], this.tick, this.wanted)) this.stop();
    }, this.bar.pause);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.bar.showPlaying(false);
  }

  // To the next tick at which something wanted happens.
  seek(direction) {
    const [run] = this.runs;
    let tick = this.tick + direction;
    while (tick > 1 && tick < run.length && !breaksAt(run, tick, this.wanted)) tick += direction;
    this.go(tick);
  }

  // To a tick, or to the tick after which a node is there: `n20`.
  jump(text) {
    const node = /^\s*n\s*(\d+)\s*$/i.exec(text);
    const tick = Number(text);
    const born = node && this.runs[0].born[Number(node[1])];
    if (born) {
      this.selected = Number(node[1]);
      this.go(born);
    } else if (Number.isInteger(tick)) this.go(tick);
  }

  follow() {
    const { task, tick, node, learned } = readLink();
    const stage = Math.min(learned ?? Infinity, this.snapshots.length);
    if (stage !== this.stage) this.setStage(stage);
    if (task !== null && task !== this.text) this.setTask(task, { tick: tick ?? 1, node });
    else if (tick !== null) this.go(tick);
  }

  key(event) {
    const { tagName, type } = event.target;
    const typing = tagName === "SELECT" || (tagName === "INPUT" && !/^(range|checkbox)$/.test(type));
    if (typing && event.key === "Escape") event.target.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey || this.bar.help.open) return;
    const actions = {
      ArrowLeft: () => this.by(-1),
      ArrowRight: () => this.by(1),
      Home: () => this.go(1),
      End: () => this.last(),
      " ": /^(BUTTON|SUMMARY|INPUT)$/.test(tagName) && type !== "range" ? null : () => this.toggle(),
      "/": () => this.bar.focusJump(),
      n: () => this.seek(1),
      p: () => this.seek(-1),
      "[": () => this.learning && this.setStage(Math.max(0, this.stage - 1)),
      "]": () => this.learning && this.setStage(Math.min(this.snapshots.length, this.stage + 1)),
      "?": () => this.bar.help.showModal(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function aboutTexts(title, models) {
  const [{ algorithm, blocks, name }] = models;
  const weights = blocks.reduce((sum, block) => sum + block.rows * (block.inputs + 1), 0);
  const names = models.length > 1 ? "two machines" : name;
  const about =
    `${title}. A machine of ${weights.toLocaleString("en")} weights (${names}) that learned by evolution. ` +
    "It controls, and never sees the data. This page runs it.";
  return [
    h("p", {}, about),
    h("p", {}, "Control: ", algorithm.control, ". Done for it: ", algorithm.alu, "."),
  ];
}

function thanks() {
  return [h("p", {}, "Drawn with d3 (ISC licence), whose licence stands in this file.")];
}

const page = new Page(JSON.parse(document.getElementById("data").textContent));

// For those who look under the hood, and for tests: what runs in this page.
globalThis.nhc = { page, Run, TapeSide, taskOf, readTask, models: page.models };
