import type { Fact } from "../api/types";
import { addressOf } from "../router";

/** Links to the source messages of a fact. */
export function Sources({ fact }: { fact: Pick<Fact, "messages" | "session" | "text"> }) {
  const { messages, session } = fact;
  if (messages.length === 0 || session === null) {
    return <span>written by hand</span>;
  }
  return (
    <span class="sources">
      {messages.map((message, at) => {
        const name = messages.length === 1 ? "source" : `source ${at + 1}`;
        return (
          <a key={message} href={addressOf(session, message)} aria-label={`${name} of “${fact.text}”`}>
            {name}
          </a>
        );
      })}
    </span>
  );
}
