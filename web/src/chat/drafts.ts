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

/** The first words of a new conversation are sent: what is typed from now on is its own, and not that of the next new one. */
export function detachDraft(temporary: boolean, draft: Signal<string>): void {
  const key = keyOf(null, temporary);
  if (drafts.get(key) === draft) {
    drafts.delete(key);
  }
}

/** A new conversation has got its id, and keeps what was typed meanwhile. */
export function adopt(id: string, draft: Signal<string>): void {
  drafts.set(id, draft);
}

/** The first words could not be sent: what is typed belongs to new conversations again. If another one was begun meanwhile,
 * it gets all of it, because no address leads to this one. The draft that has it. */
export function attachDraft(temporary: boolean, draft: Signal<string>): Signal<string> {
  const key = keyOf(null, temporary);
  const other = drafts.get(key);
  if (other === undefined) {
    drafts.set(key, draft);
    return draft;
  }
  if (other !== draft) {
    putBack(other, draft.value);
    draft.value = "";
  }
  return other;
}

/** Puts words back that could not be sent, before whatever was typed since. */
export function putBack(draft: Signal<string>, words: string): void {
  draft.value = [words, draft.value].filter(Boolean).join("\n\n");
}

function keyOf(id: string | null, temporary: boolean): string {
  return id ?? (temporary ? "temporary" : "new");
}
