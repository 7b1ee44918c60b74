// One tick of the machine, in the order of its stages.

import { CERTAIN, SURE, largest, smaller } from "./linear.js";
import { Control, NONE } from "./control.js";
import { Memory } from "./memory.js";

// A decision that float32 arithmetic might take in another way.
export class UnsureDecision extends Error {
  constructor({ kind, gap, bound }) {
    super(
      `the machine stands between two decisions (${kind}): they differ by ${gap.toPrecision(2)}, and float32 ` +
        `arithmetic may be off by ${bound.toPrecision(2)}. Other computers may go on in another way, so this ` +
        "page does not go on.",
    );
    this.name = "UnsureDecision";
  }
}

// The first ticks stored nothing, so there is nothing to read.
export class NothingInMemory extends Error {
  constructor() {
    super("the machine stored nothing, so there is nothing to read.");
    this.name = "NothingInMemory";
  }
}

export class Machine {
  constructor(model) {
    this.control = new Control(model);
    this.begin();
  }

  // The state before the first tick.
  begin() {
    this.memory = new Memory(this.control.word_size);
    this.word = NONE; // c_m'
    this.op = NONE; // c_f'
    this.address = NONE; // r'
  }

  // Advance by one tick: `data` is the word to store, `signals` is what the data side shows.
  tick(signals, data) {
    const { control, memory } = this;
    const state = control.at(signals, this.word, this.op);
    memory.constrainedWrite(this.address, state.constrained.code);
    const written = state.gate.open ? memory.freeWrite(this.address, data, state.fresh.code) : NONE;
    if (memory.count === 0) throw new NothingInMemory();
    const named = memory.namedAddresses(state.scores, this.address, control.usage_link);
    const { winner, address, margin: readMargin } = strongest(state.modes, named);
    const word = memory.codes[address];
    const chosen = control.chosen(state, word);

    let sure = this.address === NONE ? CERTAIN : state.constrained.margin;
    const fresh = state.gate.open ? state.fresh.margin : CERTAIN;
    for (const each of [fresh, state.gate.margin, readMargin, chosen.margin]) sure = smaller(sure, each);
    if (!(sure.ratio > SURE)) throw new UnsureDecision(sure);

    this.word = word;
    this.op = chosen.op;
    this.address = address;
    return {
      state,
      written,
      winner,
      address,
      word,
      margin: sure,
      addresses: named.addresses,
      op: chosen.op,
      data: memory.data[address],
    };
  }
}

// The strongest mechanism that has an address. Those that name its cell too need not be told apart from it.
function strongest(modes, { addresses, contentMargin }) {
  const voting = [0, 1, 2, 3, 4].filter((m) => addresses[m] !== NONE);
  const { best } = largest("read mechanism", modes, voting);
  const address = addresses[best];
  const rivals = voting.filter((m) => m === best || addresses[m] !== address);
  let { margin } = largest("read mechanism", modes, rivals);
  const agreed = voting.some((m) => m !== 0 && addresses[m] === address && m === best);
  if (!agreed) margin = smaller(margin, contentMargin);
  return { winner: best, address, margin };
}
