/** The profile: what is in the prompts of every new conversation. */
import { useId, useState } from "preact/hooks";
import type { Fact, FactKind, Profile, ProfileLine } from "../api/types";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { Failed } from "../ui/failed";
import { count, number } from "../ui/format";
import { BrainIcon, ClockIcon, EyeIcon } from "../ui/icons";
import { Loading } from "../ui/loading";
import { ChangesDialog } from "./changes-dialog";
import { facts, type FactName, hide, load, problem, profile } from "./facts";
import { KINDS } from "./kinds";
import { LineCard } from "./line-card";
import { Sources } from "./sources";

export function ProfileView() {
  const [changesOf, showChanges] = useState<FactName | "all" | null>(null);
  const made = profile.value;
  if (made === null) {
    return problem.value ? <Failed problem={problem.value} again={() => void load()} /> : <Loading />;
  }
  return (
    <div class="facts">
      <div class="profile-head">
        <p class="hint">
          At the head of every new conversation, whatever is asked. One that is going on takes up what is new when it is
          next shortened; what you hide or correct leaves it at once.
        </p>
        <Button icon={<ClockIcon />} onClick={() => showChanges("all")}>
          Changes
        </Button>
        {made.lines.length > 0 && <Usage made={made} />}
      </div>
      {problem.value && <Failed problem={problem.value} again={() => void load()} />}
      {made.lines.length === 0 ? <NothingGiven made={made} /> : <Groups lines={made.lines} showChanges={showChanges} />}
      <Hidden found={facts.value?.filter((fact) => fact.hidden && fact.until === null) ?? []} />
      <ChangesDialog of={changesOf} onClose={() => showChanges(null)} />
    </div>
  );
}

function Usage({ made }: { made: Profile }) {
  const share = Math.min(1, made.tokens / Math.max(1, made.limit));
  return (
    <div class="profile-usage">
      <span>
        {number(made.tokens)} of {count(made.limit, "token")}
      </span>
      <span class="bar-track" aria-hidden="true">
        <span class="bar-fill" style={{ width: `${share * 100}%` }} />
      </span>
    </div>
  );
}

/** Groups the lines by kind, in the order in which the model reads them. */
function Groups({ lines, showChanges }: { lines: ProfileLine[]; showChanges: (of: FactName) => void }) {
  const kinds = [...new Set(lines.map((line) => line.kind))];
  return (
    <>
      {kinds.map((kind) => (
        <Group
          key={kind}
          kind={kind}
          lines={lines.filter((line) => line.kind === kind)}
          showChanges={showChanges}
        />
      ))}
    </>
  );
}

interface GroupProps {
  kind: FactKind;
  lines: ProfileLine[];
  showChanges: (of: FactName) => void;
}

function Group({ kind, lines, showChanges }: GroupProps) {
  const id = useId();
  const title = KINDS.find(([name]) => name === kind)?.[1] ?? kind;
  return (
    <section class="fact-group" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="rows">
        {lines.map((line) => (
          <LineCard key={line.fact || line.text} line={line} showChanges={showChanges} />
        ))}
      </ul>
    </section>
  );
}

/** Facts that the user has hidden from prompts. */
function Hidden({ found }: { found: Fact[] }) {
  if (found.length === 0) {
    return null;
  }
  return (
    <details class="older">
      <summary>Hidden: kept out of all prompts ({number(found.length)})</summary>
      <ul>
        {found.map((fact) => (
          <li key={fact.id} class="older-fact">
            <div>
              <p dir="auto">{fact.text}</p>
              <p class="dots">
                <Sources fact={fact} />
              </p>
            </div>
            <Button look="quiet" icon={<EyeIcon />} onClick={() => void hide(fact, false)}>
              Unhide
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function NothingGiven({ made }: { made: Profile }) {
  if (made.limit === 0) {
    return <Empty icon={<BrainIcon />} title="The profile is switched off by the setting profile_tokens" />;
  }
  return (
    <Empty icon={<BrainIcon />} title="Nothing is always given yet">
      <p>
        Write in a chat what should always apply (“From now on use metric units”, “I am allergic to nuts”), or add a fact under
        Facts.
      </p>
    </Empty>
  );
}
