import { Button } from "../ui/button";
import { CopyIcon } from "../ui/icons";
import { copy } from "../ui/copy";

export function CodeBlock({ text, language }: { text: string; language: string }) {
  const name = language.trim().split(/\s+/)[0] ?? "";
  return (
    <figure class="code-block">
      <figcaption>
        <span>{name || "text"}</span>
        <Button look="quiet" icon={<CopyIcon />} onClick={() => void copy(text, "Code copied")}>
          Copy
        </Button>
      </figcaption>
      <pre tabIndex={0} aria-label={name ? `Code in ${name}` : "Code"} role="region">
        <code>{text}</code>
      </pre>
    </figure>
  );
}
