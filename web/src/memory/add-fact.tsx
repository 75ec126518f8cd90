import { useState } from "preact/hooks";
import type { FactKind } from "../api/types";
import { FactField } from "./fact-field";
import { add } from "./facts";
import { KINDS } from "./kinds";

export function AddFact({ onDone }: { onDone: () => void }) {
  const [kind, setKind] = useState<FactKind>("identity");
  const [pinned, setPinned] = useState(false);
  return (
    <div class="card">
      <FactField
        label="What should be remembered?"
        action="Add"
        onSave={(text) => add({ text, kind, pinned })}
        onDone={onDone}
      >
        <div class="form-row">
          <label class="field">
            <span>Kind</span>
            <select value={kind} onChange={(event) => setKind(event.currentTarget.value as FactKind)}>
              {KINDS.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label class="check">
            <input type="checkbox" checked={pinned} onChange={(event) => setPinned(event.currentTarget.checked)} />
            <span>Pin: put it in every prompt</span>
          </label>
        </div>
      </FactField>
    </div>
  );
}
