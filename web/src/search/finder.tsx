import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Hit, Kind } from "../api/types";
import { navigate } from "../router";
import { sourceAddress } from "../chat/cited";
import { wordsOf } from "../text/marked-words";
import { IconButton } from "../ui/button";
import { CloseIcon, SearchIcon } from "../ui/icons";
import { step } from "../ui/keys";
import { Help } from "./help";
import { HitView } from "./hit";
import { useFound } from "./use-found";

const KINDS: [Kind, string][] = [
  ["messages", "Messages"],
  ["summaries", "Summaries"],
  ["facts", "Facts"],
  ["documents", "Documents"],
];

export function Finder({ first, close }: { first: string; close: () => void }) {
  const [query, setQuery] = useState(first);
  const [kind, setKind] = useState<Kind | null>(null);
  const [chosen, choose] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const kinds = kind === null ? KINDS.map(([name]) => name) : [kind];
  const { found, problem, searching } = useFound(query, kinds);
  const hits = found?.hits ?? [];
  const words = useMemo(() => wordsOf(query), [query]);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => choose(0), [found]);
  useEffect(() => document.getElementById(`hit-${chosen}`)?.scrollIntoView({ block: "nearest" }), [chosen]);

  const jump = (hit: Hit | undefined) => {
    if (hit !== undefined) {
      close();
      navigate(sourceAddress(hit));
    }
  };
  const narrow = (to: Kind | null) => {
    setKind(to);
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const next = event.key === "Home" || event.key === "End" ? null : step(event.key, chosen, hits.length);
    if (next !== null) {
      event.preventDefault();
      choose(next);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      jump(hits[chosen]);
    }
  };
  return (
    <>
      <div class="search-field">
        <SearchIcon />
        <input
          ref={field}
          type="text"
          role="combobox"
          dir="auto"
          aria-label="Search"
          aria-controls="hits"
          aria-expanded={hits.length > 0}
          aria-activedescendant={hits.length > 0 ? `hit-${chosen}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder="Search everything…"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <IconButton label="Close" icon={<CloseIcon />} onClick={close} />
      </div>
      <div class="search-kinds chips" role="group" aria-label="Where to look">
        <KindChip label="Everything" on={kind === null} onChoose={() => narrow(null)} />
        {KINDS.map(([name, label]) => (
          <KindChip key={name} label={label} on={kind === name} onChoose={() => narrow(name)} />
        ))}
      </div>
      <div class="hits" id="hits" role="listbox" aria-label="What was found" aria-busy={searching}>
        {hits.map((hit, at) => (
          <HitView
            key={`${hit.kind} ${hit.id}`}
            hit={hit}
            words={words}
            at={at}
            chosen={at === chosen}
            onChoose={() => jump(hit)}
          />
        ))}
      </div>
      <p class="search-state" role="status">
        {problem ?? (query.trim() !== "" && !searching && found !== null && hits.length === 0 ? "Nothing was found." : "")}
        {hits.length > 0 && found!.fallbacks.join(" · ")}
      </p>
      {query.trim() === "" && <Help add={(prefix) => setQuery(prefix)} field={field} />}
    </>
  );
}

function KindChip({ label, on, onChoose }: { label: string; on: boolean; onChoose: () => void }) {
  return (
    <button type="button" class="chip" aria-pressed={on} onClick={onChoose}>
      {label}
    </button>
  );
}
