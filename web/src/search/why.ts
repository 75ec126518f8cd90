/** Short reasons for a hit. */
import type { Hit } from "../api/types";
import { signalLabel } from "../ui/signals";

/** The signals about the match itself, rather than about the message. */
const TELLING = ["words", "meaning", "phrase", "answers", "time", "speaker"];
const WEAK = 0.2;
const MAX_SIGNALS = 2;
/** The date is already shown next to every hit. */
const MONTH = /^[A-Z][a-z]+ \d{4}$/;

/** Returns the parts of the server's reason, and the strongest signals. */
export function why(hit: Hit): string[] {
  const reasons = hit.reason
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "" && !MONTH.test(part));
  const signals = Object.entries(hit.signals)
    .filter(([name, value]) => value >= WEAK && TELLING.includes(name))
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_SIGNALS)
    .map(([name, value]) => `${signalLabel(name)} ${value.toFixed(2)}`);
  return [...reasons, ...signals];
}
