import { complain, toast } from "./toast";

/** Copies a text to the clipboard and confirms it. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    complain("The browser does not allow this page to use the clipboard.");
  }
}
