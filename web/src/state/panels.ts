/** The open overlays. */
import { signal } from "@preact/signals";

export const sidebarOpen = signal(false);

export const searchOpen = signal(false);

/** A conversation that may be erased. */
export interface Forgettable {
  session: string;
  title: string | null;
}

/** The conversation in the confirmation dialog. */
export const forgetting = signal<Forgettable | null>(null);

/** The content of the inspector: the receipt of an answer, and its question. */
export interface Inspected {
  receipt: string;
  question: string;
}

export const inspected = signal<Inspected | null>(null);
