/** Returns the ticks of an axis that starts at 0: few, round, and the last one at or above the largest value. */
export function ticks(largest: number, whole: boolean): number[] {
  const most = Math.max(largest, whole ? 1 : Number.MIN_VALUE);
  const step = round(most / 3, whole);
  const marks = Math.ceil(most / step - 1e-9);
  return Array.from({ length: marks + 1 }, (_, at) => at * step);
}

/** Returns the smallest of 1, 2, 2.5, 5 times a power of ten that is not below a value. */
function round(value: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= value * (1 - 1e-9)) ?? 10;
  return whole ? Math.max(1, Math.ceil(factor * power)) : factor * power;
}
