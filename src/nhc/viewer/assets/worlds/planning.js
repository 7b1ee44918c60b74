// The planning worlds by their exact rules. A state is a text of one sign a cell, row by row.
//
// Each world: `read(task text)`, `write(task)`, `step(state, op)`, and what its editor needs.

import { TaskError } from "./notation.js";
import { Stacking } from "./stacking.js";

export const OPS = ["up", "right", "down", "left", "nop"];
export const NOP = 4;
const STEPS = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1],
];

// XSB signs and what they mean: wall, box, agent, and whether the cell is a goal.
const SIGNS = {
  "#": ["#", false],
  " ": [" ", false],
  "-": [" ", false],
  _: [" ", false],
  ".": [" ", true],
  $: ["$", false],
  "*": ["$", true],
  "@": ["@", false],
  "+": ["@", true],
};
// The symbols of a word in their order, which the permuted words have in reverse; and where each cell stands.
const WORD_SIGNS = "@$# ";
const PERMUTED_CELLS = [
  11, 27, 4, 24, 23, 2, 3, 34, 18, 1, 10, 22, 20, 26, 28, 30, 33, 15, 17, 0, 21, 35, 9, 6, 32, 25, 19, 29, 8,
  16, 13, 12, 7, 31, 5, 14,
];
const ON_GOAL = { " ": ".", $: "*", "@": "+", "#": "#" };

const lines = (state, width) => state.match(new RegExp(`.{${width}}`, "gsu")).join("\n");
const put = (state, cell, sign) => state.slice(0, cell) + sign + state.slice(cell + 1);

export class Sokoban {
  name = "sokoban";

