/** The user, and the capabilities of the server. */
import { signal } from "@preact/signals";
import { getMe } from "../api/memory";
import type { Me } from "../api/types";

export const me = signal<Me | null>(null);

export async function loadMe(): Promise<void> {
  me.value = await getMe();
}
