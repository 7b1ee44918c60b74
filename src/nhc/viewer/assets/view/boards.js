// States of the planning worlds as pictures that can be told apart without colour.

import { h, s } from "./dom.js";

// One cell of 10 x 10, as shapes.
function cellShapes(world, sign, isGoal) {
  const shapes = [s("rect", { width: 10, height: 10, class: "floor" })];
  if (world.name === "stacking") {
    if (sign === "0") return [s("rect", { width: 10, height: 10, class: "no-box" })];
    shapes[0] = s("rect", { x: 0.5, y: 0.5, width: 9, height: 9, rx: 0.8, class: "tile" });
    return [...shapes, s("text", { x: 5, y: 7.3, class: "tile-number" }, sign)];
  }
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
  if (world.text) return world.text(state);
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
  const at = (cell) => world.at?.(cell) ?? [Math.floor(cell / world.width), cell % world.width];
  const corner = (cell) => at(cell).map((place) => 10 * place);
  const shapes = [...state].map((sign, cell) => {
    const [y, x] = corner(cell);
    return s("g", { transform: `translate(${x} ${y})` }, cellShapes(world, sign, goalCells?.[cell]));
  });
  if (world.name === "stacking") shapes.unshift(...ground());
  if (before && before !== state) {
    [...state].forEach((sign, cell) => {
      if (sign === before[cell]) return;
      const [y, x] = corner(cell);
      shapes.push(s("rect", { x: x + 0.6, y: y + 0.6, width: 8.8, height: 8.8, class: "changed" }));
    });
  }
  return shapes;
}

// The floor of four places, and the gripper above them.
function ground() {
  return [
    s("path", { d: "M15 0V10M15 3H13M25 0V10M25 3H27M15 0H25", class: "gripper" }),
    s("path", { d: "M0.5 49.6H9.5M10.5 49.6H19.5M20.5 49.6H29.5M30.5 49.6H39.5", class: "ground" }),
  ];
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
