// Elements, and what all views share.

import { NONE } from "../machine/control.js";

const SVG = "http://www.w3.org/2000/svg";

// h("p", { class: "note" }, "text", child)
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function button(label, text, onclick, more = {}) {
  return h("button", { type: "button", "aria-label": label, title: label, onclick, ...more }, text);
}

// A part of the page with a heading.
export function panel(area, title, ...children) {
  return h("section", { class: `panel ${area}`, "aria-label": title }, h("h2", {}, title), ...children);
}

export function bitsText(code, size) {
  return Array.from({ length: size }, (_, j) => ((code >> j) & 1 ? "+" : "−")).join("");
}

// A word's class by name; its bits where it has none.
export function nameOf(model, code) {
  if (code === NONE) return "nothing";
  return model.names[code] ?? bitsText(code, model.machine.word_size);
}

// A control word: its bits as small squares, filled for +1, and its name.
export function wordChip(model, code, { named = true } = {}) {
  const size = model.machine.word_size,
    name = nameOf(model, code);
  const squares = Array.from({ length: size }, (_, j) =>
    s("rect", { x: 1 + 8 * j, y: 1, width: 6, height: 6, class: (code >> j) & 1 ? "bit on" : "bit" }),
  );
  const picture = s("svg", { width: 8 * size, height: 8, class: "bits", "aria-hidden": "true" }, squares);
  const label = `word ${name}, bits ${bitsText(code, size)}`;
  return h(
    "span",
    { class: "word", role: "img", "aria-label": label, title: label },
    named ? h("b", {}, name) : null,
    picture,
  );
}

export const ARROWS = ["↑", "→", "↓", "←", "·"];

// A sign for an operation of a world: an arrow, or the place on which it acts.
export function signOf(task, op) {
  return (task.world.signs ?? ARROWS)[op];
}

// An operation with a sign for it.
export function opText(model, op, task) {
  const name = model.algorithm.ops[op];
  if (!task.world) return name;
  return task.world.signs && op < 4 ? `${name} (place ${op})` : `${signOf(task, op)} ${name}`;
}

// Bring an element into view inside its own box, without moving the page.
export function keepInView(box, element) {
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top + 20 || inner.bottom > outer.bottom - 20) {
    box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  }
}

// The size of an element, kept up to date: to ask at each tick would lay out the page each time.
export function watchedSize(element, onChange = () => {}) {
  const size = { width: 0, height: 0 };
  new ResizeObserver(([entry]) => {
    const { width, height } = entry.contentRect;
    const changed = width !== size.width || height !== size.height;
    Object.assign(size, { width, height });
    if (changed) onChange();
  }).observe(element);
  return size;
}
