// The data sides of the algorithms on sequences: two functions over a tape and registers for each.
//
// They mirror `observe_*` and `act_*` of the package. Words are whole numbers; a number beyond what JavaScript
// holds exactly ends the run with a message.

export const LARGEST = 2 ** 52;
// Words that are no symbols. Any numbers do that no symbol has.
export const [BLANK, START, END, NIL, PLUS, MINUS, TIMES] = [0, 1, 2, 3, 4, 5, 6].map(
  (k) => k - Number.MAX_SAFE_INTEGER,
);
export const NOTHING = undefined;
const EMPTY = LARGEST + 1;

export class TooLarge extends Error {
  constructor() {
    super("a number got too large for this page, beyond 2 to the power of 52; nhc run can do it");
    this.name = "TooLarge";
  }
}

// The next word of the input, if there is one.
function nextWord(tape, r) {
  return r.position < tape.length ? tape[r.position++] : NOTHING;
}

const stream = {
  observe(tape, r) {
    const word = nextWord(tape, r);
    return word === NOTHING ? [[1], BLANK] : [[0], word];
  },
  act(op, word, tape, r) {
    r.done = op === 2;
    return op === 1 ? word : NOTHING;
  },
};

const repeat = {
  observe(tape, r) {
    const zero = r.counter === 0 ? 1 : 0;
    const word = nextWord(tape, r);
    return word === NOTHING ? [[1, zero], BLANK] : [[0, zero], word];
  },
  act(op, word, tape, r) {
    if (op === 2) r.counter -= 1;
    r.done = op === 3;
    return op === 1 ? word : NOTHING;
  },
};

// Nothing; or write 1 to accept, else 0, which ends the run.
function verdict(op, word, tape, r) {
  r.done = op !== 0;
  return op === 0 ? NOTHING : Number(op === 1);
}

const brackets = {
  observe(tape, r) {
    const token = nextWord(tape, r);
    if (token === NOTHING) return [[0, 0, 1, 0], BLANK];
    if (token === START) return [[0, 0, 0, 0], token];
    if (token > 0) return [[1, 0, 0, 0], token];
    return [[0, 1, 0, -token === r.read ? 1 : 0], token];
  },
  act(op, word, tape, r) {
    r.read = word;
    return verdict(op, word, tape, r);
  },
};

const counts = {
  observe(tape, r) {
    const place = r.position;
    const letter = nextWord(tape, r);
    if (letter === NOTHING) return [[0, 0, 0, 1], BLANK];
    if (letter === START) return [[0, 0, 0, 0], START];
    return [[0, 1, 2, 3].map((k) => (k === letter ? 1 : 0)), place];
  },
  act: verdict,
};

const postfix = {
  observe(tape, r) {
    if (r.fedBack) return [[0, 0, 0], r.value];
    const token = nextWord(tape, r);
    if (token === NOTHING) return [[0, 0, 1], END];
    if (token === START) return [[0, 0, 0], token];
    if (token === PLUS || token === MINUS || token === TIMES) {
      r.latch = token;
      return [[0, 1, 0], token];
    }
    return [[1, 0, 0], token];
  },
  act(op, word, tape, r) {
    const [NEXT, APPLY, HOLD, STOP] = [0, 1, 2, 3];
    let value = r.value;
    r.fedBack = op === APPLY || op === HOLD;
    r.done = op === STOP;
    if (op === NEXT) r.value = word;
    if (op === APPLY) {
      value = r.latch === PLUS ? word + value : r.latch === MINUS ? word - value : word * value;
      if (Math.abs(value) > LARGEST) throw new TooLarge();
      r.value = value + 0; // never -0
    }
    return op === STOP ? value : NOTHING;
  },
};

const preorder = {
  observe(tape, r) {
    return [[r.fedBack === NIL ? 1 : 0], r.fedBack];
  },
  act(op, word, tape, r) {
    let child = BLANK;
    if (op < 2) child = 2 * word + op >= 0 && 2 * word + op < tape.length ? tape[2 * word + op] : NIL;
    r.fedBack = child;
    r.done = op === 3;
    return op === 0 ? word : NOTHING;
  },
};

