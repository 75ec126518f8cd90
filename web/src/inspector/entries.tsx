/** The items included in or considered for a prompt: source, score, tokens, and reason. */
import type { Entry } from "../api/types";
import { sourceAddress } from "../chat/cited";
import { Bar } from "../ui/bar";
import { Empty } from "../ui/empty";
import { count, words } from "../ui/format";
import { signalLabel } from "../ui/signals";
import { Time } from "../ui/time";

const NOTHING = {
  used: "Nothing was retrieved for this answer",
  profile: "The prompt had no profile",
  considered: "Nothing else was considered",
};

const NOTES = {
  used: "Retrieved and included in the prompt. Sources that the answer cites are listed under it.",
  profile: "The profile, which is in every prompt.",
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
              <Bar key={name} label={signalLabel(name)} value={value} />
            ))}
        </div>
      )}
    </>
  );
}
