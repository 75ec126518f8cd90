import { useId, useState } from "preact/hooks";
import { Button } from "../ui/button";
import { Plot, reading } from "./plot";
import type { Series } from "./series";
import type { Steps } from "./steps";
import { ChartTable } from "./table";

export function Chart({ series, steps }: { series: Series; steps: Steps }) {
  const [asTable, setAsTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const id = useId();
  return (
    <section class="chart" aria-labelledby={id}>
      <div class="chart-head">
        <h2 id={id}>{series.title}</h2>
        <Button look="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          Table
        </Button>
      </div>
      <p class="chart-said" id={`${id}-said`}>
        {at === null || asTable ? series.total : reading(series, steps, at)}
      </p>
      {asTable ? (
        <ChartTable series={series} steps={steps} />
      ) : (
        <Plot series={series} steps={steps} at={at} onMove={setAt} describedBy={`${id}-total`} />
      )}
      <p id={`${id}-total`} hidden>
        {described(series, steps)}
      </p>
      {series.lines.length > 1 && !asTable && <Legend series={series} />}
    </section>
  );
}

function described(series: Series, steps: Steps): string {
  return `${series.total}. The arrow keys read one ${steps.unit} after the other; the button “Table” shows all numbers.`;
}

function Legend({ series }: { series: Series }) {
  return (
    <ul class="legend">
      {series.lines.map((line, number) => (
        <li key={line.name}>
          <svg width="26" height="10" aria-hidden="true" class={`line line-${number + 1}`}>
            <path class="stroke" d="M1,5H25" />
            {number === 0 ? <circle class="dot" cx="13" cy="5" r="3" /> : <rect class="dot" x="10" y="2" width="6" height="6" />}
          </svg>
          {line.name}
        </li>
      ))}
    </ul>
  );
}
