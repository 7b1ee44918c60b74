// How a person writes a task for an algorithm on sequences, and reads its words.
//
// `readTask(algorithm, text)` gives { tape, names, glue, ... } or throws a TaskError that says what was expected.

import { BLANK, END, LARGEST, MINUS, NIL, PLUS, START, TIMES } from "./tapes.js";

export class TaskError extends Error {
  constructor(expected, found) {
    super(`expected ${expected}, found ${found}`);
    this.name = "TaskError";
  }
}

const MARKS = new Map([
  [BLANK, "blank"],
  [START, "start"],
  [END, "end"],
  [NIL, "nil"],
  [PLUS, "+"],
  [MINUS, "-"],
  [TIMES, "*"],
]);
const CODES = { "+": PLUS, "-": MINUS, "*": TIMES };
const PAIRS = [..."()[]{}<>«»‹›⟨⟩⟦⟧⟪⟫「」『』【】〈〉《》"];
const MOST_DISKS = 60;

const wordsOf = (text) => text.match(/\S+/gu) ?? [];

function whole(text, least, most) {
  const number = /^[+-]?\d{1,40}$/.test(text) ? Number(text) : NaN;
  if (!(number >= least && number <= most)) {
    throw new TaskError(
      `a whole number from ${least.toLocaleString("en")} to ${most.toLocaleString("en")}`,
      text,
    );
  }
  return number + 0;
}

// Each symbol's number, 1, 2, ... in the order in which they first come.
function numbered(symbols) {
  const numbers = new Map();
  for (const symbol of symbols) if (!numbers.has(symbol)) numbers.set(symbol, numbers.size + 1);
  return numbers;
}

const namesOf = (numbers) => new Map([...numbers].map(([symbol, number]) => [number, symbol]));

// Words where there are blanks, else signs; "in quotes" is taken sign by sign.
function symbolsOf(text) {
  const quoted = /^\s*"(.*)"\s*$/u.exec(text);
  const words = wordsOf(text);
  const bySign = quoted !== null || words.length === 1;
  const symbols = quoted ? [...quoted[1]] : bySign ? [...words[0]] : words;
  if (symbols.length === 0) throw new TaskError("at least one symbol", "none");
  return { symbols, glue: bySign ? "" : " " };
}

function readSymbols(text) {
  const { symbols, glue } = symbolsOf(text);
  const numbers = numbered(symbols);
  return { tape: symbols.map((symbol) => numbers.get(symbol)), names: namesOf(numbers), glue };
}

// Numbers as they are, words by their places among all words in order.
function readOrdered(text) {
  const words = wordsOf(text);
  if (words.length && words.every((word) => /^[+-]?\d+$/.test(word))) {
    const tape = words.map((word) => whole(word, -LARGEST, LARGEST));
    return { tape: [START, ...tape], names: new Map(), glue: " " };
  }
  const { symbols, glue } = symbolsOf(text);
  const numbers = numbered([...new Set(symbols)].sort(byCodePoints));
  return { tape: [START, ...symbols.map((symbol) => numbers.get(symbol))], names: namesOf(numbers), glue };
}

function byCodePoints(a, b) {
  const [first, second] = [[...a], [...b]].map((signs) => signs.map((sign) => sign.codePointAt(0)));
  const place = first.findIndex((code, i) => code !== second[i]);
  if (place < 0) return first.length - second.length;
  return second[place] === undefined ? 1 : first[place] - second[place];
}

function readRepeat(text) {
  const [count, ...words] = wordsOf(text);
  if (count === undefined) throw new TaskError("how often, then symbols", "none");
  const times = whole(count, 0, LARGEST);
  const symbols = words.length === 1 ? [...words[0]] : words;
  if (symbols.length === 0) throw new TaskError("at least one symbol after the number", "none");
  const numbers = numbered(symbols);
  const tape = symbols.map((symbol) => numbers.get(symbol));
  return { tape, times, names: namesOf(numbers), glue: words.length === 1 ? "" : " " };
}

