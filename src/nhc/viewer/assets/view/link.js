// A link restores a view: `#task=...&tick=...`; `learned` is a stage of learning.

export function readLink() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const tick = Number(fields.get("tick"));
  const whole = (name) => (/^\d+$/.test(fields.get(name) ?? "") ? Number(fields.get(name)) : null);
  return {
    task: fields.get("task"),
    tick: Number.isInteger(tick) && tick > 0 ? tick : null,
    node: whole("node"),
    learned: whole("learned"),
  };
}

export function writeLink({ task, tick, node, learned }) {
  const fields = new URLSearchParams({ task, tick });
  if (node !== null) fields.set("node", node);
  if (learned !== null) fields.set("learned", learned);
  try {
    history.replaceState(null, "", `#${fields}`);
  } catch {
    // Some browsers allow few changes a second; the next one counts.
  }
}
