/** The facts extracted from messages while the page was open, and how to undo them. */
import { signal } from "@preact/signals";
import { notedFacts, undoFact } from "../api/memory";
import { explain, isMissing } from "../api/problem";
import type { Fact } from "../api/types";

export interface FactNote {
  fact: Pick<Fact, "id" | "text">;
  /** "gone": the fact was forgotten elsewhere before it was undone here. */
  state: "noted" | "undoing" | "undone" | "gone";
  /** Why it could not be undone, or "". */
  problem: string;
}

/** When to look for facts not extracted by the end of a turn, in milliseconds after it. */
const LATER_LOOKS = [3_000, 12_000, 40_000];

class FactNotes {
  private readonly notes = signal(new Map<string, FactNote[]>());

  /** The facts extracted from a message. */
  ofMessage(message: string): FactNote[] {
    return this.notes.value.get(message) ?? [];
  }

  add(message: string, facts: Fact[]): void {
    const notes = facts.map((fact): FactNote => ({ fact, state: "noted", problem: "" }));
    this.notes.value = new Map(this.notes.value).set(message, notes);
  }

  /** Looks for facts after a turn: a language model extracts them in the background. */
  lookLater(message: string): void {
    for (const pause of LATER_LOOKS) {
      setTimeout(() => void this.look(message), pause);
    }
  }

  private async look(message: string): Promise<void> {
    if (this.ofMessage(message).length > 0) {
      return;
    }
    // Facts that cannot be loaded now are still in the list of facts.
    const facts = await notedFacts(message).catch(() => []);
    if (facts.length > 0 && this.ofMessage(message).length === 0) {
      this.add(message, facts);
    }
  }

  async undo(message: string, fact: string): Promise<void> {
    this.change(message, fact, { state: "undoing", problem: "" });
    try {
      await undoFact(fact);
      this.change(message, fact, { state: "undone" });
    } catch (error) {
      this.change(message, fact, isMissing(error) ? { state: "gone" } : { state: "noted", problem: explain(error) });
    }
  }

  private change(message: string, fact: string, change: Partial<FactNote>): void {
    const notes = this.ofMessage(message).map((one) => (one.fact.id === fact ? { ...one, ...change } : one));
    this.notes.value = new Map(this.notes.value).set(message, notes);
  }
}

/** One instance for the page: a conversation may be reopened during a turn. */
export const factNotes = new FactNotes();
