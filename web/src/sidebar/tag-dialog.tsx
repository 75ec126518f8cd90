import { useState } from "preact/hooks";
import type { Session } from "../api/types";
import { change, titleOf } from "../state/session-actions";
import { tags } from "../state/sessions";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";

interface Props {
  session: Session;
  open: boolean;
  onClose: () => void;
}

export function TagDialog({ session, open, onClose }: Props) {
  const [typed, setTyped] = useState("");
  const add = (event: Event) => {
    event.preventDefault();
    const name = typed.trim().replace(/^#/, "");
    setTyped("");
    if (name && !session.tags.includes(name)) {
      void change(session, { tags: [...session.tags, name] });
    }
  };
  const remove = (name: string) => void change(session, { tags: session.tags.filter((tag) => tag !== name) });
  return (
    <Dialog title={`Tags of “${titleOf(session)}”`} open={open} onClose={onClose}>
      <form class="modal-body" onSubmit={add}>
        <div class="chips">
          {session.tags.map((tag) => (
            <button key={tag} type="button" class="chip" aria-label={`Remove the tag ${tag}`} onClick={() => remove(tag)}>
              #{tag} ×
            </button>
          ))}
          {session.tags.length === 0 && <p class="hint">No tags yet.</p>}
        </div>
        <label class="field">
          <span>New tag</span>
          <input list="tags" dir="auto" autofocus value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <datalist id="tags">
          {tags.value.map((tag) => (
            <option key={tag} value={tag} />
          ))}
        </datalist>
        <div>
          <Button type="submit">Add</Button>
        </div>
      </form>
    </Dialog>
  );
}
