import type { Summary } from "../api/types";
import { addressOf } from "../router";
import { titleOf } from "../state/session-actions";
import { Button, IconButton } from "../ui/button";
import { Empty } from "../ui/empty";
import { Failed } from "../ui/failed";
import { count } from "../ui/format";
import { BrainIcon, TrashIcon } from "../ui/icons";
import type { Loaded } from "../ui/loaded";
import { Loading } from "../ui/loading";
import { Day } from "../ui/time";

/** The most summaries that the server returns at once. */
const MAX_SUMMARIES = 500;

interface Props {
  found: Loaded<{ items: Summary[] }>;
  most: number;
  onMore: (most: number) => void;
  forget: (summary: Summary) => void;
}

export function SummaryList({ found, most, onMore, forget }: Props) {
  if (found.value === null) {
    return found.problem ? <Failed problem={found.problem} again={found.again} /> : <Loading />;
  }
  const summaries = found.value.items;
  if (summaries.length === 0) {
    return (
      <Empty icon={<BrainIcon />} title="No conversation is summarised yet">
        <p>A summary is written when a conversation gets long, so that later prompts need not carry all of it.</p>
      </Empty>
    );
  }
  return (
    <div class="summaries">
      {found.problem && <Failed problem={found.problem} again={found.again} />}
      <ul class="rows">
        {summaries.map((summary) => (
          <SummaryCard key={summary.id} summary={summary} forget={() => forget(summary)} />
        ))}
      </ul>
      {summaries.length >= most && most < MAX_SUMMARIES && (
        <Button disabled={found.loading} onClick={() => onMore(Math.min(MAX_SUMMARIES, most * 4))}>
          Show more
        </Button>
      )}
    </div>
  );
}

function SummaryCard({ summary, forget }: { summary: Summary; forget: () => void }) {
  const title = titleOf(summary);
  const covered = count(summary.messages, "message");
  return (
    <li>
      <div class="row-main">
        <h2 class="row-name">
          <a href={addressOf(summary.session)}>{title}</a>
        </h2>
        <p class="summary-text">{summary.text}</p>
        <p class="dots">
          <span>
            covers {covered}
            {summary.upto && (
              <>
                {" "}
                up to <a href={addressOf(summary.session, summary.upto)}>this one</a>
              </>
            )}
          </span>
          <span>{count(summary.tokens, "token")}</span>
          <span>
            written <Day at={summary.created_at} />
          </span>
        </p>
      </div>
      <div class="fact-actions">
        <IconButton class="small" label={`Forget “${title}” permanently…`} icon={<TrashIcon />} onClick={forget} />
      </div>
    </li>
  );
}
