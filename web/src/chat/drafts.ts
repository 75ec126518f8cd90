/** What is typed but not sent, by conversation: it is still there when one comes back, or when sending failed. */
import { type Signal, signal } from "@preact/signals";

const drafts = new Map<string, Signal<string>>();

/** The draft of a conversation; without an id that of a new one. */
export function draftOf(id: string | null, temporary: boolean): Signal<string> {
  const key = keyOf(id, temporary);
  const draft = drafts.get(key) ?? signal("");
  drafts.set(key, draft);
  return draft;
}

/** A new conversation has got its id, and takes along what is typed meanwhile. */
export function adopt(id: string, temporary: boolean, draft: Signal<string>): void {
  drafts.delete(keyOf(null, temporary));
  drafts.set(id, draft);
}

/** Puts words back that could not be sent, before whatever was typed since. */
export function putBack(draft: Signal<string>, words: string): void {
  draft.value = [words, draft.value].filter(Boolean).join("\n\n");
}

function keyOf(id: string | null, temporary: boolean): string {
  return id ?? (temporary ? "temporary" : "new");
}
