/** The steps of a chart: days, or weeks if there are too many days. */
import type { Period } from "../api/types";

const MAX_DAYS = 100;
const WEEK = 7;

export interface Steps {
  periods: Period[];
  unit: "day" | "week";
}

export function stepsOf(days: Period[]): Steps {
  if (days.length <= MAX_DAYS) {
    return { periods: days, unit: "day" };
  }
  const weeks: Period[] = [];
  // From the end, so that the newest week is complete.
  for (let end = days.length; end > 0; end -= WEEK) {
    weeks.unshift(together(days.slice(Math.max(0, end - WEEK), end)));
  }
  return { periods: weeks, unit: "week" };
}

function together(days: Period[]): Period {
  const sum = (of: (day: Period) => number) => days.reduce((total, day) => total + of(day), 0);
  return {
    start_at: days[0]!.start_at,
    sessions: sum((day) => day.sessions),
    messages: sum((day) => day.messages),
    tokens: sum((day) => day.tokens),
    bytes: sum((day) => day.bytes),
    summaries: sum((day) => day.summaries),
    prompts: sum((day) => day.prompts),
    prompt_tokens: sum((day) => day.prompt_tokens),
    reused_tokens: sum((day) => day.reused_tokens),
    recall_p50: slowest(days.map((day) => day.recall_p50)),
    recall_p95: slowest(days.map((day) => day.recall_p95)),
  };
}

/** Percentiles cannot be added: a week gets those of its slowest day. */
function slowest(measured: (number | null)[]): number | null {
  const known = measured.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const DAY_AND_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const HALF_A_DAY = 12 * 3_600_000;

/** The server's days may not start at local midnight; their noon falls on the same local day for most of the world. */
function noon(period: Period): Date {
  return new Date(new Date(period.start_at).getTime() + HALF_A_DAY);
}

export function shortDay(period: Period): string {
  return DAY.format(noon(period));
}

export function longDay(period: Period): string {
  return DAY_AND_YEAR.format(noon(period));
}
