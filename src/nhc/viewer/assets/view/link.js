// A link restores a view: `#task=...&tick=...`.

export function readLink() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const tick = Number(fields.get("tick"));
  return {
    task: fields.get("task"),
    tick: Number.isInteger(tick) && tick > 0 ? tick : null,
    node: /^\d+$/.test(fields.get("node") ?? "") ? Number(fields.get("node")) : null,
  };
}

export function writeLink({ task, tick, node }) {
  const fields = new URLSearchParams({ task, tick });
  if (node !== null) fields.set("node", node);
  try {
    history.replaceState(null, "", `#${fields}`);
  } catch {
    // Some browsers allow few changes a second; the next one counts.
  }
}
