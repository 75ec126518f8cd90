import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { step } from "./keys";

export interface Tab {
  name: string;
  /** A number next to the name. */
  count?: number;
  content: () => ComponentChildren;
}

interface Props {
  label: string;
  tabs: Tab[];
  /** The index of the initially open tab. */
  first?: number;
}

export function Tabs({ label, tabs, first = 0 }: Props) {
  const [chosen, choose] = useState(first);
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const next = step(event.key, chosen, tabs.length, "horizontal");
    if (next !== null) {
      event.preventDefault();
      choose(next);
      document.getElementById(`${id}-${next}`)?.focus();
    }
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab, at) => (
          <button
            key={tab.name}
            id={`${id}-${at}`}
            type="button"
            role="tab"
            aria-selected={at === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={at === chosen ? 0 : -1}
            onClick={() => choose(at)}
          >
            {tab.name}
            {tab.count !== undefined && <span class="tab-count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} class="tab-panel" role="tabpanel" aria-labelledby={`${id}-${chosen}`} tabIndex={0}>
        {tabs[chosen]?.content()}
      </div>
    </>
  );
}
