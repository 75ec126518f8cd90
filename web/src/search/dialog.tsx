/** Search over messages, facts, summaries and documents. Ctrl+K opens it. */
import { useSignalEffect } from "@preact/signals";
import { asked } from "../router";
import { searchOpen } from "../state/panels";
import { Dialog } from "../ui/dialog";
import { Finder } from "./finder";

export function SearchDialog() {
  useSignalEffect(() => {
    if (asked.value !== null) {
      searchOpen.value = true;
    }
  });
  const close = () => {
    searchOpen.value = false;
  };
  return (
    <Dialog title="Search" bare class="search" open={searchOpen.value} onClose={close}>
      <Finder first={asked.value ?? ""} close={close} />
    </Dialog>
  );
}
