// Stacking: four places of height three and a gripper. Operation k acts on place k.
//
// A state is a text of one sign a cell: 3p + h is height h of place p, 12 the gripper; 0 means empty.

import { TaskError } from "./notation.js";

const PLACES = 4,
  TALL = 3,
  GRIPPER = PLACES * TALL;
const PLACE_SIGNS = ["0", "1", "2", "3", "·"];

export class Stacking {
  name = "stacking";
  width = PLACES;
  height = TALL + 2;
  signs = PLACE_SIGNS;

  static read({ domain, start, goal }) {
    const world = new Stacking();
    const boxes = Number(domain.split("-")[1] ?? 5);
    Object.assign(world, { boxes, domain });
    return { world, start: arranged(start, boxes), goal: arranged(goal, boxes) };
  }

  write(task) {
    const places = (state) => [0, 1, 2, 3].map((p) => boxesOn(state, p).map(Number));
    const json = (state) => ({ places: places(state), held: Number(state[GRIPPER]) || null });
    return JSON.stringify({ domain: this.domain, start: json(task.start), goal: json(task.goal) });
  }

  // With a box in the gripper put it on a place, with none pick up the top box.
  step(state, op) {
    const cells = [...state];
    const bottom = TALL * op,
      high = boxesOn(state, op).length;
    const isHeld = cells[GRIPPER] !== "0";
    if (high === (isHeld ? TALL : 0)) return state;
    const cell = bottom + high - (isHeld ? 0 : 1);
    [cells[cell], cells[GRIPPER]] = [cells[GRIPPER], cells[cell]];
    return cells.join("");
  }

  random(random) {
    const boxes = Array.from({ length: this.boxes }, (_, k) => String(k + 1));
    for (let i = boxes.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [boxes[i], boxes[j]] = [boxes[j], boxes[i]];
    }
    const cells = Array(GRIPPER + 1).fill("0");
    if (random() < 0.3) cells[GRIPPER] = boxes.pop();
    for (const box of boxes) {
      const free = [0, 1, 2, 3].filter((p) => cells[TALL * p + TALL - 1] === "0");
      const bottom = TALL * free[Math.floor(random() * free.length)];
      cells[cells.indexOf("0", bottom)] = box;
    }
    return cells.join("");
  }

  // Row and column of a cell in a picture, the gripper above the places.
  at(cell) {
    if (cell === GRIPPER) return [0, 1.5];
    return [TALL + 1 - (cell % TALL), Math.floor(cell / TALL)];
  }

  text(state) {
    const place = (p) => boxesOn(state, p).join(" ") || "empty";
    const held = state[GRIPPER] === "0" ? "nothing" : `box ${state[GRIPPER]}`;
    return `${[0, 1, 2, 3].map((p) => `place ${p}: ${place(p)}`).join("; ")}; the gripper holds ${held}`;
  }
}

// The boxes of a place from below.
function boxesOn(state, place) {
  return [...state.slice(TALL * place, TALL * (place + 1))].filter((box) => box !== "0");
}

// A state of `{places, held}`, each place from below.
function arranged(json, boxes) {
  const { places, held } = json ?? {};
  const lists = Array.isArray(places) && places.length === PLACES && places.every(Array.isArray);
  const all = lists ? [...places.flat(), ...(held ? [held] : [])].sort() : [];
  const whole = Array.from({ length: boxes }, (_, k) => k + 1);
  if (!lists || String(all) !== String(whole) || places.some((place) => place.length > TALL))
    throw new TaskError(`four places of up to three boxes, and each of the boxes 1 to ${boxes} once`, "others");
  return [...places.map((place) => [...place, 0, 0, 0].slice(0, TALL).join("")), String(held || 0)].join("");
}
