/** What lies over the page at the moment. */
import { signal } from "@preact/signals";

export const sidebarOpen = signal(false);

export const searchOpen = signal(false);

/** The receipt that the inspector shows. */
export const inspected = signal<string | null>(null);
