/** The user's preferences, stored in this browser. */
import { effect, signal, type Signal } from "@preact/signals";
import type { MemoryMode } from "../api/types";

export type Theme = "system" | "light" | "dark";

export const theme = kept<Theme>("theme", ["system", "light", "dark"]);

/** Whether the memory is used and written, only used, or off. */
export const memoryMode = kept<MemoryMode>("memory", ["on", "read_only", "off"]);

/** A persistent choice; the first option is the default, also for unknown stored values. */
function kept<Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]): Signal<Choice> {
  const place = `keepsaid.${name}`;
  const found = choices.find((choice) => choice === localStorage.getItem(place));
  const value = signal<Choice>(found ?? choices[0]);
  effect(() => localStorage.setItem(place, value.value));
  return value;
}

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});
