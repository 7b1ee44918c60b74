// A slider over the weights of a training run: the same task by a machine that has learned less.

import { button, h } from "./dom.js";

const ABOUT = "These weights are of the middle of a training run: there is no program for them, and no names.";

// The machine with the weights of a snapshot; its words have no names.
export function machineThen(model, snapshot) {
  const bytes = atob(snapshot.weights);
  let at = 0;
  const blocks = model.blocks.map((block) => {
    const size = 4 * block.rows * (block.inputs + 1);
    at += size;
    return { ...block, weights: btoa(bytes.slice(at - size, at)) };
  });
  return { ...model, blocks, sections: [], names: {}, about: ABOUT };
}

export class LearningBar {
  // `page` has setStage and go; stage k is snapshot k, and the last stage the trained machine.
  constructor(snapshots, page) {
    this.snapshots = snapshots;
    this.page = page;
    const last = snapshots.length;
    const by = (steps) => () => page.setStage(Math.min(last, Math.max(0, page.stage + steps)));
    const oninput = () => page.setStage(Number(this.slider.value));
    const range = { type: "range", min: 0, max: last, value: last };
    this.slider = h("input", { ...range, "aria-label": "Learned", oninput });
    this.text = h("b", {});
    this.difference = h("span", { class: "difference", role: "status" });
    this.element = h(
      "section",
      { id: "learning", "aria-label": "How it was learned" },
      h("span", {}, "Learned"),
      button("Less learned ([)", "‹", by(-1)),
      this.slider,
      button("More learned (])", "›", by(1)),
      this.text,
      this.difference,
    );
  }

  // `different` is the first tick at which a stage and the trained machine differ, null if none is known.
  show(stage, different, over) {
    const snapshot = this.snapshots[stage];
    this.slider.value = stage;
    const text = snapshot ? stageText(snapshot) : "the trained machine";
    this.slider.setAttribute("aria-valuetext", text);
    this.text.textContent = text;
    const same = over ? "It does here what the trained machine does." : "";
    const found = snapshot ? (different ? "It first differs from the trained machine at " : same) : "";
    const state = `${stage} ${found} ${different}`;
    if (this.difference.dataset.state === state) return;
    this.difference.dataset.state = state;
    this.difference.replaceChildren(found);
    if (found && different) {
      const go = () => this.page.go(different);
      this.difference.append(button("Go to the first difference", `tick ${different}`, go));
    }
  }
}

function stageText({ updates, level }) {
  const count = `after ${updates.toLocaleString("en")} update${updates > 1 ? "s" : ""}`;
  return `${updates ? count : "before any update"}, at level ${level}`;
}
