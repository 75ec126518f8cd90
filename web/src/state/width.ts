/** Whether the page is too narrow for a sidebar next to the chat. */
import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 820px)");

export const narrow = signal(query.matches);

query.addEventListener("change", () => (narrow.value = query.matches));
