import { words } from "../ui/format";
import { ToolIcon } from "../ui/icons";

interface Props {
  name: string;
  input: unknown;
  /** The result; null while the tool runs. */
  output: string | null;
  failed: boolean;
}

/** A tool call, collapsed: its name, arguments and result. */
export function ToolFold({ name, input, output, failed }: Props) {
  return (
    <details class="tool-fold">
      <summary>
        <ToolIcon />
        <span>{words(name)}</span>
        <span class="tool-state">{output === null ? "working…" : failed ? "failed" : "done"}</span>
      </summary>
      <p class="tool-part">Given</p>
      <pre tabIndex={0}>{pretty(input)}</pre>
      {output !== null && (
        <>
          <p class="tool-part">Answered</p>
          <pre tabIndex={0}>{output}</pre>
        </>
      )}
    </details>
  );
}

/** Arguments are a JSON string exactly as the model wrote it, which may be invalid. */
function pretty(input: unknown): string {
  try {
    return JSON.stringify(typeof input === "string" ? JSON.parse(input) : input, null, 2);
  } catch {
    return String(input);
  }
}
