// Linear maps and tanh with, beside each value, a bound on what float32 arithmetic may make of it.
//
// The page computes in float64. The machine that was trained computes in float32, on some other computer and in
// an order of its own: for any order of summation its error is at most gamma * sum |terms| with
// gamma = n u / (1 - n u) and u = 2^-24. A decision is sure where its gap exceeds twice that bound: then the
// float32 machine decides as this page does.

export const UNIT = 2 ** -24;
const TANH_ERROR = 16 * UNIT;
const SMALLEST = 2 ** -120;

// Beyond this ratio of gap to error bound a decision is sure.
export const SURE = 2;

// y = W x + b; `rows` is one array of weights a row, the bias last.
export function linear(rows, inputs) {
  const terms = inputs.value.length + 2;
  const gamma = (terms * UNIT) / (1 - terms * UNIT);
  const value = new Float64Array(rows.length),
    error = new Float64Array(rows.length);
  rows.forEach((row, i) => {
    let sum = row[inputs.value.length],
      size = Math.abs(sum),
      inherited = 0;
    inputs.value.forEach((x, j) => {
      sum += row[j] * x;
      size += Math.abs(row[j]) * (Math.abs(x) + inputs.error[j]);
      inherited += Math.abs(row[j]) * inputs.error[j];
    });
    value[i] = sum;
    error[i] = gamma * size + inherited + SMALLEST;
  });
  return { value, error };
}

// Its slope is at most 1, so errors do not grow.
export function tanh(before) {
  return { value: before.value.map(Math.tanh), error: before.error.map((e) => e + TANH_ERROR) };
}

// Numbers that are the same in every arithmetic.
export function exact(numbers) {
  return { value: Float64Array.from(numbers), error: new Float64Array(numbers.length) };
}

export function joined(...parts) {
  const all = (field) => Float64Array.from(parts.flatMap((part) => [...part[field]]));
  return { value: all("value"), error: all("error") };
}

// The margin of a decision: how far it is from another one, and how far float32 may be off.
export function margin(kind, gap, bound) {
  return { kind, gap, bound, ratio: bound > 0 ? gap / bound : Infinity };
}

export function smaller(a, b) {
  return b.ratio < a.ratio ? b : a;
}

// No decision was taken.
export const CERTAIN = margin("none", Infinity, 0);

// The largest of some values, the earlier on ties, and how sure that is.
export function largest(kind, values, candidates) {
  let best = candidates[0];
  for (const i of candidates) if (values.value[i] > values.value[best]) best = i;
  let found = CERTAIN;
  for (const i of candidates) {
    if (i === best) continue;
    const bound = Math.max(values.error[best], values.error[i]);
    found = smaller(found, margin(kind, values.value[best] - values.value[i], bound));
  }
  return { best, margin: found };
}
