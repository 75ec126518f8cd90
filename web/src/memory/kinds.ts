/** The kinds of facts, in display order. */
import type { FactKind } from "../api/types";

export const KINDS: [FactKind, string][] = [
  ["instruction", "Standing instructions"],
  ["constraint", "Health and limits"],
  ["identity", "About you"],
  ["person", "People and animals"],
  ["preference", "Preferences and habits"],
  ["possession", "Things you own and use"],
  ["project", "Plans and projects"],
  ["event", "Events"],
];
