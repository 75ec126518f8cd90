import { me } from "../state/me";

/** What a chat shows before anything is said. */
export function Welcome({ temporary }: { temporary: boolean }) {
  return (
    <div class="welcome">
      <h1>{temporary ? "A chat that leaves no trace" : "What is on your mind?"}</h1>
      <p>
        {temporary
          ? "Nothing said here is written down, found again, or learnt from. It is gone when the server stops."
          : "What is said here is remembered, and every answer shows which memories it was given."}
      </p>
      {me.value?.llm === null && (
        <p class="no-model">Answers are quotes from memory. {sentence(me.value.llm_note)}</p>
      )}
    </div>
  );
}

/** A note as a sentence of its own. */
function sentence(note: string): string {
  return note && `${note[0]!.toUpperCase()}${note.slice(1)}${/[.!?]$/.test(note) ? "" : "."}`;
}
