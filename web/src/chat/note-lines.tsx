/** Lines under a user message with the facts extracted from it, each with an undo button. */
import { useRef } from "preact/hooks";
import type { Message } from "../api/types";
import { Button } from "../ui/button";
import { type FactNote, factNotes } from "./fact-notes";

export function NoteLines({ message }: { message: Message }) {
  const notes = factNotes.ofMessage(message.id);
  if (notes.length === 0) {
    return null;
  }
  return (
    <div class="note-lines" role="status" aria-live="polite" aria-atomic="false">
      {notes.map((note) => (
        <NoteLine key={note.fact.id} note={note} undo={() => factNotes.undo(message.id, note.fact.id)} />
      ))}
    </div>
  );
}

function NoteLine({ note, undo }: { note: FactNote; undo: () => Promise<void> }) {
  const line = useRef<HTMLDivElement>(null);
  const open = note.state === "noted" || note.state === "undoing";
  const onClick = async () => {
    if (note.state !== "noted") {
      return;
    }
    await undo();
    // The button disappears after an undo, and the keyboard focus must not be lost with it.
    requestAnimationFrame(() => document.activeElement === document.body && line.current?.focus());
  };
  return (
    <div class={`note-line ${note.state}`} ref={line} tabIndex={-1}>
      <p>
        Noted: <span dir="auto">{note.fact.text}</span>
      </p>
      {open && (
        <Button
          look="quiet"
          aria-label={`Undo the note: ${note.fact.text}`}
          aria-disabled={note.state === "undoing"}
          onClick={() => void onClick()}
        >
          Undo
        </Button>
      )}
      {!open && <p class="note-end">{note.state === "undone" ? "Undone" : "Already forgotten"}</p>}
      {note.problem !== "" && <p class="note-problem">Not undone: {note.problem}</p>}
    </div>
  );
}
