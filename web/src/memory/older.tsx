import type { Fact } from "../api/types";
import { IconButton } from "../ui/button";
import { TrashIcon } from "../ui/icons";
import { Day } from "../ui/time";
import { remove } from "./facts";
import { Sources } from "./sources";

/** Older versions of a fact, collapsed. */
export function Older({ facts, label }: { facts: Fact[]; label: string }) {
  return (
    <details class="older">
      <summary>{label}</summary>
      <ul>
        {facts.map((fact) => (
          <li key={fact.id} id={`fact-${fact.id}`} class="older-fact">
            <div>
              <p>{fact.text}</p>
              <p class="dots">
                <span>
                  <Day at={fact.since} /> to {fact.until && <Day at={fact.until} />}
                </span>
                <Sources fact={fact} />
              </p>
            </div>
            <IconButton class="small" label={`Delete “${fact.text}”`} icon={<TrashIcon />} onClick={() => remove(fact)} />
          </li>
        ))}
      </ul>
    </details>
  );
}
