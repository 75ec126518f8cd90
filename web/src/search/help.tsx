/** The operators of a query. */
import type { RefObject } from "preact";

const PREFIXES: [string, string][] = [
  ["role:user ", "your own messages; or role:assistant"],
  ["tag:", "in conversations with a tag"],
  ["session:", "in one conversation"],
  ["after:", "since a day, such as after:2026-05-01"],
  ["before:", "up to a day"],
  ['"…"', "these words in this order"],
  ["-word", "without a word"],
];

export function Help({ add, field }: { add: (prefix: string) => void; field: RefObject<HTMLInputElement | null> }) {
  const take = (prefix: string) => {
    add(prefix);
    field.current?.focus();
  };
  return (
    <dl class="search-help">
      {PREFIXES.map(([prefix, meaning]) => (
        <div key={prefix}>
          <dt>
            {prefix.includes(":") ? (
              <button type="button" class="chip" onClick={() => take(prefix)}>
                {prefix.trim()}
              </button>
            ) : (
              <span class="chip">{prefix}</span>
            )}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
      <div>
        <dt>
          <kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd>
        </dt>
        <dd>select, and open</dd>
      </div>
    </dl>
  );
}
