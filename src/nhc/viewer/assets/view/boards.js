// States of the planning worlds as pictures that can be told apart without colour.

import { h, s } from "./dom.js";

// One cell of 10 x 10, as shapes.
function cellShapes(world, sign, isGoal) {
  const shapes = [s("rect", { width: 10, height: 10, class: "floor" })];
  if (world.name === "sliding") {
    if (sign === "0") return [s("rect", { width: 10, height: 10, class: "hole" })];
    shapes.push(s("rect", { x: 0.5, y: 0.5, width: 9, height: 9, rx: 1.4, class: "tile" }));
    shapes.push(s("text", { x: 5, y: 7.3, class: "tile-number" }, sign));
    return shapes;
  }
  if (sign === "#")
    return [
      s("rect", { width: 10, height: 10, class: "wall" }),
      s("path", { d: "M0 5H10M5 0V5M2 5V10M8 5V10", class: "bricks" }),
    ];
  if (isGoal) shapes.push(s("path", { d: "M5 1.2L8.8 5L5 8.8L1.2 5Z", class: "goal-mark" }));
  if (sign === "$") {
    shapes.push(s("rect", { x: 1.3, y: 1.3, width: 7.4, height: 7.4, rx: 0.8, class: "box" }));
    shapes.push(s("path", { d: "M1.8 1.8L8.2 8.2M8.2 1.8L1.8 8.2", class: "box-cross" }));
  }
  if (sign === "@") {
    shapes.push(s("circle", { cx: 5, cy: 3, r: 1.9, class: "agent" }));
    shapes.push(s("path", { d: "M1.8 9.2C1.8 4.6 8.2 4.6 8.2 9.2Z", class: "agent" }));
  }
  return shapes;
}

// A state in words, for those who do not see it.
export function stateText(world, state) {
  if (world.name === "free-tree") return `node ${state}`;
  const places = [...state].map((sign, cell) => [sign, cell]).filter(([sign]) => !"# ".includes(sign));
  const at = (cell) => `row ${Math.floor(cell / world.width) + 1}, column ${(cell % world.width) + 1}`;
  if (world.name === "sliding")
    return [0, 3, 6].map((from) => [...state.slice(from, from + 3)].join(" ")).join(", ");
  return places.map(([sign, cell]) => `${world.describe(sign)} in ${at(cell)}`).join("; ");
}

// The shapes of a whole state, in units of ten a cell; `before` marks cells that changed.
export function boardShapes(task, state, before = null) {
  const { world, goalCells } = task;
  if (world.name === "free-tree") {
    const { length } = String(state),
      size = length > 4 ? "long" : length > 2 ? "middle" : "";
    return [
      s("circle", { cx: 15, cy: 15, r: 13, class: "floor node-ring" }),
      s("text", { x: 15, y: length > 2 ? 18 : 19, class: `node-number ${size}` }, String(state)),
    ];
  }
  const shapes = [...state].map((sign, cell) => {
    const at = `translate(${10 * (cell % world.width)} ${10 * Math.floor(cell / world.width)})`;
    return s("g", { transform: at }, cellShapes(world, sign, goalCells?.[cell]));
  });
  if (before && before !== state) {
    [...state].forEach((sign, cell) => {
      if (sign === before[cell]) return;
      const [x, y] = [10 * (cell % world.width), 10 * Math.floor(cell / world.width)];
      shapes.push(s("rect", { x: x + 0.6, y: y + 0.6, width: 8.8, height: 8.8, class: "changed" }));
    });
  }
  return shapes;
}

export function boardSize(world) {
  return world.name === "free-tree" ? [30, 30] : [10 * world.width, 10 * world.height];
}

export function board(task, state, { before = null, size = 110, label = "" } = {}) {
  const [width, height] = boardSize(task.world);
  const scale = size / Math.max(width, height);
  return s(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      width: width * scale,
      height: height * scale,
      role: "img",
      class: "board",
      "aria-label": `${label} ${stateText(task.world, state)}`.trim(),
    },
    boardShapes(task, state, before),
  );
}

// A picture with a caption.
export function captioned(text, picture, className = "") {
  return h("figure", { class: className }, picture, h("figcaption", {}, text));
}

// A board of buttons, one a cell.
export function editableBoard(task, state, label, onCell) {
  const { world } = task;
  const cells = [...state].map((sign, cell) => {
    const where = `row ${Math.floor(cell / world.width) + 1}, column ${(cell % world.width) + 1}`;
    const picture = s(
      "svg",
      { viewBox: "0 0 10 10", "aria-hidden": "true" },
      cellShapes(world, sign, task.goalCells?.[cell]),
    );
    const text = `${where}: ${world.describe(sign)}`;
    return h(
      "button",
      { type: "button", class: "cell", "aria-label": text, onclick: () => onCell(cell) },
      picture,
    );
  });
  const box = h("div", { class: "edit-board", role: "group", "aria-label": label }, cells);
  box.style.gridTemplateColumns = `repeat(${world.width}, 1fr)`;
  return box;
}
