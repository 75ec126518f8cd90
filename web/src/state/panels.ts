/** What lies over the page at the moment. */
import { signal } from "@preact/signals";

export const sidebarOpen = signal(false);

export const searchOpen = signal(false);

/** A conversation that may be removed for good. */
export interface Forgettable {
  session: string;
  title: string | null;
}

/** The one that the page asks about. */
export const forgetting = signal<Forgettable | null>(null);

/** What the inspector shows: the receipt of an answer, and what it answers. */
export interface Inspected {
  receipt: string;
  question: string;
}

export const inspected = signal<Inspected | null>(null);
