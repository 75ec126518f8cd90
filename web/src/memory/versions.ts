/** Finds the older facts that a current one has replaced. */
import type { Fact } from "../api/types";

export interface Entry {
  fact: Fact;
  /** Its older versions, newest first. */
  older: Fact[];
}

export interface Known {
  current: Entry[];
  /** Facts that no longer hold and were not replaced. */
  over: Fact[];
}

export function known(facts: Fact[]): Known {
  const ended = facts.filter((fact) => fact.until !== null);
  const taken = new Set<string>();
  const olderThan = (fact: Fact): Fact[] => {
    const before = ended.filter((old) => !taken.has(old.id) && successor(old, facts)?.id === fact.id);
    before.forEach((old) => taken.add(old.id));
    return before.flatMap((old) => [old, ...olderThan(old)]);
  };
  const current = facts.filter((fact) => fact.until === null).map((fact) => ({ fact, older: olderThan(fact) }));
  return { current, over: ended.filter((fact) => !taken.has(fact.id)) };
}

/** Finds the replacement of a fact: it starts exactly when the fact ends. Of several with that time, it is the one of the same
 * kind that shares the most words. */
function successor(old: Fact, facts: Fact[]): Fact | undefined {
  const successors = facts.filter((fact) => fact.id !== old.id && fact.since === old.until && fact.subject === old.subject);
  const likeness = (fact: Fact) => (fact.kind === old.kind ? 1000 : 0) + shared(fact.text, old.text);
  return successors.sort((one, other) => likeness(other) - likeness(one))[0];
}

function shared(one: string, other: string): number {
  const words = new Set(one.toLowerCase().split(/\W+/));
  return new Set(other.toLowerCase().split(/\W+/).filter((word) => words.has(word))).size;
}

/** Returns the facts with every typed word in their text or an older version. */
export function filtered(entries: Entry[], typed: string): Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ fact, older }) => {
    const text = [fact, ...older].map((one) => `${one.text} ${one.subject}`).join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
