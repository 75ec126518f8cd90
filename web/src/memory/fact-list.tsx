import { useEffect, useState } from "preact/hooks";
import { hash } from "../router";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { Failed } from "../ui/failed";
import { number } from "../ui/format";
import { BrainIcon, PlusIcon } from "../ui/icons";
import { Loading } from "../ui/loading";
import { AddFact } from "./add-fact";
import { FactCard } from "./fact-card";
import { facts, load, MOST, problem } from "./facts";
import { KINDS } from "./kinds";
import { Older } from "./older";
import { type Entry, filtered, known } from "./versions";

export function FactList() {
  const [typed, setTyped] = useState("");
  const [adding, setAdding] = useState(false);
  useTarget(facts.value !== null);
  const all = facts.value;
  if (all === null) {
    return problem.value ? <Failed problem={problem.value} again={() => void load()} /> : <Loading />;
  }
  const { current, over } = known(all);
  return (
    <div class="facts">
      <div class="fact-bar">
        <input
          class="input"
          type="search"
          aria-label="Filter the facts"
          placeholder="Filter"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <Button icon={<PlusIcon />} aria-expanded={adding} onClick={() => setAdding(!adding)}>
          Add a fact
        </Button>
      </div>
      {adding && <AddFact onDone={() => setAdding(false)} />}
      {problem.value && <Failed problem={problem.value} again={() => void load()} />}
      {current.length === 0 ? <NothingYet /> : <Groups entries={filtered(current, typed)} />}
      {over.length > 0 && typed === "" && <Older facts={over} label={`No longer true (${number(over.length)})`} />}
      {all.length >= MOST && <p class="hint">The newest {number(MOST)} are shown. Search (Ctrl+K) finds the others.</p>}
    </div>
  );
}

function Groups({ entries }: { entries: Entry[] }) {
  if (entries.length === 0) {
    return <Empty title="No fact has these words" />;
  }
  return (
    <>
      {KINDS.map(([kind, title]) => {
        const members = entries.filter((entry) => entry.fact.kind === kind);
        return (
          members.length > 0 && (
            <section key={kind} class="fact-group" aria-labelledby={`kind-${kind}`}>
              <h2 id={`kind-${kind}`}>
                {title} <span class="count">{members.length}</span>
              </h2>
              <ul class="fact-cards">
                {members.map((entry) => (
                  <FactCard key={entry.fact.id} {...entry} />
                ))}
              </ul>
            </section>
          )
        );
      })}
    </>
  );
}

function NothingYet() {
  return (
    <Empty icon={<BrainIcon />} title="Nothing is known about you yet">
      <p>Say something about yourself in a chat (“I live in Lisbon”), or add a fact here.</p>
    </Empty>
  );
}

/** Brings the fact that the address names into sight, also out of a fold. */
function useTarget(ready: boolean): void {
  const id = hash.value;
  useEffect(() => {
    const target = ready && id.startsWith("fact-") ? document.getElementById(id) : null;
    if (target === null) {
      return;
    }
    for (let fold = target.closest("details"); fold !== null; fold = fold.parentElement?.closest("details") ?? null) {
      fold.open = true;
    }
    target.classList.add("target");
    target.scrollIntoView({ block: "center" });
    return () => target.classList.remove("target");
  }, [ready, id]);
}
