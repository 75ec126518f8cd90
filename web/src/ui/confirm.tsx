/** Asks for confirmation before an irreversible action. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { explain } from "../api/problem";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Failed } from "./failed";

interface Props {
  title: string;
  /** The label of the confirm button. */
  action: string;
  open: boolean;
  onClose: () => void;
  /** Runs the action; the dialog closes on success, and shows the error on failure. */
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
