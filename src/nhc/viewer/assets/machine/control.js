// The learned half of a tick: controller, memory interface and Transform_C.
//
// What they compute depends on three things alone: the signals, the control word read last, and the operation
// chosen last. Control words are signs, so such states are few, and each is computed once and kept.

import { CERTAIN, UNIT, exact, joined, largest, linear, margin, smaller, tanh } from "./linear.js";

export const NONE = -1;
export const MECHANISMS = [
  "content",
  "temporal forward",
  "temporal backward",
  "usage forward",
  "usage backward",
];

// What the learned program calls the cells that they name.
export const SHORT_NAMES = ["first", "next", "previous", "child", "parent"];

// Little-endian float32 values, eight weights to 32 bytes, as base64.
export function decodeWeights(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

// A word code has bit j set where value j is +1; NONE is the zero word before the first tick.
export function wordValues(code, size) {
  return Array.from({ length: size }, (_, j) => (code === NONE ? 0 : (code >> j) & 1 ? 1 : -1));
}

export class Control {
  constructor(model) {
    Object.assign(this, model.machine); // signals, ops, word_size, hidden, usage_link, gated
    this.blocks = model.blocks; // name, rows, inputs and weights of each, in storage order
    const rows = this.blocks.map((block) => {
      const weights = decodeWeights(block.weights),
        width = block.inputs + 1;
      return Array.from({ length: block.rows }, (_, i) => weights.subarray(i * width, (i + 1) * width));
    });
    this.controllerRows = rows[0];
    this.interfaceRows = rows.slice(1, -1).flat();
    this.transformRows = rows[rows.length - 1];
    this.states = new Map();
  }

  // c_c = tanh(W [c_i, c_m', c_f'] + b)
  controller(signals, word, op) {
    const lastOp = Array.from({ length: this.ops }, (_, i) => (i === op ? 1 : 0));
    const inputs = exact([...signals, ...wordValues(word, this.word_size), ...lastOp]);
    return tanh(linear(this.controllerRows, inputs));
  }

  // xi = W [c_i, c_c] + b, cut into named vectors.
  memoryInterface(signals, hidden) {
    const vector = linear(this.interfaceRows, joined(exact(signals), hidden));
    const parts = {};
    let row = 0;
    for (const block of this.blocks.slice(1, -1)) {
      const cut = (values) => values.subarray(row, row + block.rows);
      parts[block.name.replace("interface.", "")] = { value: cut(vector.value), error: cut(vector.error) };
      row += block.rows;
    }
    return parts;
  }

  // c_f = argmax(W [c_c, c_m, c_i] + b)
  transformC(hidden, word, signals) {
    const inputs = joined(hidden, exact(wordValues(word, this.word_size)), exact(signals));
    const values = linear(this.transformRows, inputs);
    const { best, margin: sure } = largest(
      "operation",
      values,
      values.value.map((_, i) => i),
    );
    return { op: best, margin: sure, values: values.value };
  }

  // Everything at one state that does not depend on memory.
  at(signals, word, op) {
    const key = `${signals.join(" ")}|${word}|${op}`;
    let state = this.states.get(key);
    if (!state) {
      const hidden = this.controller(signals, word, op);
      const parts = this.memoryInterface(signals, hidden);
      const constrained = signWord("constrained word", parts["constrained.word"]);
      const fresh = signWord("new word", parts["write.word"]);
      const gate = this.gated ? openGate(parts["write.gate"]) : { open: true, margin: CERTAIN };
      state = {
        key,
        signals,
        word,
        op,
        hidden,
        constrained,
        fresh,
        gate,
        modes: parts["read.modes"],
        scores: contentScores(parts["read.key"], this.word_size),
        chosen: new Map(),
      };
      this.states.set(key, state);
    }
    return state;
  }

  // The operation at a state, once a word was read.
  chosen(state, word) {
    if (!state.chosen.has(word)) state.chosen.set(word, this.transformC(state.hidden, word, state.signals));
    return state.chosen.get(word);
  }
}

// M_j = 1 if v_j > 0 else -1
function signWord(kind, values) {
  let code = 0,
    sure = CERTAIN;
  values.value.forEach((value, j) => {
    if (value > 0) code |= 1 << j;
    sure = smaller(sure, margin(kind, Math.abs(value), values.error[j]));
  });
  return { code, margin: sure };
}

// Open at > 0.
function openGate(values) {
  const [value] = values.value;
  return { open: value > 0, margin: margin("write gate", Math.abs(value), values.error[0]) };
}

// Sum of key_j M_j for every word that there can be, and one bound for all of them.
function contentScores(key, size) {
  const gamma = (size * UNIT) / (1 - size * UNIT);
  const bound = key.value.reduce((sum, k, j) => sum + key.error[j] + gamma * (Math.abs(k) + key.error[j]), 0);
  const value = new Float64Array(2 ** size);
  for (let code = 0; code < value.length; code++) {
    for (let j = 0; j < size; j++) value[code] += (code >> j) & 1 ? key.value[j] : -key.value[j];
  }
  return { value, bound };
}
