/** The data of each chart, and how its values are formatted. */
import type { Period, Stats } from "../api/types";
import { bytes, count, milliseconds, number } from "../ui/format";
import type { Steps } from "./steps";

export interface Line {
  name: string;
  /** One value per step; null where nothing was measured. */
  values: (number | null)[];
}

export interface Series {
  title: string;
  /** A summary of the whole range. */
  total: string;
  shape: "bars" | "lines" | "area";
  lines: Line[];
  /** Formats a value in full. */
  said: (value: number) => string;
  /** Formats a value for the axis. */
  tick: (value: number) => string;
  whole?: boolean;
  /** The end of the axis, if it does not depend on the values. */
  top?: number;
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

export function seriesOf(stats: Stats, { periods, unit }: Steps): Series[] {
  const sum = (of: (period: Period) => number) => periods.reduce((total, period) => total + of(period), 0);
  const counted = (title: string, of: (period: Period) => number, done: string, one: string, many = `${one}s`): Series => ({
    title,
    total: `${number(sum(of))} ${done}`,
    shape: "bars",
    lines: [{ name: title, values: periods.map(of) }],
    said: (value) => count(value, one, many),
    tick: (value) => COMPACT.format(value),
    whole: true,
  });
  return [
    counted("Sessions", (one) => one.sessions, "new", "session"),
    counted("Messages", (one) => one.messages, "said", "message"),
    counted("Tokens", (one) => one.tokens, "said", "token"),
    reuse(periods),
    counted("Condensations", (one) => one.summaries, "written", "summary", "summaries"),
    latency(stats, periods, unit),
    growth(periods),
  ];
}

/** The share of prompt tokens in an unchanged prefix, which the model can reuse from its cache. */
function reuse(periods: Period[]): Series {
  const sum = (of: (period: Period) => number) => periods.reduce((total, period) => total + of(period), 0);
  const [all, again] = [sum((one) => one.prompt_tokens), sum((one) => one.reused_tokens)];
  const share = (one: Period) => (one.prompt_tokens === 0 ? null : one.reused_tokens / one.prompt_tokens);
  return {
    title: "Prefix reuse",
    total: all === 0 ? "no prompt was built" : `${PERCENT.format(again / all)} of ${count(all, "prompt token")}`,
    shape: "lines",
    lines: [{ name: "Reused", values: periods.map(share) }],
    said: (value) => PERCENT.format(value),
    tick: (value) => PERCENT.format(value),
    top: 1,
  };
}

function latency(stats: Stats, periods: Period[], unit: Steps["unit"]): Series {
  const { recall_p50: half, recall_p95: most } = stats;
  const of = unit === "week" ? "; of each week its slowest day" : "";
  return {
    title: "Recall latency",
    total:
      half === null || most === null
        ? "no prompt was built"
        : `half within ${milliseconds(half)}, 95 % within ${milliseconds(most)}${of}`,
    shape: "lines",
    lines: [
      { name: "50 %", values: periods.map((one) => one.recall_p50) },
      { name: "95 %", values: periods.map((one) => one.recall_p95) },
    ],
    said: milliseconds,
    tick: milliseconds,
  };
}

function growth(periods: Period[]): Series {
  let total = 0;
  const values = periods.map((one) => (total += one.bytes));
  return {
    title: "Storage growth",
    total: `${bytes(total)} of messages came in`,
    shape: "area",
    lines: [{ name: "Since the first day", values }],
    said: bytes,
    tick: bytes,
  };
}
