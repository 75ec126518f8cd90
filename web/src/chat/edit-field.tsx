import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button";
import { fit } from "../ui/fit";

interface Props {
  text: string;
  onSend: (text: string) => void;
  onCancel: () => void;
}

/** The field to edit a message. The old message stays on its own branch. */
export function EditField({ text, onSend, onCancel }: Props) {
  const [typed, setTyped] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  // Before the field is visible, so that the caret does not move while the user types.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, []);
  useLayoutEffect(() => fit(field.current), [typed]);
  const send = () => typed.trim() !== "" && onSend(typed.trim());
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      onCancel();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
  };
  return (
    <div class="edit-field">
      <textarea
        ref={field}
        class="input"
        aria-label="New wording"
        rows={1}
        dir="auto"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <div class="edit-actions">
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button look="primary" disabled={typed.trim() === ""} onClick={send}>
          Send
        </Button>
      </div>
    </div>
  );
}
