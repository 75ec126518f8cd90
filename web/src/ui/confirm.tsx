/** Asks before something that cannot be taken back. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { explain } from "../api/problem";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Failed } from "./failed";

interface Props {
  title: string;
  /** What the button says that does it. */
  action: string;
  open: boolean;
  onClose: () => void;
  /** Does it; the dialog closes when it is done, and says what went wrong if it fails. */
  onConfirm: () => Promise<void>;
  children: ComponentChildren;
}

export function Confirm({ title, action, open, onClose, onConfirm, children }: Props) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const close = () => {
    setProblem("");
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setProblem("");
    try {
      await onConfirm();
      close();
    } catch (error) {
      setProblem(explain(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} open={open} onClose={close}>
      <div class="modal-body">
        {children}
        {problem && <Failed problem={problem} />}
      </div>
      <footer class="modal-foot">
        <Button onClick={close}>Cancel</Button>
        <Button look="danger" disabled={busy} onClick={() => void confirm()}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}
