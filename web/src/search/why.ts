/** Why something was found, in a few words each. */
import type { Hit } from "../api/types";
import { words } from "../ui/format";

/** The signals that say something about the match itself, rather than about the message. */
const TELLING = ["words", "meaning", "phrase", "answers", "time", "speaker"];
const WEAK = 0.2;
const MOST_SIGNALS = 2;
/** The date stands next to every hit already. */
const MONTH = /^[A-Z][a-z]+ \d{4}$/;

/** The parts of the server's reason, and the strongest signals. */
export function why(hit: Hit): string[] {
  const reasons = hit.reason
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "" && !MONTH.test(part));
  const signals = Object.entries(hit.signals)
    .filter(([name, value]) => value >= WEAK && TELLING.includes(name))
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_SIGNALS)
    .map(([name, value]) => `${words(name)} ${value.toFixed(2)}`);
  return [...reasons, ...signals];
}
