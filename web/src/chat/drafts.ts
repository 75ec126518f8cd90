/** Unsent text by conversation: it survives leaving the conversation, and failed sending. */
import { type Signal, signal } from "@preact/signals";

const drafts = new Map<string, Signal<string>>();

/** Returns the draft of a conversation; without an id that of a new one. */
export function draftOf(id: string | null, temporary: boolean): Signal<string> {
  const key = keyOf(id, temporary);
  const draft = drafts.get(key) ?? signal("");
  drafts.set(key, draft);
  return draft;
}

/** Call when the first message of a new conversation is sent: text typed from now on belongs to it, not to the next one. */
export function detachDraft(temporary: boolean, draft: Signal<string>): void {
  const key = keyOf(null, temporary);
  if (drafts.get(key) === draft) {
    drafts.delete(key);
  }
}

/** Call when a new conversation gets its id: it keeps the text typed meanwhile. */
export function adopt(id: string, draft: Signal<string>): void {
  drafts.set(id, draft);
}

/** Call when the first message could not be sent: the text belongs to new conversations again. If another one was started
 * meanwhile, it gets all text, because this one has no address. Returns the draft with the text. */
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

/** Puts unsent text back, before text typed since. */
export function putBack(draft: Signal<string>, words: string): void {
  draft.value = [words, draft.value].filter(Boolean).join("\n\n");
}

function keyOf(id: string | null, temporary: boolean): string {
  return id ?? (temporary ? "temporary" : "new");
}
