// What one tick does, in four steps: shown, writes, reads, does.

import { MECHANISMS, NONE, SHORT_NAMES } from "../machine/control.js";
import { wordName } from "../worlds/notation.js";
import { h, nameOf, opText } from "./dom.js";

export class StoryView {
  constructor(model) {
    this.model = model;
    this.element = h("ol", { class: "story" });
    this.signals = h("ul", { class: "signals", "aria-label": "Signals" });
  }

  update(run, tick) {
    const now = run.at(tick),
      before = run.at(tick - 1);
    this.showSignals(now);
    const cell = (number) => h("b", { class: "at" }, `cell ${number}`);
    const word = (code) => h("b", { class: "name" }, nameOf(this.model, code));
    const marks = before
      ? [
          "the word ",
          word(now.state.constrained.code),
          " into ",
          cell(before.address),
          ", which it read last; and ",
        ]
      : [];
    const rivals = now.addresses.filter((a) => a !== NONE).length;
    const reads = [
      cell(now.address),
      ": the ",
      h("b", {}, SHORT_NAMES[now.winner]),
      ` (${MECHANISMS[now.winner]} `,
      rivals > 1 ? "is strongest" : "alone names a cell",
      "). It holds ",
      ...this.data(run, now.data),
      " and the word ",
      word(now.word),
      ".",
    ];
    this.element.replaceChildren(
      step("is shown", this.shownText(now), "; the newest data is ", ...this.data(run, now.stored), "."),
      step(
        "writes",
        ...marks,
        ...(now.written === NONE
          ? ["nothing else: the newest data is not stored."]
          : [
              "the newest data into the new ",
              cell(now.written),
              ", with the word ",
              word(now.state.fresh.code),
              ".",
            ]),
      ),
      step("reads", ...reads),
      step("does", h("b", { class: "op" }, opText(this.model, now.op, run.task)), ...this.effect(run, now)),
    );
  }

  shownText(now) {
    const on = this.model.algorithm.signals.filter((_, k) => now.signals[k] > 0);
    return on.length ? `“${on.join("”, “")}”` : "no signal";
  }

  data(run, word) {
    if (!run.planning) return [h("q", {}, wordName(run.task, word))];
    return [{ "free-tree": `node ${word}`, stacking: "an arrangement" }[run.task.world.name] ?? "a board"];
  }

  effect(run, now) {
    if (run.planning)
      return [
        now.op < 4 ? " to what it read; the result is the newest data." : ": it hands on what it read.",
      ];
    if (now.wrote === undefined) return ["."];
    const isVerdict = ["brackets", "counts"].includes(this.model.algorithm.name);
    return [
      ", and writes ",
      h("q", {}, isVerdict ? (now.wrote ? "yes" : "no") : wordName(run.task, now.wrote)),
      ".",
    ];
  }

  showSignals(now) {
    this.signals.replaceChildren(
      ...this.model.algorithm.signals.map((name, k) => {
        const value = now.signals[k];
        const label = `${name}: ${value}`;
        return h(
          "li",
          { class: value > 0 ? "on" : "", "aria-label": label },
          h("span", { "aria-hidden": "true" }, value > 0 ? "●" : "○"),
          ` ${name}`,
        );
      }),
    );
  }
}

function step(verb, ...rest) {
  return h("li", {}, h("span", { class: "verb" }, verb), " ", ...rest);
}
