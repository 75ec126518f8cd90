import type { MadeKey } from "../api/types";
import { Button } from "../ui/button";
import { copy } from "../ui/copy";
import { Dialog } from "../ui/dialog";
import { CopyIcon } from "../ui/icons";

/** The secret of a new key: it is kept nowhere, so this is the only time that it can be seen. */
export function SecretDialog({ made, onClose }: { made: MadeKey | null; onClose: () => void }) {
  return (
    <Dialog title={`The key “${made?.name ?? ""}”`} open={made !== null} onClose={onClose}>
      <div class="modal-body">
        <p>Copy it now: it is not kept, and cannot be shown again.</p>
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