function readBrackets(text) {
  const code = (place) => (place % 2 ? -1 : 1) * (Math.floor(place / 2) + 1);
  const tokens = [...text]
    .filter((sign) => sign.trim())
    .map((sign) => {
      if (!PAIRS.includes(sign)) throw new TaskError(`a bracket, one of ${PAIRS.join("")}`, `“${sign}”`);
      return code(PAIRS.indexOf(sign));
    });
  return { tape: [START, ...tokens], names: new Map(PAIRS.map((sign, place) => [code(place), sign])) };
}

function readLetters(text) {
  const letters = [...text].filter((sign) => sign.trim());
  const tape = letters.map((letter) => {
    if (!"abc".includes(letter)) throw new TaskError("a, b or c", `“${letter}”`);
    return "abc".indexOf(letter);
  });
  const names = new Map(letters.map((letter, place) => [place + 1, `${place + 1}:${letter}`]));
  const shown = (place, word) => (word === START ? "start" : "abc"[word]);
  return { tape: [START, ...tape], names, shown };
}

function readPostfix(text) {
  const words = wordsOf(text);
  if (words.length === 0) throw new TaskError("an expression", "none");
  let height = 0;
  const tokens = words.map((word) => {
    if (word in CODES) {
      if (height < 2) throw new TaskError(`two values before ${word}`, height);
      height -= 1;
      return CODES[word];
    }
    if (!/^[+-]*\d+$/.test(word)) throw new TaskError("a whole number or one of + - *", `“${word}”`);
    height += 1;
    return whole(word, -LARGEST, LARGEST);
  });
  if (height !== 1) throw new TaskError("one value at the end", height);
  return { tape: [START, ...tokens], names: new Map() };
}

function readSum(text) {
  const numbers = wordsOf(text);
  if (numbers.length !== 2) throw new TaskError("two numbers", numbers.length);
  for (const number of numbers) {
    if (!/^\d+$/.test(number)) throw new TaskError("a number of digits only", `“${number}”`);
  }
  const [first, second] = numbers.map((number) => [...number].reverse().map(Number));
  return { tape: [...first, PLUS, ...second], base: 10, names: new Map() };
}

function readDisks(text) {
  const words = wordsOf(text);
  if (words.length !== 1) throw new TaskError("one number of disks", words.length);
  const disks = whole(words[0], 1, MOST_DISKS);
  return { tape: Array.from({ length: disks }, (_, i) => i + 1), names: new Map(), glue: " ", disks };
}

function twoLists(text) {
  const words = wordsOf(text),
    place = words.indexOf("/");
  if (words.filter((word) => word === "/").length !== 1) {
    throw new TaskError("one / between two lists", words.filter((word) => word === "/").length);
  }
  if (place === 0) throw new TaskError("words before the slash", "none");
  return [words.slice(0, place), words.slice(place + 1)];
}

function readLookup(text) {
  const [stored, queries] = twoLists(text);
  const numbers = numbered([...stored, ...queries]);
  const tape = [START, ...[...stored, ...queries].map((word) => numbers.get(word))];
  return { tape, stored: 1 + stored.length, names: namesOf(numbers), glue: " " };
}

function readRecall(text) {
  const [pairs, queries] = twoLists(text);
  for (const pair of pairs) if (!/^[^=]+=[^=]+$/u.test(pair)) throw new TaskError("KEY=VALUE", `“${pair}”`);
  const stored = pairs.flatMap((pair) => pair.split("="));
  const numbers = numbered([...stored, ...queries]);
  const tape = [START, ...[...stored, ...queries].map((word) => numbers.get(word))];
  return { tape, stored: 1 + stored.length, names: namesOf(numbers), glue: " " };
}

// `a(b(d,),c)`, sign by sign and without recursion: trees may be deep.
function readTree(text) {
  const children = [],
    names = new Map(),
    inside = [];
  let newest = -1,
    closed = false;
  const fault = (found) => new TaskError("a tree such as a(b(d,),c)", found);
  for (const token of text.match(/[^\s(),]+|[(),]/gu) ?? []) {
    const open = inside[inside.length - 1];
    if (token === "(" && newest >= 0) {
      inside.push({ node: newest, side: 0 });
      newest = -1;
    } else if (token === "," && open && open.side === 0) {
      open.side = 1;
      newest = -1;
      closed = false;
    } else if (token === ")" && open && open.side === 1) {
      inside.pop();
      newest = -1;
      closed = true;
    } else if (!"(),".includes(token) && newest < 0 && !closed && (open || children.length === 0)) {
      newest = children.length;
      children.push([-1, -1]);
      names.set(newest, token);
      if (open) children[open.node][open.side] = newest;
    } else {
      throw fault(`“${token}”`);
    }
  }
  if (inside.length || children.length === 0) throw fault("the end");
  return { tape: children.flat().map((node) => (node < 0 ? NIL : node)), names, glue: " ", children };
}

