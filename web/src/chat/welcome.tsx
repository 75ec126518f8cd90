import { me } from "../state/me";

/** Shown in a chat without messages. */
export function Welcome({ temporary }: { temporary: boolean }) {
  return (
    <div class="welcome">
      <h1>{temporary ? "A chat that leaves no trace" : "What is on your mind?"}</h1>
      <p>
        {temporary
          ? "Nothing in this chat is saved, searched or learned from. It is gone when the server stops."
          : "This chat is remembered, and every answer shows the memories it used."}
      </p>
      {me.value?.llm === null && (
        <p class="no-model">Answers are quotes from memory. {sentence(me.value.llm_note)}</p>
      )}
    </div>
  );
}

/** Formats a note as a sentence. */
function sentence(note: string): string {
  return note && `${note[0]!.toUpperCase()}${note.slice(1)}${/[.!?]$/.test(note) ? "" : "."}`;
}
