// The memory: control words with an index from words to cells, data words, and links between cells.

import { CERTAIN, margin, smaller } from "./linear.js";
import { NONE } from "./control.js";

export class Memory {
  constructor(wordSize) {
    this.codes = []; // control word of each cell
    this.data = [];
    // Links: the cells written after and before a cell, its origin, and the last cell it was origin of.
    this.next = [];
    this.previous = [];
    this.parent = [];
    this.child = [];
    this.last = NONE;
    // How many cells hold a word, and the lowest of them, or one below.
    this.holders = new Int32Array(2 ** wordSize);
    this.lowest = new Int32Array(2 ** wordSize);
  }

  get count() {
    return this.codes.length;
  }

  // Rewrite the control word at the address read last; data and links stay.
  constrainedWrite(address, code) {
    if (address === NONE) return;
    this.holders[this.codes[address]] -= 1;
    this.codes[address] = code;
    this.hold(address, code);
  }

  // Write data and a control word into a new cell, and link it.
  freeWrite(previous, data, code) {
    const cell = this.count;
    this.codes.push(code);
    this.data.push(data);
    this.hold(cell, code);
    this.appendTemporal(cell);
    this.linkUsage(cell, previous);
    return cell;
  }

  hold(cell, code) {
    this.lowest[code] = this.holders[code] === 0 ? cell : Math.min(cell, this.lowest[code]);
    this.holders[code] += 1;
  }

  appendTemporal(cell) {
    if (this.last !== NONE) this.next[this.last] = cell;
    this.next.push(NONE);
    this.previous.push(this.last);
    this.last = cell;
  }

  linkUsage(cell, source) {
    this.parent.push(source);
    this.child.push(NONE);
    if (source !== NONE) this.child[source] = cell;
  }

  // The cell whose word the key likes best, the lowest on ties; and how sure that is.
  lookup(scores) {
    let best = NONE,
      sure = CERTAIN;
    for (let code = 0; code < this.holders.length; code++) {
      if (this.holders[code] > 0 && (best === NONE || scores.value[code] > scores.value[best])) best = code;
    }
    for (let code = 0; code < this.holders.length; code++) {
      if (this.holders[code] === 0 || code === best) continue;
      sure = smaller(sure, margin("content", scores.value[best] - scores.value[code], scores.bound));
    }
    if (best === NONE) return { address: NONE, margin: sure };
    while (this.codes[this.lowest[best]] !== best) this.lowest[best] += 1;
    return { address: this.lowest[best], margin: sure };
  }

  // What each of the five mechanisms names relative to the address read last.
  namedAddresses(scores, previous, usageLink) {
    const linked = (column) => (previous === NONE ? NONE : column[previous]);
    const usage = usageLink ? [linked(this.child), linked(this.parent)] : [NONE, NONE];
    const content = this.lookup(scores);
    return {
      addresses: [content.address, linked(this.next), linked(this.previous), ...usage],
      contentMargin: content.margin,
    };
  }
}
