/** Usage and growth of the memory: current totals, and charts of the previous days. */
import "../style/pages.css";
import "../style/charts.css";
import { useMemo, useState } from "preact/hooks";
import { getStats } from "../api/data";
import type { Stats } from "../api/types";
import { Page } from "../shell/page";
import { Empty } from "../ui/empty";
import { Failed } from "../ui/failed";
import { ChartIcon } from "../ui/icons";
import { useLoaded } from "../ui/loaded";
import { Loading } from "../ui/loading";
import { Chart } from "./chart";
import { seriesOf } from "./series";
import { stepsOf } from "./steps";
import { Totals } from "./totals";

const RANGES: [number, string][] = [
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [365, "A year"],
];
const USUAL = 30;

export default function ChartsPage() {
  const [days, setDays] = useState(USUAL);
  const found = useLoaded(() => getStats(days), [days]);
  return (
    <Page title="Charts">
      {found.problem && <Failed problem={found.problem} again={found.again} />}
      {found.value && <Totals stats={found.value} />}
      <div class="chips" role="group" aria-label="Which days">
        {RANGES.map(([range, label]) => (
          <button key={range} type="button" class="chip" aria-pressed={range === days} onClick={() => setDays(range)}>
            {label}
          </button>
        ))}
      </div>
      {found.value ? <Charts stats={found.value} loading={found.loading} /> : found.loading && <Loading />}
    </Page>
  );
}

function Charts({ stats, loading }: { stats: Stats; loading: boolean }) {
  const steps = useMemo(() => stepsOf(stats.periods), [stats]);
  const series = useMemo(() => seriesOf(stats, steps), [stats, steps]);
  if (stats.messages === 0 && stats.periods.every((period) => period.messages === 0 && period.prompts === 0)) {
    return (
      <Empty icon={<ChartIcon />} title="Nothing to draw yet">
        <p>
          <a href="/">Start a chat</a> or <a href="/settings">import conversations</a>: every day gets its bar.
        </p>
      </Empty>
    );
  }
  return (
    <div class="charts" aria-busy={loading}>
      {series.map((one) => (
        <Chart key={one.title} series={one} steps={steps} />
      ))}
    </div>
  );
}
