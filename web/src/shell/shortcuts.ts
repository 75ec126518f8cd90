/** The global keyboard shortcuts. */
import { useEffect } from "preact/hooks";
import { navigate } from "../router";
import { searchOpen } from "../state/panels";

export function useShortcuts(): void {
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

function onKey(event: KeyboardEvent): void {
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key.toLowerCase() === "k") {
    event.preventDefault();
    searchOpen.value = !searchOpen.value;
  } else if (command && event.shiftKey && event.key.toLowerCase() === "o") {
    event.preventDefault();
    navigate("/");
  }
}
