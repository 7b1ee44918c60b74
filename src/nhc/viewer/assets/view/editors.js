// How a reader changes the task: a text for sequences; boards to draw on, shuffle and move for planning.

import { randomTask } from "../worlds/notation.js";
import { FreeTree, OPS, goalAtDepth, readPlanningTask } from "../worlds/planning.js";
import { board, captioned, editableBoard } from "./boards.js";
import { button, h, signOf } from "./dom.js";

export class TextEditor {
  constructor(model, change) {
    const { algorithm } = model;
    this.input = h("input", {
      id: "task-text",
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": "task-usage",
    });
    this.fault = h("p", { class: "fault", role: "alert" });
    const form = h(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          change(this.input.value);
        },
      },
      this.input,
      h("button", { type: "submit" }, "Run"),
      button("A random task", "Random", () => change(randomTask(algorithm.name, Math.random))),
    );
    this.element = h(
      "div",
      { class: "text-editor" },
      h("label", { for: "task-text" }, "Input"),
      form,
      h(
        "p",
        { id: "task-usage", class: "note" },
        `Written as ${algorithm.usage.replaceAll("'", "")}; for example ${algorithm.example}`,
      ),
      this.fault,
    );
  }

  show(task) {
    this.input.value = task.text;
  }
}

export class BoardEditor {
  constructor(change) {
    this.change = change;
    this.editing = false;
    this.tool = "$";
    this.depth = "3";
    this.fault = h("p", { class: "fault", role: "alert" });
    this.boards = h("div", { class: "ends" });
    this.tools = h("div", { class: "edit-tools" });
    this.element = h("div", { class: "board-editor" }, this.boards, this.tools, this.fault);
  }

  show(task) {
    this.task = task;
    this.draw();
  }

  // The task with other ends, as a text; a goal that cannot be reached says so by its run.
  put(changes) {
    const task = { ...this.task, ...changes };
    this.change(task.world.write(task));
  }

  draw() {
    const { task } = this,
      { world } = task;
    if (world.name === "free-tree") this.drawNodes();
    else this.drawBoards(task, world);
  }

  drawBoards(task, world) {
    const canPaint = Boolean(world.paint);
    const start = this.editing
      ? captioned(
          "start: draw here",
          editableBoard(task, task.start, "Start", (cell) => this.paint(cell)),
        )
      : captioned("start", board(task, task.start, { size: 100, label: "start:" }));
    const pad = (end) =>
      h(
        "div",
        { class: "pad", role: "group", "aria-label": `Move in the ${end}` },
        OPS.slice(0, 4).map((op, k) =>
          button(`${op} in the ${end}`, signOf(task, k), () => this.move(end, k), { class: op }),
        ),
      );
    const goal = task.goalCells
      ? h("p", { class: "note" }, "Goal: every box on a ◆.")
      : captioned("goal", board(task, task.goal, { size: 100, label: "goal:" }));
    this.boards.replaceChildren(
      h("div", {}, start, pad("start")),
      h("div", {}, goal, task.goalCells ? null : pad("goal")),
    );
    const depths = h(
      "select",
      {
        "aria-label": "Moves to the goal",
        onchange: (event) => {
          this.depth = event.target.value;
        },
      },
      [1, 2, 3, 4, 5, 6, 7].map((n) =>
        h("option", { value: n, selected: String(n) === this.depth }, `${n} move${n > 1 ? "s" : ""}`),
      ),
    );
    this.tools.replaceChildren(
      h(
        "div",
        { class: "row" },
        button("A random task", canPaint ? "Random" : "Shuffle", () => this.random()),
        depths,
        canPaint
          ? button("Draw walls, boxes and the agent", this.editing ? "Done" : "Draw", () => this.toggle(), {
              "aria-pressed": String(this.editing),
            })
          : null,
      ),
      ...(this.editing ? [this.palette(task)] : []),
    );
  }

