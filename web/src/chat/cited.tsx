import type { Source } from "../api/types";
import { addressOf } from "../router";

/** What an answer itself names of what it was given. */
export function Cited({ sources }: { sources: Source[] }) {
  if (sources.length === 0) {
    return null;
  }
  return (
    <p class="cited">
      <span>Cited</span>
      {sources.map((source) => (
        <a key={source.id} class="chip" href={sourceAddress(source)} title={source.text}>
          {[source.title || source.kind, source.place].filter(Boolean).join(" ")}
        </a>
      ))}
    </p>
  );
}

/** Where in the page a source is shown. */
export function sourceAddress(source: { kind: string; id: string | null; session: string | null }): string {
  switch (source.kind) {
    case "fact":
      return `/memory#fact-${encodeURIComponent(source.id ?? "")}`;
    case "document":
    case "chunk":
      return `/documents#${encodeURIComponent(source.id ?? "")}`;
    default:
      return source.session === null ? "/memory" : addressOf(source.session, source.kind === "message" ? source.id : null);
  }
}
