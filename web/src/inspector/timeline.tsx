/** How long each step of building the prompt and the answer took. */
import type { Receipt } from "../api/types";
import { Empty } from "../ui/empty";
import { milliseconds, words } from "../ui/format";

export function Timeline({ receipt }: { receipt: Receipt }) {
  const steps = Object.entries(receipt.timeline);
  if (steps.length === 0) {
    return <Empty title="No times were recorded for this answer" />;
  }
  const longest = Math.max(...steps.map(([, took]) => took), 1e-9);
  return (
    <table class="timeline">
      <caption class="visually-hidden">Milliseconds of each step</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Step</th>
          <th scope="col">Share</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {steps.map(([name, took]) => (
          <tr key={name}>
            <th scope="row">{words(name)}</th>
            <td class="timeline-bar">
              <span class="bar-track">
                <span class="bar-fill" style={{ width: `${(100 * took) / longest}%` }} />
              </span>
            </td>
            <td class="number">{milliseconds(took)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
