/** The exact prompt sent to the model, and the tokens of each section. */
import type { Receipt } from "../api/types";
import { Button } from "../ui/button";
import { copy } from "../ui/copy";
import { count, number, words } from "../ui/format";
import { CopyIcon } from "../ui/icons";

const PARTS = 7;

export function PromptView({ receipt }: { receipt: Receipt }) {
  const sections = Object.entries(receipt.sections).filter(([, tokens]) => tokens > 0);
  const total = sections.reduce((sum, [, tokens]) => sum + tokens, 0);
  const description = sections.map(([name, tokens]) => `${words(name)} ${tokens}`).join(", ");
  const colour = (at: number) => `var(--part-${(at % PARTS) + 1})`;
  return (
    <div class="prompt">
      <div class="section-bar" role="img" aria-label={description}>
        {sections.map(([name, tokens], at) => (
          <span key={name} style={{ flexGrow: tokens, background: colour(at) }} title={`${words(name)}: ${tokens}`} />
        ))}
      </div>
      <ul class="section-legend">
        {sections.map(([name, tokens], at) => (
          <li key={name}>
            <span class="swatch" style={{ background: colour(at) }} />
            {words(name)} <span class="number">{number(tokens)}</span>
            <span class="number faint">{Math.round((100 * tokens) / total)} %</span>
          </li>
        ))}
      </ul>
      <div class="prompt-head">
        <p class="hint">{count(receipt.messages.length, "message")}, word for word</p>
        <Button
          look="quiet"
          icon={<CopyIcon />}
          onClick={() => void copy(JSON.stringify(receipt.messages, null, 2), "Prompt copied as JSON")}
        >
          Copy
        </Button>
      </div>
      {receipt.messages.map((message, at) => (
        <section key={at} class="prompt-message">
          <h3>{String(message.role)}</h3>
          <pre tabIndex={0} aria-label={`Text of the ${String(message.role)} message`}>{textOf(message)}</pre>
        </section>
      ))}
    </div>
  );
}

/** Content is a text, a list of parts, or empty with tool calls. */
function textOf(message: Record<string, unknown>): string {
  const { role: _, content, ...rest } = message;
  const said = typeof content === "string" ? content : content ? JSON.stringify(content, null, 2) : "";
  const more = Object.keys(rest).length > 0 ? JSON.stringify(rest, null, 2) : "";
  return [said, more].filter(Boolean).join("\n");
}
