import { type ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { explain } from "../api/problem";
import { Button } from "../ui/button";
import { Failed } from "../ui/failed";
import { fit } from "../ui/fit";

interface Props {
  label: string;
  /** The label of the save button. */
  action: string;
  first?: string;
  onSave: (text: string) => Promise<void>;
  onDone: () => void;
  /** Additional fields. */
  children?: ComponentChildren;
}

/** The input field for a fact: Enter saves, Esc cancels. */
export function FactField({ label, action, first = "", onSave, onDone, children }: Props) {
  const [text, setText] = useState(first);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    fit(field.current);
    field.current?.focus();
  }, []);
  const save = async () => {
    setBusy(true);
    try {
      await onSave(text.trim());
      onDone();
    } catch (error) {
      setProblem(explain(error));
      setBusy(false);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      onDone();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (text.trim() && !busy) {
        void save();
      }
    }
  };
  return (
    <div class="fact-field" onKeyDown={onKey}>
      <label class="field">
        <span class={children ? undefined : "visually-hidden"}>{label}</span>
        <textarea
          dir="auto"
          ref={field}
          rows={1}
          maxLength={10_000}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            fit(event.currentTarget);
          }}
        />
      </label>
      {children}
      {problem && <Failed problem={problem} />}
      <div class="foot">
        <Button onClick={onDone}>Cancel</Button>
        <Button look="primary" disabled={busy || text.trim() === ""} onClick={() => void save()}>
          {action}
        </Button>
      </div>
    </div>
  );
}