  // One board with goal cells, or two boards with `Goal:` between.
  static read(text) {
    const [first, second] = text.split(/^\s*goal\s*:\s*$/imu);
    const board = readBoard(first);
    const world = new Sokoban();
    Object.assign(world, { width: board.width, height: board.height });
    if (second === undefined) {
      if (!board.goals.includes(true))
        throw new TaskError("goal cells (.) or a second board after Goal:", "none");
      return { world, start: board.state, goalCells: board.goals };
    }
    const goal = readBoard(second);
    if (goal.width !== board.width || goal.height !== board.height) {
      throw new TaskError("two boards of one size", "two sizes");
    }
    const walls = (state) => state.replace(/[^#]/g, " ");
    if (walls(goal.state) !== walls(board.state))
      throw new TaskError("the same walls in both boards", "others");
    return { world, start: board.state, goal: goal.state };
  }

  write(task) {
    if (!task.goalCells) return `${lines(task.start, this.width)}\nGoal:\n${lines(task.goal, this.width)}`;
    const drawn = [...task.start].map((sign, cell) => (task.goalCells[cell] ? ON_GOAL[sign] : sign)).join("");
    return lines(drawn, this.width);
  }

  step(state, op) {
    const agent = state.indexOf("@");
    const move = STEPS[op][0] * this.width + STEPS[op][1];
    const ahead = agent + move;
    if (state[ahead] === "#" || state[ahead] === undefined) return state;
    if (state[ahead] !== "$") return put(put(state, agent, " "), ahead, "@");
    const beyond = ahead + move;
    if (state[beyond] !== " ") return state;
    return put(put(put(state, agent, " "), ahead, "@"), beyond, "$");
  }

  // The family of the paper: walled rim, some inner walls, one to five boxes, one agent.
  random(random) {
    const inner = [];
    for (let row = 1; row < this.height - 1; row++) {
      for (let column = 1; column < this.width - 1; column++) inner.push(row * this.width + column);
    }
    const free = new Set(inner);
    let state = Array.from({ length: this.width * this.height }, (_, c) => (free.has(c) ? " " : "#")).join(
      "",
    );
    const signs = ["@", ..."$".repeat(1 + Math.floor(random() * 3)), ..."#".repeat(Math.floor(random() * 3))];
    for (const sign of signs) {
      const [cell] = inner.splice(Math.floor(random() * inner.length), 1);
      state = put(state, cell, sign);
    }
    return state;
  }

  describe(sign) {
    return { "#": "wall", " ": "floor", $: "box", "@": "agent" }[sign];
  }

  // An editor may paint cells inside the rim.
  paint(state, cell, sign) {
    const row = Math.floor(cell / this.width),
      column = cell % this.width;
    const rim = row === 0 || column === 0 || row === this.height - 1 || column === this.width - 1;
    if (rim || (state[cell] === "@" && sign !== "@")) return state;
    return put(sign === "@" ? state.replace("@", " ") : state, cell, sign);
  }
}

// Sokoban whose data words have other bits: signs and cells of the 6x6 boards in other places.
export class PermutedSokoban extends Sokoban {
  name = "sokoban-permuted";

  static read({ start, goal }) {
    const task = Sokoban.read(`${start}\nGoal:\n${goal}`);
    if (task.world.width !== 6 || task.world.height !== 6) throw new TaskError("boards of 6x6", "others");
    return { ...task, world: Object.assign(new PermutedSokoban(), task.world, { name: "sokoban-permuted" }) };
  }

  write(task) {
    const [start, goal] = [task.start, task.goal].map((state) => lines(state, this.width));
    return JSON.stringify({ domain: this.name, start, goal });
  }

  // What someone sees who takes a word for one of usual Sokoban.
  encoded(state) {
    const found = Array(state.length);
    [...state].forEach((sign, cell) => {
      found[PERMUTED_CELLS[cell]] = WORD_SIGNS[WORD_SIGNS.length - 1 - WORD_SIGNS.indexOf(sign)];
    });
    return found.join("");
  }
}

function readBoard(text) {
  const rows = text.split(/\r?\n/).filter((row) => row.trim());
  if (rows.length < 3) throw new TaskError("a board of at least three rows", rows.length);
  const width = Math.max(...rows.map((row) => row.trimEnd().length));
  const cells = rows.flatMap((row) => [...row.trimEnd().padEnd(width)]);
  const found = cells.map((sign) => {
    if (!SIGNS[sign]) throw new TaskError("a board of # $ . * @ + and blanks", `“${sign}”`);
    return SIGNS[sign];
  });
  const state = found.map(([sign]) => sign).join("");
  const agents = state.split("@").length - 1;
  if (agents !== 1) throw new TaskError("one agent (@)", agents);
  if (!isClosed(state, width)) throw new TaskError("walls all around the agent", "a gap");
  return { state, width, height: rows.length, goals: found.map(([, goal]) => goal) };
}

// Do the walls enclose the agent? Boxes can be pushed away.
function isClosed(state, width) {
  const seen = new Set([state.indexOf("@")]);
  for (const cell of seen) {
    const column = cell % width;
    if (column === 0 || column === width - 1 || cell < width || cell >= state.length - width) return false;
    for (const near of [cell - 1, cell + 1, cell - width, cell + width])
      if (state[near] !== "#") seen.add(near);
  }
  return true;
}

export class Sliding {
  name = "sliding";
  width = 3;
  height = 3;

  static read({ start, goal }) {
    const board = (rows) => {
      const state = Array.isArray(rows) ? rows.flat().join("") : "";
      if ([...state].sort().join("") !== "012345678") throw new TaskError("three rows with 0 to 8", "others");
      return state;
    };
    return { world: new Sliding(), start: board(start), goal: board(goal) };
  }

  write(task) {
    const rows = (state) => [0, 3, 6].map((at) => [...state.slice(at, at + 3)].map(Number));
    return JSON.stringify({ domain: "sliding-3x3", start: rows(task.start), goal: rows(task.goal) });
  }

  // Operation k slides the tile that moves up, right, down or left into the hole.
  step(state, op) {
    const hole = state.indexOf("0");
    const row = Math.floor(hole / 3) - STEPS[op][0],
      column = (hole % 3) - STEPS[op][1];
    if (row < 0 || row > 2 || column < 0 || column > 2) return state;
    const from = 3 * row + column;
    return put(put(state, hole, state[from]), from, "0");
  }

  random(random) {
    const tiles = [..."012345678"];
    for (let i = tiles.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [tiles[i], tiles[j]] = [tiles[j], tiles[i]];
    }
    return tiles.join("");
  }

  describe(sign) {
    return sign === "0" ? "hole" : `tile ${sign}`;
  }
}

export class FreeTree {
  name = "free-tree";

  static read({ start, goal }) {
    const known = [start, goal].every((node) => Number.isSafeInteger(node) && node >= 0 && node < 2 ** 32);
    if (!known) throw new TaskError("numbers of nodes", `${start} and ${goal}`);
    return { world: new FreeTree(), start, goal };
  }

  write(task) {
    return JSON.stringify({ domain: "free-tree", start: task.start, goal: task.goal });
  }

  step(node, op) {
    return node <= Math.floor((2 ** 32 - 5) / 4) ? 4 * node + 1 + op : 2 ** 32 - 1;
  }
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new TaskError("a task in JSON", "something else");
  }
}

const WORLDS = {
  "sokoban-permuted": PermutedSokoban,
  "sliding-3x3": Sliding,
  stacking: Stacking,
  "free-tree": FreeTree,
};

// A task file: a Sokoban board, two with `Goal:` between, or JSON.
export function readPlanningTask(text) {
  if (!text.trimStart().startsWith("{")) return { ...Sokoban.read(text), text };
  const json = readJson(text);
  const domain = String(json.domain).replace(/^stacking-[1-9]$/, "stacking");
  if (WORLDS[domain]) return { ...WORLDS[domain].read(json), text };
  if (!/^sokoban/.test(domain)) throw new TaskError(`Sokoban, ${Object.keys(WORLDS).join(", ")}`, domain);
  return { ...Sokoban.read(`${json.start}\nGoal:\n${json.goal}`), text };
}

export function isMet(task, state) {
  if (!task.goalCells) return state === task.goal;
  return [...state].every((sign, cell) => sign !== "$" || task.goalCells[cell]);
}

// A goal that is first met after so many moves; fewer where the world has no such state.
export function goalAtDepth(world, start, depth, random) {
  let frontier = [start];
  const seen = new Set(frontier);
  for (let made = 0; made < depth; made++) {
    const next = [];
    for (const state of frontier) {
      for (let op = 0; op < NOP; op++) {
        const after = world.step(state, op);
        if (!seen.has(after)) {
          seen.add(after);
          next.push(after);
        }
      }
    }
    if (next.length === 0) break;
    frontier = next;
  }
  return frontier[Math.floor(random() * frontier.length)];
}

// The data side of search and plan: phases as signals, operations on states, and when a run ends.
export class TreeSide {
  constructor(algorithm, task) {
    this.backtracks = algorithm.name === "plan";
    this.count = algorithm.signals.length;
    this.task = task;
    this.word = task.start; // d_o of the tick before
    this.second = 0; // c2': 0 until the goal was met
    this.status = "running";
    this.emitted = [];
  }

