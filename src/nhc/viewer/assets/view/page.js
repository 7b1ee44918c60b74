// The page: one task, one or two machines, and the ticks.

import { Run, breaksAt, firstDifference, isPlanning, taskOf } from "../machine/run.js";
import { BoardEditor, TextEditor, exampleOf, worldsOf } from "./editors.js";
import { button, h, panel } from "./dom.js";
import { readTask } from "../worlds/notation.js";
import { TapeSide } from "../worlds/tapes.js";
import { readLink, writeLink } from "./link.js";
import { MachineView } from "./machine_view.js";

const FIRST_MS = 30,
  CHUNK_MS = 12,
  LINK_MS = 150;
const SPEEDS = [
  ["1", "1 tick a second"],
  ["3", "3"],
  ["10", "10"],
  ["40", "40"],
];
const KEYS = [
  ["← →", "one tick back or on"],
  ["Home End", "to the first or the last tick"],
  ["Space", "play or stop"],
  ["/", "jump: type a tick, or n and a node"],
  ["p n", "to the stop before or after"],
  ["?", "this help"],
];

class Page {
  constructor({ machines, task, title }) {
    this.models = machines;
    this.title = title;
    this.wanted = { mechanism: false, signals: true, word: "" };
    this.tick = 1;
    this.selected = null;
    this.timer = null;
    const tools = {
      go: (tick) => this.go(tick),
      select: (cell) => this.select(this.selected === cell ? null : cell),
      named: machines.length > 1,
    };
    this.views = machines.map((model) => new MachineView(model, tools));
    this.build();
    const link = readLink();
    const open = (text, tick) => this.setTask(text, { tick, node: link.node });
    if (!(link.task !== null && open(link.task, link.tick ?? 1))) open(task, link.tick ?? 1);
    window.addEventListener("hashchange", () => this.follow());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  build() {
    const [model] = this.models,
      { algorithm } = model;
    const change = (text) => this.setTask(text, { tick: 1, node: null });
    this.editor = isPlanning(algorithm) ? new BoardEditor(change) : new TextEditor(model, change);
    const names = this.models.length > 1 ? "two machines" : model.name;
    const about = `A machine of ${weightCount(model).toLocaleString("en")} weights (${names}) that learned by evolution. It controls; it never sees the data. This page runs it.`;
    this.worlds = isPlanning(algorithm)
      ? h("select", { "aria-label": "World", onchange: (event) => change(exampleOf(event.target.value)) })
      : null;
    const task = panel("task", "Task", this.worlds, this.editor.element);
    const main = document.getElementById("machines");
    main.className = `${this.models.length > 1 ? "two" : "one"} ${isPlanning(algorithm) ? "planning" : "sequence"}`;
    main.append(task, ...this.views.map((view) => view.element));
    document.getElementById("transport").append(...this.transport());
    this.margin = h("p", {});
    document
      .getElementById("foot")
      .append(
        h("p", {}, about),
        this.margin,
        h("p", {}, "Control: ", algorithm.control, ". Done for it: ", algorithm.alu, "."),
        h("p", {}, "Drawn with d3 (ISC licence); its licence stands in this file."),
      );
    this.buildHelp();
  }

  transport() {
    this.slider = h("input", {
      type: "range",
      min: 1,
      max: 1,
      value: 1,
      "aria-label": "Tick",
      oninput: () => this.go(Number(this.slider.value)),
    });
    this.marks = h("div", { class: "marks", "aria-hidden": "true" });
    this.jump = h("input", {
      id: "jump",
      type: "text",
      inputmode: "numeric",
      autocomplete: "off",
      "aria-label": "Jump to a tick, or n and a node",
    });
    this.total = h("span", {});
    this.playButton = button("Play (space)", "▶", () => this.toggle(), { class: "play" });
    const [model] = this.models;
    const words = h(
      "select",
      {
        "aria-label": "Stop at a word",
        onchange: (event) => {
          this.wanted.word = event.target.value;
        },
      },
      h("option", { value: "" }, "no word"),
      [...new Set(Object.values(model.names))].map((name) => h("option", { value: name }, name)),
    );
    const stop = (field, text) =>
      h(
        "label",
        {},
        h("input", {
          type: "checkbox",
          checked: this.wanted[field],
          onchange: (event) => {
            this.wanted[field] = event.target.checked;
          },
        }),
        ` ${text}`,
      );
    this.speed = h(
      "select",
      {
        "aria-label": "Speed",
        onchange: () => {
          if (this.timer) {
            this.stop();
            this.play();
          }
        },
      },
      SPEEDS.map(([value, text]) =>
        h(
          "option",
          { value, selected: value === "3" },
          text === "3" || text.length < 3 ? `${text} a second` : text,
        ),
      ),
    );
    return [
      h("h1", {}, model.algorithm.name),
      h(
        "div",
        { class: "buttons", role: "group", "aria-label": "Step" },
        button("First tick (Home)", "«", () => this.go(1)),
        button("Back (left arrow)", "‹", () => this.go(this.tick - 1)),
        this.playButton,
        button("On (right arrow)", "›", () => this.go(this.tick + 1)),
        button("Last tick (End)", "»", () => this.go(this.length)),
      ),
      h("div", { class: "track" }, this.slider, this.marks),
      h(
        "form",
        {
          class: "jump",
          onsubmit: (event) => {
            event.preventDefault();
            this.jumpTo(this.jump.value);
          },
        },
        h("label", { for: "jump" }, "Tick"),
        this.jump,
        this.total,
      ),
      this.speed,
      h(
        "details",
        { class: "stops", open: window.innerWidth > 720 },
        h("summary", {}, "Stop where"),
        h(
          "div",
          { role: "group", "aria-label": "Stop playing where" },
          stop("signals", isPlanning(model.algorithm) ? "goal is seen" : "signals change"),
          stop("mechanism", "mechanism changes"),
          h("label", {}, "word is ", words),
          button("Stop before (p)", "‹ stop", () => this.seek(-1)),
          button("Stop after (n)", "stop ›", () => this.seek(1)),
          button("Keys (?)", "?", () => this.help.showModal()),
        ),
      ),
    ];
  }

  buildHelp() {
    this.help = document.getElementById("help");
    this.help.append(
      h("h2", { id: "help-title" }, "Keys"),
      h(
        "dl",
        {},
        KEYS.flatMap(([keys, text]) => [h("dt", {}, keys), h("dd", {}, text)]),
      ),
      h("p", {}, "The link of this page keeps the task and the tick."),
      h("form", { method: "dialog" }, h("button", {}, "Close")),
    );
  }

  get length() {
    return Math.max(1, ...this.runs.map((run) => run.length));
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
    this.runs = this.models.map((model) => new Run(model, task));
    this.views.forEach((view) => view.reset());
    this.selected = node;
    this.runs.forEach((run) => run.extend(Infinity, FIRST_MS));
    this.editor.show(task);
    this.target = tick;
    this.go(tick);
    this.continue();
    return true;
  }

  // Run on in small pieces, so that the page stays responsive.
  continue() {
    clearTimeout(this.pending);
    if (this.runs.every((run) => run.ending)) {
      this.settle();
      return;
    }
    this.pending = setTimeout(() => {
      this.runs.forEach((run) => run.extend(Infinity, CHUNK_MS));
      if (this.target !== null && this.length >= this.target && this.tick !== this.target)
        this.go(this.target);
      else this.showLength();
      this.continue();
    }, 0);
  }

  // All runs are over.
  settle() {
    const [run] = this.runs;
    this.editor.moves = run.ending.ops;
    if (this.target !== null && this.tick !== this.target) this.go(this.target);
    const ratio = Math.min(...this.runs.map((each) => each.smallest?.ratio ?? Infinity));
    this.margin.textContent = `Closest decision of this run: ${Math.floor(ratio).toLocaleString("en")} times further from any other than float32 arithmetic can be off.`;
    this.show();
    document.documentElement.dataset.ready = "true";
  }

  go(tick) {
    this.tick = Math.min(Math.max(1, tick), this.length);
    if (this.target !== null && this.tick === this.target) this.target = null;
    this.show();
  }

  select(cell) {
    this.selected = cell;
    this.show();
  }

  show() {
    this.showLength();
    this.views.forEach((view, k) => view.update(this.runs[k], this.tick, this.selected));
    if (document.activeElement !== this.jump) this.jump.value = this.tick;
    this.slider.value = this.tick;
    const [run] = this.runs,
      now = run.at(Math.min(this.tick, run.length));
    this.slider.setAttribute(
      "aria-valuetext",
      now ? `tick ${this.tick}: ${run.model.algorithm.ops[now.op]}, cell ${now.address}` : "",
    );
    clearTimeout(this.linking);
    if (this.target === null) this.linking = setTimeout(() => this.link(), LINK_MS);
  }

  link() {
    writeLink({ task: this.text, tick: this.tick, node: this.selected });
  }

  showLength() {
    this.slider.max = this.length;
    const over = this.runs.every((run) => run.ending);
    this.total.textContent = `of ${this.length.toLocaleString("en")}${over ? "" : " …"}`;
    const marks = this.runs.flatMap((run) => (run.metAt ? [[run.metAt, "★ goal seen"]] : []));
    const different = this.runs.length > 1 ? firstDifference(...this.runs) : null;
    if (different) marks.unshift([different, "≠ first difference"]);
    this.showNews(different, over);
    this.marks.replaceChildren(
      ...marks.slice(0, 2).map(([tick, text]) => {
        const mark = h("span", {}, text);
        const share = (100 * (tick - 1)) / Math.max(1, this.length - 1);
        mark.style.left = `${share}%`;
        mark.className = share > 70 ? "before" : "";
        return mark;
      }),
    );
  }

  showNews(different, over) {
    const news = document.getElementById("news");
    if (this.runs.length < 2) return;
    const text = different
      ? `The first difference is at tick ${different}: `
      : over
        ? "Both do the same at every tick."
        : "";
    if (news.dataset.text === text) return;
    news.dataset.text = text;
    news.className = different ? "different" : "";
    news.replaceChildren(
      text,
      different
        ? button("Go to the first difference", `go to tick ${different}`, () => this.go(different))
        : "",
    );
  }

  toggle() {
    if (this.timer) this.stop();
    else this.play();
  }

  play() {
    if (this.tick >= this.length) this.go(1);
    this.playButton.textContent = "❚❚";
    this.playButton.setAttribute("aria-label", "Stop (space)");
    this.timer = setInterval(
      () => {
        this.go(this.tick + 1);
        const over = this.tick >= this.length && this.runs.every((run) => run.ending);
        if (over || breaksAt(this.runs[0], this.tick, this.wanted)) this.stop();
      },
      1000 / Number(this.speed.value),
    );
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.playButton.textContent = "▶";
    this.playButton.setAttribute("aria-label", "Play (space)");
  }

  // To the next tick at which something wanted happens.
  seek(direction) {
    const [run] = this.runs;
    let tick = this.tick + direction;
    while (tick > 1 && tick < run.length && !breaksAt(run, tick, this.wanted)) tick += direction;
    this.go(tick);
  }

  jumpTo(text) {
    const node = /^\s*n\s*(\d+)\s*$/i.exec(text),
      tick = Number(text);
    if (node && Number(node[1]) < this.length) {
      this.selected = Number(node[1]);
      this.go(this.selected + 1);
    } else if (Number.isInteger(tick)) this.go(tick);
    this.jump.blur();
    this.jump.value = this.tick;
  }

  follow() {
    const link = readLink();
    if (link.task !== null && link.task !== this.text)
      this.setTask(link.task, { tick: link.tick ?? 1, node: link.node });
    else if (link.tick !== null) this.go(link.tick);
  }

  key(event) {
    const typing =
      /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) &&
      event.target.type !== "range" &&
      event.target.type !== "checkbox" &&
      event.target.type !== "radio";
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    if (typing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const onButton = event.target.tagName === "BUTTON";
    const actions = {
      ArrowLeft: () => this.go(this.tick - 1),
      ArrowRight: () => this.go(this.tick + 1),
      Home: () => this.go(1),
      End: () => this.go(this.length),
      " ": onButton ? null : () => this.toggle(),
      "/": () => {
        this.jump.focus();
        this.jump.select();
      },
      n: () => this.seek(1),
      p: () => this.seek(-1),
      "?": () => this.help.showModal(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function weightCount(model) {
  return model.blocks.reduce((sum, block) => sum + block.rows * (block.inputs + 1), 0);
}

const page = new Page(JSON.parse(document.getElementById("data").textContent));

// For those who look under the hood, and for tests: what runs in this page.
globalThis.nhc = { page, Run, TapeSide, taskOf, readTask, models: page.models };
