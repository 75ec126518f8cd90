/** The API key that requests carry. It is kept for this tab only, so a closed tab is a signed-out one. */
import { signal } from "@preact/signals";

const PLACE = "recollect.key";

export const key = signal<string | null>(sessionStorage.getItem(PLACE));

/** Whether the server has refused a request for want of a (valid) key. */
export const refused = signal(false);

/** Takes a key if `works` with it; otherwise throws what that threw, and nobody is signed in. */
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
