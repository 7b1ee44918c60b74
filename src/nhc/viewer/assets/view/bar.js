// The bar at the top: step, play, jump, and where to stop.

import { isPlanning } from "../machine/run.js";
import { button, h } from "./dom.js";

const SPEEDS = [1, 3, 10, 40]; // ticks a second
const WIDE = 720; // pixels
const KEYS = [
  ["← →", "one tick back or on"],
  ["Home End", "to the first or the last tick"],
  ["Space", "play or stop"],
  ["/", "jump: type a tick, or n and a node"],
  ["p n", "to the stop before or after"],
  ["[ ]", "less or more learned, on pages of a training run"],
  ["?", "this help"],
];

export class Bar {
  // `page` has go, by, last, toggle, replay, seek and jump.
  constructor(model, page) {
    this.page = page;
    this.wanted = { mechanism: false, signals: true, word: "" };
    this.help = helpOn(document.getElementById("help"));
    this.playButton = button("Play (space)", "▶", () => page.toggle(), { class: "play" });
    const speeds = SPEEDS.map((speed) =>
      h("option", { value: speed, selected: speed === 3 }, `${speed} a second`),
    );
    this.speed = h("select", { "aria-label": "Ticks a second", onchange: () => page.replay() }, speeds);
    this.elements = [
      h("h1", {}, model.algorithm.name),
      this.steps(),
      this.track(),
      this.jumpForm(),
      this.speed,
      this.stops(model),
    ];
  }

  // Milliseconds between two ticks.
  get pause() {
    return 1000 / Number(this.speed.value);
  }

  steps() {
    const { page } = this;
    return h(
      "div",
      { class: "buttons", role: "group", "aria-label": "Step" },
      button("First tick (Home)", "«", () => page.go(1)),
      button("Back (left arrow)", "‹", () => page.by(-1)),
      this.playButton,
      button("On (right arrow)", "›", () => page.by(1)),
      button("Last tick (End)", "»", () => page.last()),
    );
  }

  track() {
    const oninput = () => this.page.go(Number(this.slider.value));
    this.slider = h("input", { type: "range", min: 1, max: 1, value: 1, "aria-label": "Tick", oninput });
    this.marks = h("div", { class: "marks", "aria-hidden": "true" });
    return h("div", { class: "track" }, this.slider, this.marks);
  }

  jumpForm() {
    this.jump = h("input", {
      id: "jump",
      type: "text",
      autocomplete: "off",
      "aria-label": "Jump to a tick, or n and a node",
    });
    this.total = h("span", {});
    const onsubmit = (event) => {
      event.preventDefault();
      this.page.jump(this.jump.value);
      this.jump.blur();
      this.jump.value = this.tick;
    };
    return h("form", { class: "jump", onsubmit }, h("label", { for: "jump" }, "Tick"), this.jump, this.total);
  }

  stops(model) {
    const { page, wanted } = this;
    const stop = (field, text) => {
      const onchange = (event) => (wanted[field] = event.target.checked);
      return h("label", {}, h("input", { type: "checkbox", checked: wanted[field], onchange }), ` ${text}`);
    };
    const names = [...new Set(Object.values(model.names))];
    const words = h(
      "select",
      { "aria-label": "Stop at a word", onchange: (event) => (wanted.word = event.target.value) },
      h("option", { value: "" }, "no word"),
      names.map((name) => h("option", { value: name }, name)),
    );
    return h(
      "details",
      { class: "stops", open: window.innerWidth > WIDE },
      h("summary", {}, "Stop where"),
      h(
        "div",
        { role: "group", "aria-label": "Stop playing where" },
        stop("signals", isPlanning(model.algorithm) ? "goal is seen" : "signals change"),
        stop("mechanism", "mechanism changes"),
        h("label", {}, "word is ", words),
        button("Stop before (p)", "‹ stop", () => page.seek(-1)),
        button("Stop after (n)", "stop ›", () => page.seek(1)),
        button("Keys (?)", "?", () => this.help.showModal()),
      ),
    );
  }

  focusJump() {
    this.jump.focus();
    this.jump.select();
  }

  showTick(tick, text) {
    this.tick = tick;
    if (document.activeElement !== this.jump) this.jump.value = tick;
    this.slider.value = tick;
    this.slider.setAttribute("aria-valuetext", text);
  }

  // `marks` are pairs of a tick and what happens there.
  showLength(length, over, marks) {
    this.slider.max = length;
    this.total.textContent = `of ${length.toLocaleString("en")}${over ? "" : " …"}`;
    this.marks.replaceChildren(
      ...marks.map(([tick, text]) => {
        const share = (100 * (tick - 1)) / Math.max(1, length - 1);
        const mark = h("span", { class: share > 70 ? "before" : "" }, text);
        mark.style.left = `${share}%`;
        return mark;
      }),
    );
  }

  showPlaying(playing) {
    this.playButton.textContent = playing ? "❚❚" : "▶";
    this.playButton.setAttribute("aria-label", playing ? "Stop (space)" : "Play (space)");
  }
}

function helpOn(dialog) {
  const keys = KEYS.flatMap(([names, text]) => [h("dt", {}, names), h("dd", {}, text)]);
  dialog.append(
    h("h2", { id: "help-title" }, "Keys"),
    h("dl", {}, keys),
    h("p", {}, "The link of this page keeps the task and the tick."),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  return dialog;
}
