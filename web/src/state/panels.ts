/** What lies over the page at the moment. */
import { signal } from "@preact/signals";

export const sidebarOpen = signal(false);

export const searchOpen = signal(false);

/** What the inspector shows: the receipt of an answer, and what it answers. */
export interface Inspected {
  receipt: string;
  question: string;
}

export const inspected = signal<Inspected | null>(null);
