/** The API key that requests send. It is stored for this tab only, so closing the tab signs out. */
import { signal } from "@preact/signals";

const PLACE = "keepsaid.key";

export const key = signal<string | null>(sessionStorage.getItem(PLACE));

/** Whether the server has refused a request because it had no valid key. */
export const refused = signal(false);

/** Stores a key if `works` succeeds with it; otherwise rethrows its error and stays signed out. */
export async function signIn(secret: string, works: () => Promise<void>): Promise<void> {
  key.value = secret;
  try {
    await works();
  } catch (error) {
    signOut();
    throw error;
  }
  sessionStorage.setItem(PLACE, secret);
  refused.value = false;
}

export function signOut(): void {
  sessionStorage.removeItem(PLACE);
  key.value = null;
  refused.value = true;
}
