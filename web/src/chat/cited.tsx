import { useEffect, useState } from "preact/hooks";
import type { Entry, Message } from "../api/types";
import { addressOf } from "../router";
import { citedBy } from "./citations";
import type { Conversation } from "./conversation";

/** The sources that an answer cites. */
export function Cited({ message, conversation }: { message: Message; conversation: Conversation }) {
  const entries = useCited(message, conversation);
  if (entries.length === 0) {
    return null;
  }
  return (
    <p class="cited">
      <span>Cited</span>
      {entries.map((entry, at) => (
        <a key={at} class="chip" href={sourceAddress(entry)} title={entry.text} dir="auto">
          {[entry.title || entry.kind, entry.place].filter(Boolean).join(" ")}
        </a>
      ))}
    </p>
  );
}

function useCited(message: Message, conversation: Conversation): Entry[] {
  const [entries, setEntries] = useState<Entry[]>([]);
  const documents = conversation.documents.value;
  useEffect(() => {
    const controller = new AbortController();
    // An answer is readable without its receipt.
    citedBy(message, documents, controller.signal).then(setEntries, () => undefined);
    return () => controller.abort();
  }, [message.id, message.text, documents.map((document) => document.name).join("\n")]);
  return entries;
}

/** Returns the address in the page that shows a source. */
export function sourceAddress(source: { kind: string; id: string | null; session: string | null }): string {
  switch (source.kind) {
    case "fact":
      return `/memory#fact-${encodeURIComponent(source.id ?? "")}`;
    case "document":
    case "chunk":
    case "snippet":
      return `/documents#${encodeURIComponent(source.id ?? "")}`;
    default:
      return source.session === null ? "/memory" : addressOf(source.session, source.kind === "message" ? source.id : null);
  }
}
