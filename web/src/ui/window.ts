/** Computes the visible rows of a list. */

const AROUND = 300;

interface Window {
  /** The offset of each row. */
  tops: number[];
  total: number;
  first: number;
  /** One past the last. */
  last: number;
}

export function windowOf(rows: { height: number }[], top: number, height: number): Window {
  const tops: number[] = [];
  let total = 0;
  let first = rows.length;
  let last = 0;
  rows.forEach((row, at) => {
    tops.push(total);
    const seen = total + row.height > top - AROUND && total < top + height + AROUND;
    total += row.height;
    if (seen) {
      first = Math.min(first, at);
      last = at + 1;
    }
  });
  return { tops, total, first: Math.min(first, last), last };
}
