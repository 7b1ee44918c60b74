// A run of the machine on a task, tick by tick, and what memory held at any tick.
//
// Every tick is kept, so going back is looking up, and a jump shows what stepping there shows.

import { NONE } from "./control.js";
import { Machine, NothingInMemory, UnsureDecision } from "./tick.js";
import { TapeSide, TooLarge } from "../worlds/tapes.js";
import { answerText, readTask } from "../worlds/notation.js";
import { GraphSide, NOP, TreeSide, readPlanningTask } from "../worlds/planning.js";

export const MOST_TICKS = 200000;
const EXPECTED = [UnsureDecision, NothingInMemory, TooLarge]; // what may end a run before its data side does
const TRIED = 8; // 4 + 16 + ... + 4^8 = 87,380 nodes

const PLANNERS = { search: TreeSide, plan: TreeSide, "graph-plan": GraphSide };

export const isPlanning = (algorithm) => algorithm.name in PLANNERS;

export function taskOf(algorithm, text) {
  return isPlanning(algorithm) ? readPlanningTask(text) : readTask(algorithm.name, text);
}

export class Run {
  constructor(model, task, most = MOST_TICKS) {
    this.model = model;
    this.most = most; // ticks
    this.task = task;
    this.planning = isPlanning(model.algorithm);
    const Side = PLANNERS[model.algorithm.name];
    this.side = Side ? new Side(model.algorithm, task) : new TapeSide(model.algorithm.name, task);
    this.machine = new Machine(model);
    this.ticks = []; // tick t is ticks[t - 1]
    this.born = []; // by cell: the tick that wrote it
    this.visits = []; // by cell: the ticks that read it, ascending
    this.ending = null; // why there are no more ticks
    this.smallest = null; // the smallest margin so far
    this.metAt = null; // the tick that saw the goal
  }

  get length() {
    return this.ticks.length;
  }

  // Run on for at most so many ticks, or milliseconds.
  extend(last, milliseconds = Infinity) {
    const until = performance.now() + milliseconds;
    while (!this.ending && this.length < last) {
      this.advance();
      if (this.length % 64 === 0 && performance.now() > until) break;
    }
    return this;
  }

  advance() {
    try {
      const [signals, data] = this.side.observe();
      const before = this.side.snapshot();
      const tick = this.machine.tick(signals, data);
      if (tick.written !== NONE) {
        this.born.push(this.length + 1);
        this.visits.push([]);
      }
      const wrote = this.side.act(tick.op, tick.data);
      const { count } = this.machine.memory;
      this.ticks.push({ ...tick, count, signals, stored: data, before, after: this.side.snapshot(), wrote });
      this.visits[tick.address].push(this.length);
      if (!this.smallest || tick.margin.ratio < this.smallest.ratio) this.smallest = tick.margin;
      if (this.planning && this.metAt === null && signals[1] > 0) this.metAt = this.length;
    } catch (error) {
      if (!EXPECTED.some((kind) => error instanceof kind)) throw error;
      this.ending = { kind: "stopped", text: `Stopped at tick ${this.length + 1}: ${error.message}` };
      return;
    }
    if (this.side.done) this.ending = this.planning ? this.planningEnding() : this.tapeEnding();
    else if (this.length >= this.most) this.ending = { kind: "stopped", text: this.stoppedText() };
  }

  // A planner that is proved to be breadth-first search has tried all short plans by now.
  stoppedText() {
    const text = `Stopped after ${this.most.toLocaleString("en")} ticks.`;
    return this.side instanceof TreeSide && this.model.sections.length
      ? `${text} No plan of up to ${TRIED} moves leads there.`
      : text;
  }

  tapeEnding() {
    const answer = answerText(this.model.algorithm.name, this.task, this.side.written);
    return { kind: "ended", answer, text: `Answer: ${answer || "nothing"}` };
  }

  planningEnding() {
    if (this.side.status === "dry") {
      const text = "The queue ran dry: everything that can be reached was made, and the goal was not.";
      return { kind: "ended", answer: "unreachable", text };
    }
    if (this.side.status !== "finished")
      return { kind: "failed", text: "The machine stopped without the goal." };
    if (this.side.backtracks === false)
      return { kind: "ended", answer: "goal found", text: "The goal was found." };
    const ops = this.side.plan();
    if (!ops) return { kind: "failed", text: "What the machine read on its way back is no plan." };
    const arrows = ops.map((op) => (this.task.world.signs ?? "↑→↓←")[op]).join(" ");
    return { kind: "ended", answer: arrows, ops, text: `Plan: ${arrows || "nothing to do"}` };
  }

  at(tick) {
    return this.ticks[tick - 1];
  }

  // The tick whose result a cell holds; undefined for the first cell.
  maker(cell) {
    return this.at(this.born[cell] - 1);
  }

  // The cell of the goal, NONE before the tick that sees it.
  goalAt(tick) {
    return this.metAt !== null && this.metAt <= tick ? this.at(this.metAt).written : NONE;
  }

  // Memory after a tick. The cell that a tick reads is marked by the next tick.
  memoryAt(tick) {
    return new MemoryThen(this, tick);
  }
}

class MemoryThen {
  constructor(run, tick) {
    this.run = run;
    this.tick = tick;
    this.count = run.at(tick).count;
  }

  // The last tick before this one that read a cell, NONE if there is none.
  lastVisit(cell) {
    const visits = this.run.visits[cell];
    let low = 0,
      high = visits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (visits[middle] < this.tick) low = middle + 1;
      else high = middle;
    }
    return low ? visits[low - 1] : NONE;
  }

  code(cell) {
    const visit = this.lastVisit(cell);
    const { run } = this;
    if (visit === NONE) return run.at(run.born[cell]).state.fresh.code;
    return run.at(visit + 1).state.constrained.code;
  }

  data(cell) {
    return this.run.at(this.run.born[cell]).stored;
  }

  next(cell) {
    return cell + 1 < this.count ? cell + 1 : NONE;
  }

  previous(cell) {
    return cell - 1;
  }

  // A cell's origin is the cell that was read before it was written.
  parent(cell) {
    return cell === 0 ? NONE : this.run.maker(cell).address;
  }

  // The operations applied to a cell's state so far, and the cells that hold what they made; NOP makes nothing.
  applied(cell) {
    const made = [];
    for (const visit of this.run.visits[cell]) {
      if (visit >= this.tick) break;
      if (this.run.at(visit).op !== NOP) made.push(this.run.at(visit + 1).written);
    }
    return made;
  }

  // Search and plan: the nodes that operations made of a cell's state.
  children(cell) {
    return this.applied(cell).filter((made) => made !== NONE);
  }
}

// Does something happen at a tick that a person may want to stop at?
export function breaksAt(run, tick, wanted) {
  const now = run.at(tick),
    before = run.at(tick - 1);
  if (!now || !before) return false;
  if (wanted.mechanism && now.winner !== before.winner) return true;
  if (wanted.signals && String(now.signals) !== String(before.signals)) return true;
  return Boolean(wanted.word) && run.model.names[now.word] === wanted.word;
}

// The first tick at which two runs do not do the same; null if there is none so far.
export function firstDifference(a, b) {
  const both = Math.min(a.length, b.length);
  for (let t = 1; t <= both; t++) {
    if (a.at(t).op !== b.at(t).op || a.at(t).address !== b.at(t).address) return t;
  }
  const ended = Boolean(a.ending) && Boolean(b.ending);
  return ended && a.length !== b.length ? both + 1 : null;
}
