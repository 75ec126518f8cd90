/** Format times for people. */
import { count } from "./format";

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const DAY_AND_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });
const MONTH = new Intl.DateTimeFormat("en", { month: "long" });
const MONTH_AND_YEAR = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Returns how many local midnights lie between two times. */
export function daysBetween(earlier: Date, later: Date): number {
  const midnight = (moment: Date) => Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate());
  return Math.round((midnight(later) - midnight(earlier)) / (24 * HOUR));
}

/** "now", "5 min", "3 h" today, then the day. */
export function relative(moment: Date, now: Date): string {
  const age = now.getTime() - moment.getTime();
  if (age < MINUTE) {
    return "now";
  }
  if (age < HOUR) {
    return `${Math.floor(age / MINUTE)} min`;
  }
  if (daysBetween(moment, now) === 0) {
    return CLOCK.format(moment);
  }
  return moment.getFullYear() === now.getFullYear() ? DAY.format(moment) : DAY_AND_YEAR.format(moment);
}

/** Returns the heading of an entry in a list that is newest first. */
export function dateGroup(moment: Date, now: Date): string {
  const days = daysBetween(moment, now);
  if (days <= 0) {
    return "Today";
  }
  if (days === 1) {
    return "Yesterday";
  }
  if (days <= 7) {
    return "Previous 7 days";
  }
  if (days <= 30) {
    return "Previous 30 days";
  }
  return moment.getFullYear() === now.getFullYear() ? MONTH.format(moment) : MONTH_AND_YEAR.format(moment);
}

/** "today", "yesterday", then the day. */
export function day(moment: Date, now: Date): string {
  const days = daysBetween(moment, now);
  if (days === 0 || days === 1) {
    return days === 0 ? "today" : "yesterday";
  }
  return moment.getFullYear() === now.getFullYear() ? DAY.format(moment) : DAY_AND_YEAR.format(moment);
}

/** Formats the time until then: "12 days", on the last day "5 hours"; empty once it is past. */
export function timeLeft(moment: Date, now: Date): string {
  const left = moment.getTime() - now.getTime();
  if (left <= 0) {
    return "";
  }
  const days = Math.floor(left / (24 * HOUR));
  return days > 0 ? count(days, "day") : count(Math.max(1, Math.floor(left / HOUR)), "hour");
}

/** A time shown as its day. */
export function Day({ at }: { at: string }) {
  const moment = new Date(at);
  return (
    <time dateTime={at} title={FULL.format(moment)}>
      {day(moment, new Date())}
    </time>
  );
}

export function Time({ at }: { at: string }) {
  const moment = new Date(at);
  return (
    <time dateTime={at} title={FULL.format(moment)}>
      {relative(moment, new Date())}
    </time>
  );
}
