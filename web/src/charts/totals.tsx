import type { Stats } from "../api/types";
import { bytes, count, milliseconds, number } from "../ui/format";

const ROUND = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** The size of the store, which only administrators see. */
function stored(size: number | null): [string, string, string][] {
  return size === null ? [] : [["Store", bytes(size), "on disk, of all users, with indexes"]];
}

/** The current totals. */
export function Totals({ stats }: { stats: Stats }) {
  const put = `${number(stats.archived)} archived, ${number(stats.deleted)} in the trash`;
  const { recall_p50: half, recall_p95: most } = stats;
  const prompts = stats.periods.reduce((sum, period) => sum + period.prompts, 0);
  const figures: [string, string, string][] = [
    ["Sessions", number(stats.sessions), put],
    ["Messages", number(stats.messages), `${ROUND.format(stats.session_length)} in a session on average`],
    ["Tokens", number(stats.tokens), "in all messages"],
    ["Facts", number(stats.facts), "known about you"],
    ["Documents", number(stats.documents), "to draw on"],
    ...stored(stats.size),
    ["Prompts", number(prompts), `in ${count(stats.periods.length, "day")}`],
    ["Recall", half === null ? "–" : milliseconds(half), most === null ? "not measured" : `95 % within ${milliseconds(most)}`],
  ];
  return (
    <dl class="totals">
      {figures.map(([name, value, note]) => (
        <div key={name} class="total">
          <dt>{name}</dt>
          <dd>
            <span class="total-value">{value}</span>
            <span class="hint">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
