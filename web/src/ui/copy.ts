import { complain, toast } from "./toast";

/** Puts a text on the clipboard and says so. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    complain("The browser does not let this page use the clipboard.");
  }
}
