import type { Hit } from "../api/types";
import { MarkedWords } from "../text/marked-words";
import { Time } from "../ui/time";
import { why } from "./why";

interface Props {
  hit: Hit;
  words: string[];
  at: number;
  chosen: boolean;
  onChoose: () => void;
}

export function HitView({ hit, words, at, chosen, onChoose }: Props) {
  const what = hit.role ?? (hit.kind === "fact" ? "" : hit.kind);
  return (
    <div id={`hit-${at}`} class="hit" role="option" aria-selected={chosen} onClick={onChoose}>
      <p class="hit-head">
        <span class="hit-title" dir="auto">{hit.title || (hit.kind === "fact" ? "Fact" : "Untitled")}</span>
        <span class="hit-kind">{[what, hit.place].filter(Boolean).join(" · ")}</span>
        {hit.at !== null && <Time at={hit.at} />}
      </p>
      <p class="hit-text" dir="auto">
        <MarkedWords text={hit.passage} words={words} />
      </p>
      <p class="chips">
        {why(hit).map((reason) => (
          <span key={reason} class="chip">
            {reason}
          </span>
        ))}
      </p>
    </div>
  );
}
