import type { EraseReceipt } from "../api/types";
import { Button } from "../ui/button";
import { number, words } from "../ui/format";

/** What was removed, and what was looked at afterwards to be sure. */
export function EraseReport({ receipt, onClose }: { receipt: EraseReceipt; onClose: () => void }) {
  return (
    <>
      <div class="modal-body" role="status">
        <dl class="pairs">
          <dt>Conversations</dt>
          <dd>{number(receipt.sessions)}</dd>
          <dt>Messages</dt>
          <dd>{number(receipt.messages)}</dd>
          <dt>Made of them</dt>
          <dd>{number(receipt.derived)}</dd>
          {receipt.facts_kept > 0 && (
            <>
              <dt>Facts kept</dt>
              <dd>{number(receipt.facts_kept)}</dd>
            </>
          )}
          <dt>Looked at, and gone from</dt>
          <dd>{receipt.verified.length > 0 ? receipt.verified.map(words).join(", ") : "nothing"}</dd>
          <dt>Still to be done</dt>
          <dd>{receipt.pending || "nothing"}</dd>
        </dl>
      </div>
      <footer class="modal-foot">
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </footer>
    </>
  );
}
