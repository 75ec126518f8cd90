import { useLayoutEffect, useRef } from "preact/hooks";
import type { Session } from "../api/types";
import { change, titleOf } from "../state/session-actions";

/** The title as an input field: Enter and blur save it, Esc cancels. */
export function RenameField({ session, onDone }: { session: Session; onDone: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useLayoutEffect(() => input.current?.select(), []);
  const end = (keep: boolean) => {
    if (over.current) {
      return;
    }
    over.current = true;
    const title = input.current?.value.trim() ?? "";
    if (keep && title && title !== session.title) {
      void change(session, { title });
    }
    onDone();
  };
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      end(event.key === "Enter");
    }
  };
  return (
    <input
      ref={input}
      class="input rename"
      dir="auto"
      aria-label="New title"
      defaultValue={titleOf(session)}
      onKeyDown={onKey}
      onBlur={() => end(true)}
    />
  );
}
