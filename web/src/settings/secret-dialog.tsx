import type { MadeKey } from "../api/types";
import { Button } from "../ui/button";
import { copy } from "../ui/copy";
import { Dialog } from "../ui/dialog";
import { CopyIcon } from "../ui/icons";

/** Shows the secret of a new key. It is not stored, so it is shown only this once. */
export function SecretDialog({ made, onClose }: { made: MadeKey | null; onClose: () => void }) {
  return (
    <Dialog title={`The key “${made?.name ?? ""}”`} open={made !== null} onClose={onClose}>
      <div class="modal-body">
        <p>Copy it now: it is not stored, and cannot be shown again.</p>
        <code class="secret">{made?.secret}</code>
      </div>
      <footer class="modal-foot">
        <Button icon={<CopyIcon />} onClick={() => void copy(made?.secret ?? "", "Key copied")}>
          Copy
        </Button>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
