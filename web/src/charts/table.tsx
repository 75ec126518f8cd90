import type { Series } from "./series";
import { longDay, type Steps } from "./steps";

/** The numbers of a chart, newest first. */
export function ChartTable({ series, steps }: { series: Series; steps: Steps }) {
  const rows = steps.periods.map((period, at) => ({ period, at })).reverse();
  return (
    <div class="chart-table" tabIndex={0} role="region" aria-label={`${series.title}: table`}>
      <table class="table">
        <caption class="visually-hidden">
          {series.title}, by {steps.unit}
        </caption>
        <thead>
          <tr>
            <th scope="col">{steps.unit === "week" ? "Week from" : "Day"}</th>
            {series.lines.map((line) => (
              <th key={line.name} scope="col" class="right">
                {line.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ period, at }) => (
            <tr key={period.start_at}>
              <th scope="row">{longDay(period)}</th>
              {series.lines.map((line) => {
                const value = line.values[at] ?? null;
                return (
                  <td key={line.name} class="right">
                    {value === null ? "not measured" : series.said(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
