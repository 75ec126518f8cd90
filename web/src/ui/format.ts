/** Format numbers for people. */

const NUMBER = new Intl.NumberFormat("en");
const ROUND = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export function number(value: number): string {
  return NUMBER.format(value);
}

/** count(1, "memory", "memories") is "1 memory". */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

export function bytes(value: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return `${ROUND.format(value)} ${units[at]}`;
}

export function milliseconds(value: number): string {
  if (value < 10) {
    return `${ROUND.format(value)} ms`;
  }
  return value < 1000 ? `${Math.round(value)} ms` : `${ROUND.format(value / 1000)} s`;
}

/** Formats a server-side name as words: "nearby_words" is "nearby words". */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}
