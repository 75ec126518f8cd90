import { useEffect, useId, useRef, useState } from "preact/hooks";
import { hash } from "../router";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { Failed } from "../ui/failed";
import { number } from "../ui/format";
import { BrainIcon, PlusIcon } from "../ui/icons";
import { Loading } from "../ui/loading";
import { AddFact } from "./add-fact";
import { FactCard } from "./fact-card";
import { facts, load, MAX_FACTS, problem } from "./facts";
import { KINDS } from "./kinds";
import { Older } from "./older";
import { type Entry, filtered, known } from "./versions";

/** The number of facts of a kind shown at first. */
const AT_FIRST = 12;

export function FactList() {
  const [typed, setTyped] = useState("");
  const [adding, setAdding] = useState(false);
  const adder = useRef<HTMLDivElement>(null);
  const target = useTarget(facts.value !== null);
  const all = facts.value;
  if (all === null) {
    return problem.value ? <Failed problem={problem.value} again={() => void load()} /> : <Loading />;
  }
  const { current, over } = known(all);
  const added = () => {
    setAdding(false);
    adder.current?.querySelector("button")?.focus();
  };
  return (
    <div class="facts">
      <div class="fact-bar" ref={adder}>
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
      {adding && <AddFact onDone={added} />}
      {problem.value && <Failed problem={problem.value} again={() => void load()} />}
      {current.length === 0 ? <NothingYet /> : <Groups entries={filtered(current, typed)} whole={typed !== "" || target !== ""} />}
      {over.length > 0 && typed === "" && <Older facts={over} label={`No longer true (${number(over.length)})`} />}
      {all.length >= MAX_FACTS && <p class="hint">The newest {number(MAX_FACTS)} are shown. Search (Ctrl+K) finds the others.</p>}
    </div>
  );
}

function Groups({ entries, whole }: { entries: Entry[]; whole: boolean }) {
  if (entries.length === 0) {
    return <Empty title="No fact matches" />;
  }
  return (
    <>
      {KINDS.map(([kind, title]) => {
        const members = entries.filter((entry) => entry.fact.kind === kind);
        return members.length > 0 && <Group key={kind} title={title} members={members} whole={whole} />;
      })}
    </>
  );
}

function Group({ title, members, whole }: { title: string; members: Entry[]; whole: boolean }) {
  const [all, setAll] = useState(false);
  const id = useId();
  const shown = all || whole ? members : members.slice(0, AT_FIRST);
  return (
    <section class="fact-group" aria-labelledby={id}>
      <h2 id={id}>
        {title} <span class="count">{number(members.length)}</span>
      </h2>
      <ul class="rows">
        {shown.map((entry) => (
          <FactCard key={(entry.older.at(-1) ?? entry.fact).id} {...entry} />
        ))}
      </ul>
      {shown.length < members.length && (
        <Button look="quiet" onClick={() => setAll(true)}>
          Show all {number(members.length)}
        </Button>
      )}
    </section>
  );
}

function NothingYet() {
  return (
    <Empty icon={<BrainIcon />} title="Nothing is known about you yet">
      <p>Write something about yourself in a chat (“I live in Lisbon”), or add a fact here.</p>
    </Empty>
  );
}

/** Scrolls to the fact in the address and unfolds it; "" if there is none. */
function useTarget(ready: boolean): string {
  const id = hash.value.startsWith("fact-") ? hash.value : "";
  useEffect(() => {
    const target = ready ? document.getElementById(id) : null;
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
  return id;
}
