/** What kinds of facts there are, in the order in which they are shown. */
import type { FactKind } from "../api/types";

export const KINDS: [FactKind, string][] = [
  ["identity", "About you"],
  ["preference", "Preferences"],
  ["relation", "People and things around you"],
  ["task", "To do"],
  ["decision", "Decisions"],
  ["event", "Events"],
];
