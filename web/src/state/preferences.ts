/** What the user likes, kept in this browser. */
import { effect, signal, type Signal } from "@preact/signals";
import type { MemoryMode } from "../api/types";

export type Theme = "system" | "light" | "dark";

export const theme = kept<Theme>("theme", ["system", "light", "dark"]);

/** Whether talk is remembered, only looked up, or neither. */
export const memoryMode = kept<MemoryMode>("memory", ["on", "read_only", "off"]);

/** A choice that outlives the page; the first one is the default, and anything else that is found kept counts as it. */
function kept<Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]): Signal<Choice> {
  const place = `recollect.${name}`;
  const found = choices.find((choice) => choice === localStorage.getItem(place));
  const value = signal<Choice>(found ?? choices[0]);
  effect(() => localStorage.setItem(place, value.value));
  return value;
}

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});