const add = {
  observe(tape, r) {
    const word = nextWord(tape, r);
    if (word === NOTHING) return [[0, 1, r.carry ? 1 : 0], END];
    return [[word === PLUS ? 1 : 0, 0, 0], word];
  },
  act(op, word, tape, r) {
    if (op === 1) r.addend = word;
    if (op !== 2 && op !== 3) return NOTHING;
    r.done = r.addend < 0 && word < 0;
    const total = Math.max(r.addend, 0) + Math.max(word, 0) + (op === 3 ? 1 : 0);
    r.carry = total >= r.base ? 1 : 0;
    return r.done && op === 2 ? NOTHING : total % r.base;
  },
};

// The words to store; then whether the word read last equals the query, or no query is left.
function lookup(tape, r) {
  if (r.position < r.stored) return [[0, 0, 0], nextWord(tape, r)];
  r.asked = 1;
  if (r.position === tape.length) return [[1, 0, 1], BLANK];
  return [[1, tape[r.position] === r.read ? 1 : 0, 0], BLANK];
}

const intersect = {
  observe: lookup,
  act(op, word, tape, r) {
    const place = r.position;
    r.read = r.asked ? word : BLANK;
    r.done = op === 3;
    if (!r.asked || (op !== 1 && op !== 2) || place >= tape.length) return NOTHING;
    r.position += 1;
    return op === 1 ? tape[place] : NOTHING;
  },
};

const recall = {
  observe: lookup,
  act(op, word, tape, r) {
    r.read = r.asked ? word : BLANK;
    r.done = op === 3;
    if (op !== 1 && op !== 2) return NOTHING;
    if (r.asked && r.position < tape.length) r.position += 1;
    return op === 1 ? word : NIL;
  },
};

const sort = {
  observe(tape, r) {
    const word = nextWord(tape, r);
    return word === NOTHING ? [[1, r.flag ? 1 : 0], BLANK] : [[0, 0], word];
  },
  act(op, word, tape, r) {
    r.flag = 0;
    r.done = op === 3;
    if (op === 1 && word < r.least) {
      r.least = word;
      r.flag = 1;
    }
    if (op !== 2) return NOTHING;
    r.least = EMPTY;
    return word;
  },
};

// By the name of the algorithm: its functions, and its own registers before the first tick.
const verdicts = () => ({ read: BLANK });
const lookups = ({ stored }) => ({ stored, read: BLANK, asked: 0 });
export const SIDES = {
  copy: { ...stream },
  reverse: { ...stream },
  duplicate: { ...stream },
  "every-second": { ...stream },
  "odds-first": { ...stream },
  hanoi: { ...stream },
  repeat: { ...repeat, registers: ({ times }) => ({ counter: times }) },
  brackets: { ...brackets, registers: verdicts },
  counts: { ...counts, registers: () => ({}) },
  postfix: { ...postfix, registers: () => ({ value: 0, latch: 0, fedBack: false }) },
  preorder: { ...preorder, registers: () => ({ fedBack: 0 }) },
  add: { ...add, registers: ({ base }) => ({ base, addend: 0, carry: 0 }) },
  intersect: { ...intersect, registers: lookups },
  recall: { ...recall, registers: lookups },
  sort: { ...sort, registers: () => ({ least: EMPTY, flag: 0 }) },
};

// One run on a tape: what the machine is shown, and what becomes of what it chose.
export class TapeSide {
  constructor(name, task) {
    this.functions = SIDES[name];
    this.tape = task.tape;
    this.registers = { done: false, position: 0, ...this.functions.registers?.(task) };
    this.written = [];
  }

  get done() {
    return this.registers.done;
  }

  observe() {
    return this.functions.observe(this.tape, this.registers);
  }

  act(op, word) {
    const written = this.functions.act(op, word, this.tape, this.registers);
    if (written !== NOTHING) this.written.push(written);
    return written;
  }

  // What can change, for showing it later.
  snapshot() {
    return { ...this.registers, written: this.written.length };
  }
}