  drawNodes() {
    const { task } = this;
    const input = h("input", { id: "goal-node", type: "number", min: 1, max: 40000, value: task.goal });
    const form = h(
      "form",
      {
        class: "row",
        onsubmit: (event) => {
          event.preventDefault();
          this.put({ goal: Number(input.value) });
        },
      },
      h("label", { for: "goal-node" }, "Goal: node"),
      input,
      h("button", { type: "submit" }, "Run"),
      button("A random node", "Random", () => this.put({ goal: 1 + Math.floor(84 * Math.random()) })),
    );
    const note =
      "In the free tree every operation leads to a new node: node n has the children 4n+1 to 4n+4.";
    this.boards.replaceChildren();
    this.tools.replaceChildren(form, h("p", { class: "note" }, note));
  }

  palette(task) {
    const signs = [
      ["$", "box"],
      ["#", "wall"],
      [" ", "floor"],
      ["@", "agent"],
      ...(task.goalCells ? [[".", "goal"]] : []),
    ];
    return h(
      "fieldset",
      { class: "palette" },
      h("legend", {}, "Draw"),
      signs.map(([sign, text]) =>
        h(
          "label",
          {},
          h("input", {
            type: "radio",
            name: "tool",
            value: sign,
            checked: sign === this.tool,
            onchange: () => {
              this.tool = sign;
            },
          }),
          ` ${text}`,
        ),
      ),
    );
  }

  toggle() {
    this.editing = !this.editing;
    this.draw();
  }

  // What is drawn in the start is drawn in the goal too: walls stay, and no box comes or goes.
  paint(cell) {
    const { task, tool } = this;
    if (tool === ".") {
      this.put({ goalCells: task.goalCells.map((goal, c) => (c === cell ? !goal : goal)) });
      return;
    }
    const start = task.world.paint(task.start, cell, tool);
    if (start === task.start) return;
    const moves = this.moves ?? [];
    const goal = task.goalCells ? undefined : moves.reduce((state, op) => task.world.step(state, op), start);
    this.put({ start, goal: goal === start ? task.world.step(start, freeMove(task.world, start)) : goal });
  }

  move(end, op) {
    const { task } = this,
      { world } = task;
    if (end === "goal") this.put({ goal: world.step(task.goal, op) });
    else this.put({ start: world.step(task.start, op) });
  }

  random() {
    const { world } = this.task;
    const depth = Number(this.depth);
    const start = world.random(Math.random);
    this.put({ start, goal: goalAtDepth(world, start, depth, Math.random), goalCells: undefined });
  }
}

// Some operation that changes a state, 0 if none does.
function freeMove(world, state) {
  return Math.max(
    0,
    [0, 1, 2, 3].findIndex((op) => world.step(state, op) !== state),
  );
}

export function worldsOf(task) {
  const names = {
    sokoban: "Sokoban",
    "sokoban-permuted": "Sokoban, words permuted",
    sliding: "Sliding puzzle",
    stacking: "Stacking",
    "free-tree": "Free tree",
  };
  return Object.entries(names).map(([value, text]) =>
    h("option", { value, selected: value === task.world.name }, text),
  );
}

// A task of another world.
export function exampleOf(name) {
  if (name === "free-tree") return new FreeTree().write({ start: 0, goal: 42 });
  if (name === "sliding") {
    return '{"domain": "sliding-3x3", "start": [[1,2,3],[4,0,6],[7,5,8]], "goal": [[1,2,3],[4,5,6],[7,8,0]]}';
  }
  if (name === "stacking") {
    const start = { places: [[1, 2], [3], [4, 5], []], held: null };
    return JSON.stringify({ domain: name, start, goal: { places: [[1], [3, 2], [4, 5], []], held: null } });
  }
  const start = "######\n#    #\n# @$ #\n#    #\n#    #\n######";
  const domain = name === "sokoban-permuted" ? name : "sokoban-6x6";
  const task = readPlanningTask(JSON.stringify({ domain, start, goal: start }));
  const goal = [1, 2, 3].reduce((state, op) => task.world.step(state, op), task.start);
  return task.world.write({ ...task, goal });
}
