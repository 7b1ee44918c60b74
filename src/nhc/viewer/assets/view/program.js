// The learned program, and which of its lines a tick executes.

import { h, keepInView } from "./dom.js";

export class ProgramView {
  constructor(model) {
    this.lines = new Map();
    this.box = h(
      "div",
      { class: "program", tabindex: "0", role: "region", "aria-label": "Program text" },
      h("p", { class: "note" }, model.about),
    );
    for (const section of model.sections) {
      this.box.append(
        h("h3", {}, section.title),
        h(
          "ul",
          {},
          section.lines.map((line) => this.line(line)),
        ),
      );
    }
    this.missing = h(
      "p",
      { class: "note missing", hidden: true },
      "No line: small inputs do not meet this case.",
    );
    this.box.append(this.missing);
    this.element = this.box;
    this.active = null;
    this.known = model.sections.length > 0;
  }

  line(line) {
    const part = (verb, text) => (text ? h("span", { class: "part" }, h("i", {}, verb), " ", text) : null);
    const read = line.read.replace(/^read /, "");
    const element = h(
      "li",
      { class: "line" },
      h("span", { class: "when" }, line.when),
      h(
        "span",
        { class: "what" },
        part("mark", line.mark),
        line.add ? part("add", line.add) : part("store", "nothing"),
        part("read", read),
        part("do", line.do),
      ),
    );
    for (const key of line.keys) this.lines.set(key, element);
    return element;
  }

  update(run, tick) {
    const found = this.lines.get(run.at(tick).state.key) ?? null;
    this.missing.hidden = found !== null || !this.known;
    if (found === this.active) return;
    this.active?.classList.remove("active");
    this.active?.removeAttribute("aria-current");
    this.active = found;
    if (!found) return;
    found.classList.add("active");
    found.setAttribute("aria-current", "true");
    keepInView(this.box, found);
  }
}
