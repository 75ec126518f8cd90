/** The dialog to erase a conversation permanently, or everything, which must be confirmed by typing. */
import "../style/pages.css";
import { useState } from "preact/hooks";
import { erase } from "../api/data";
import { explain } from "../api/problem";
import type { EraseReceipt } from "../api/types";
import type { Forgettable } from "../state/panels";
import { reload } from "../state/sessions";
import { titleOf } from "../state/session-actions";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Failed } from "../ui/failed";
import { EraseReport } from "./erase-report";

const WORDS = "forget everything";

interface Props {
  /** One conversation, or everything; null: the dialog is closed. */
  what: Forgettable | "everything" | null;
  onClose: () => void;
  onForgotten: () => void;
}

export function ForgetDialog({ what, onClose, onForgotten }: Props) {
  const session = what === "everything" ? null : what;
  const [receipt, setReceipt] = useState<EraseReceipt | null>(null);
  const close = () => {
    setReceipt(null);
    onClose();
  };
  const forgotten = (done: EraseReceipt) => {
    setReceipt(done);
    reload();
    onForgotten();
  };
  const title = receipt ? "Forgotten" : session ? `Forget “${titleOf(session)}”` : "Forget everything";
  return (
    <Dialog title={title} open={what !== null} onClose={close}>
      {receipt === null ? (
        <Question session={session} onClose={close} onForgotten={forgotten} />
      ) : (
        <EraseReport receipt={receipt} onClose={close} />
      )}
    </Dialog>
  );
}

interface QuestionProps {
  session: Forgettable | null;
  onClose: () => void;
  onForgotten: (receipt: EraseReceipt) => void;
}

function Question({ session, onClose, onForgotten }: QuestionProps) {
  const [typed, setTyped] = useState("");
  const [withFacts, setWithFacts] = useState(true);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const meant = session ? true : typed.trim().toLowerCase() === WORDS;
  const forget = async (event: Event) => {
    event.preventDefault();
    if (!meant || busy) {
      return;
    }
    setBusy(true);
    setProblem("");
    try {
      const keep = { keep_facts: !withFacts };
      onForgotten(await erase(session ? { ...keep, session: session.session } : { ...keep, confirm: WORDS }));
    } catch (error) {
      setProblem(explain(error));
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void forget(event)}>
      <div class="modal-body">
        <p>
          {session
            ? "This conversation is permanently removed, with its summary and everything else derived from it."
            : "All your conversations, summaries and documents are permanently removed, with everything derived from them."}
          {" It cannot be undone, not even from the trash."}
        </p>
        <label class="check">
          <input type="checkbox" checked={withFacts} onChange={(event) => setWithFacts(event.currentTarget.checked)} />
          <span>
            {session ? "Also forget the facts extracted from it" : "Also forget the facts about me"}
            <span class="hint">Otherwise they stay, without their sources.</span>
          </span>
        </label>
        {!session && (
          <label class="field">
            <span>Type “{WORDS}” to confirm</span>
            <input
              autofocus
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        {problem && <Failed problem={problem} />}
      </div>
      <footer class="modal-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="danger" disabled={!meant || busy}>
          {busy ? "Forgetting…" : session ? "Forget it permanently" : "Forget everything"}
        </Button>
      </footer>
    </form>
  );
}
