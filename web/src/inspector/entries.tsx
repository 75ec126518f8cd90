/** What was put into a prompt, or nearly: where it is from, how it scored, what it cost, and why. */
import type { Entry } from "../api/types";
import { sourceAddress } from "../chat/cited";
import { Bar } from "../ui/bar";
import { Empty } from "../ui/empty";
import { count, words } from "../ui/format";
import { Time } from "../ui/time";

const NOTHING = {
  used: "Nothing was retrieved for this answer",
  profile: "No profile was given",
  considered: "Nothing else was considered",
};

const NOTES = {
  used: "Retrieved and injected into the prompt. What the answer names is cited under it.",
  profile: "The profile, which every prompt has, whatever is asked.",
  considered: "Retrieved, but left out of the prompt.",
};

export function Entries({ entries, kind }: { entries: Entry[]; kind: keyof typeof NOTHING }) {
  if (entries.length === 0) {
    return <Empty title={NOTHING[kind]} />;
  }
  return (
    <>
      <p class="hint entries-note">{NOTES[kind]}</p>
      <ol class="entries">
        {entries.map((entry, at) => (
          <li key={at} class="entry">
            <EntryView entry={entry} />
          </li>
        ))}
      </ol>
    </>
  );
}

function EntryView({ entry }: { entry: Entry }) {
  const signals = Object.entries(entry.signals).filter(([, value]) => value > 0);
  return (
    <>
      <p class="entry-head">
        <a href={sourceAddress(entry)}>{entry.title || words(entry.kind)}</a>
        {entry.place && <span>{entry.place}</span>}
        {entry.at !== null && <Time at={entry.at} />}
      </p>
      {entry.text && <p class="entry-text" dir="auto">{entry.text}</p>}
      <p class="chips">
        {entry.section && <span class="chip">{words(entry.section)}</span>}
        {entry.tokens > 0 && <span class="chip number">{count(entry.tokens, "token")}</span>}
        {entry.score !== null && <span class="chip number">score {entry.score.toFixed(2)}</span>}
      </p>
      <p class="entry-reason">{entry.reason}</p>
      {signals.length > 0 && (
        <div class="entry-signals">
          {signals
            .sort(([, one], [, other]) => other - one)
            .map(([name, value]) => (
              <Bar key={name} label={words(name)} value={value} />
            ))}
        </div>
      )}
    </>
  );
}
