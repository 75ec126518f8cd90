/** Short notifications at the bottom of the page, some with an undo button. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { explain } from "../api/problem";
import { Button, IconButton } from "./button";
import { classes } from "./classes";
import { CloseIcon } from "./icons";

interface Note {
  id: number;
  text: string;
  tone: "plain" | "problem";
  undo?: () => void;
  /** Called when it disappears without an undo. */
  ended?: () => void;
}

const SHOWN_FOR = 6000;
const SHOWN_WITH_UNDO = 10_000;
const notes = signal<Note[]>([]);
let issued = 0;

export function toast(text: string, undo?: () => void, ended?: () => void): void {
  show({ text, tone: "plain", undo, ended });
}

/** Shows the error of a user action. */
export function complain(error: unknown): void {
  show({ text: explain(error), tone: "problem" });
}

function show(note: Omit<Note, "id">): void {
  issued += 1;
  notes.value.slice(0, -2).forEach((old) => dismiss(old.id));
  notes.value = [...notes.value, { ...note, id: issued }];
}

function dismiss(id: number): void {
  const ended = notes.value.find((note) => note.id === id)?.ended;
  drop(id);
  ended?.();
}

function drop(id: number): void {
  notes.value = notes.value.filter((note) => note.id !== id);
}

/** The container of the notifications: a popover, reopened with each one, so that it is above dialogs, too. */
export function Toasts() {
  const element = useRef<HTMLDivElement>(null);
  const newest = notes.value.at(-1)?.id;
  useEffect(() => {
    element.current?.hidePopover();
    if (newest !== undefined) {
      element.current?.showPopover();
    }
  }, [newest]);
  return (
    <div ref={element} class="toasts" popover="manual" role="status" aria-live="polite">
      {notes.value.map((note) => (
        <Toast key={note.id} note={note} />
      ))}
    </div>
  );
}

function Toast({ note }: { note: Note }) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(note.id), note.undo ? SHOWN_WITH_UNDO : SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [note.id]);
  const undo = () => {
    drop(note.id);
    note.undo?.();
  };
  return (
    <div class={classes("toast", note.tone)}>
      <span>{note.text}</span>
      {note.undo && (
        <Button look="quiet" onClick={undo}>
          Undo
        </Button>
      )}
      <IconButton label="Dismiss" icon={<CloseIcon />} onClick={() => dismiss(note.id)} />
    </div>
  );
}
