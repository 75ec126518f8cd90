import type { EraseReceipt } from "../api/types";
import { Button } from "../ui/button";
import { number, words } from "../ui/format";

/** What was erased, and what was checked afterwards to verify it. */
export function EraseReport({ receipt, onClose }: { receipt: EraseReceipt; onClose: () => void }) {
  return (
    <>
      <div class="modal-body" role="status">
        <dl class="pairs">
          <dt>Conversations</dt>
          <dd>{number(receipt.sessions)}</dd>
          <dt>Messages</dt>
          <dd>{number(receipt.messages)}</dd>
          <dt>Derived data</dt>
          <dd>{number(receipt.derived)}</dd>
          {receipt.facts_kept > 0 && (
            <>
              <dt>Facts kept</dt>
              <dd>{number(receipt.facts_kept)}</dd>
            </>
          )}
          <dt>Verified as removed from</dt>
          <dd>{receipt.verified.length > 0 ? receipt.verified.map(words).join(", ") : "nothing"}</dd>
          <dt>Pending</dt>
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