const READERS = {
  copy: readSymbols,
  reverse: readSymbols,
  duplicate: readSymbols,
  "every-second": readSymbols,
  "odds-first": readSymbols,
  repeat: readRepeat,
  brackets: readBrackets,
  postfix: readPostfix,
  preorder: readTree,
  add: readSum,
  hanoi: readDisks,
  intersect: readLookup,
  recall: readRecall,
  sort: readOrdered,
  counts: readLetters,
};

export function readTask(algorithm, text) {
  return { glue: " ", ...READERS[algorithm](text), text };
}

// A word as a person reads it.
export function wordName(task, word) {
  return task.names.get(word) ?? MARKS.get(word) ?? String(word);
}

// What a run wrote, as one line.
export function answerText(algorithm, task, written) {
  if (algorithm === "brackets" || algorithm === "counts") {
    return written.length === 1 && written[0] === 1 ? "yes" : "no";
  }
  if (algorithm === "add")
    return (
      [...written]
        .reverse()
        .join("")
        .replace(/^0+(?=\d)/, "") || "0"
    );
  const name = (word) => (algorithm === "recall" && word === NIL ? "-" : wordName(task, word));
  return written.map(name).join(algorithm === "postfix" ? " " : task.glue);
}

// An input that somebody might have typed.
export function randomTask(algorithm, random) {
  const below = (n) => Math.floor(random() * n);
  const letters = (n) => Array.from({ length: n }, () => "abcdefghijklmnopqrstuvwxyz"[below(26)]);
  const some = (n) => Array.from({ length: n }, () => 1 + below(9));
  switch (algorithm) {
    case "repeat":
      return `${below(4)} ${letters(2 + below(3)).join("")}`;
    case "brackets":
      return randomBrackets(below);
    case "counts":
      return "abc"
        .split("")
        .map((sign) => sign.repeat(2 + (below(4) === 0)))
        .join("");
    case "postfix":
      return randomPostfix(below);
    case "preorder":
      return randomTree(below);
    case "add":
      return `${1 + below(9999)} ${1 + below(999)}`;
    case "hanoi":
      return String(2 + below(4));
    case "intersect":
      return `${some(4).join(" ")} / ${some(3).join(" ")}`;
    case "recall":
      return `${some(3)
        .map((key, i) => `${"kmp"[i]}=${key}`)
        .join(" ")} / ${"kmpx"[below(4)]}`;
    case "sort":
      return some(5).join(" ");
    default:
      return letters(4 + below(4)).join("");
  }
}

function randomBrackets(below) {
  const stack = [],
    signs = [];
  for (let left = 6 + 2 * below(3); left > 0; left--) {
    if (stack.length && (stack.length >= left || below(2))) signs.push(stack.pop());
    else {
      const pair = 2 * below(3);
      signs.push(PAIRS[pair]);
      stack.push(PAIRS[pair + 1]);
    }
  }
  if (below(3) === 0) signs[below(signs.length)] = PAIRS[below(6)];
  return signs.join("");
}

function randomPostfix(below) {
  const tokens = [1 + below(9)];
  let height = 1;
  for (let left = 3 + below(2); left > 0 || height > 1;) {
    if (left > 0 && (height < 2 || below(2))) {
      tokens.push(1 + below(9));
      height += 1;
      left -= 1;
    } else {
      tokens.push("+-*"[below(3)]);
      height -= 1;
    }
  }
  return tokens.join(" ");
}

function randomTree(below) {
  let next = 0;
  const node = (size) => {
    if (size === 0) return "";
    const name = "abcdefghijkl"[next++],
      left = below(size);
    return size === 1 ? name : `${name}(${node(left)},${node(size - 1 - left)})`;
  };
  return node(4 + below(4));
}