  get done() {
    return this.status !== "running";
  }

  // c1 = (1 - I) - c2', c2 = I + c2', c3 = I c2'
  observe() {
    const equal = (this.second > 0 ? this.word === this.task.start : isMet(this.task, this.word)) ? 1 : 0;
    const signals = [1 - equal - this.second, equal + this.second, equal * this.second].slice(0, this.count);
    this.second = signals[1];
    return [signals, this.word];
  }

  act(op, stored) {
    const met = this.second > 0,
      stopped = op === NOP;
    this.word = stopped ? stored : this.task.world.step(stored, op);
    if (met) this.emitted.push(stored);
    if (met && (this.backtracks ? this.word === this.task.start : stopped)) this.status = "finished";
    else if (stopped && !met) this.status = "stopped without goal";
    return undefined;
  }

  snapshot() {
    return { made: this.word, met: this.second > 0, written: this.emitted.length };
  }

  plan() {
    return this.backtracks && this.status === "finished" ? planOf(this.task, this.emitted) : null;
  }
}

// The data side of graph-plan: one more signal, for a word that was made before, and a queue that can run dry.
export class GraphSide {
  constructor(algorithm, task) {
    this.task = task;
    this.word = task.start;
    this.met = false;
    this.status = "running";
    this.emitted = [];
    this.applied = new Map(); // a state that was made -> bits of the operations applied to it
    this.pairs = 0; // operations applied, to all of them
  }

  get done() {
    return this.status !== "running";
  }

  observe() {
    const seen = this.applied.has(this.word);
    if (!seen) this.applied.set(this.word, 0);
    this.met ||= isMet(this.task, this.word);
    return [[this.met ? 0 : 1, this.met ? 1 : 0, seen ? 1 : 0], this.word];
  }

  // Before the goal was met a search never stops, nor applies an operation twice to one state: that ends the run.
  act(op, stored) {
    const bits = this.applied.get(stored) ?? 0,
      bit = 1 << op;
    if (!this.met && (op === NOP || bits & bit)) {
      this.status = this.pairs === NOP * this.applied.size ? "dry" : "stopped without goal";
      return undefined;
    }
    if (op !== NOP) {
      this.applied.set(stored, bits | bit);
      this.pairs += 1;
    }
    this.word = op === NOP ? stored : this.task.world.step(stored, op);
    if (!this.met) return undefined;
    this.emitted.push(stored);
    if (this.word === this.task.start) this.status = "finished";
    return undefined;
  }

  snapshot() {
    return { made: this.word, met: this.met, written: this.emitted.length };
  }

  plan() {
    return planOf(this.task, this.emitted);
  }
}

// The operations that lead through states, given from goal to start; null if there are none that do.
function planOf(task, emitted) {
  const states = [...emitted].reverse();
  const ops = [];
  for (let i = 1; i < states.length; i++) {
    const op = [0, 1, 2, 3].find((k) => task.world.step(states[i - 1], k) === states[i]);
    if (op === undefined) return null;
    ops.push(op);
  }
  return states[0] === task.start && isMet(task, states[states.length - 1]) ? ops : null;
}
