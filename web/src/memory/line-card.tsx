import { useState } from "preact/hooks";
import type { ProfileLine } from "../api/types";
import { IconButton } from "../ui/button";
import { ClockIcon } from "../ui/icons";
import { Day } from "../ui/time";
import { FactActions } from "./fact-actions";
import { FactField } from "./fact-field";
import { type FactName, reword } from "./facts";
import { Sources } from "./sources";

interface Props {
  line: ProfileLine;
  showChanges: (of: FactName) => void;
}

/** A line of the profile as the model reads it. */
export function LineCard({ line, showChanges }: Props) {
  const [editing, setEditing] = useState(false);
  const fact = { id: line.fact, text: line.fact_text, pinned: line.pinned, hidden: false };
  // An edited text is a new fact with its own card.
  let said = line.fact;
  const save = async (text: string) => {
    said = text === fact.text ? said : await reword(fact, text);
  };
  const done = () => {
    setEditing(false);
    requestAnimationFrame(() => {
      document.getElementById(`line-${said}`)?.querySelector<HTMLElement>('[data-does="edit"]')?.focus();
    });
  };
  return (
    <li id={`line-${line.fact}`} class="fact">
      <div class="row-main">
        {editing ? (
          <FactField label="New wording" action="Save" first={fact.text} onSave={save} onDone={done} />
        ) : (
          <>
            <p class="fact-text" dir="auto">{line.text}</p>
            <p class="dots">
              <span>
                since <Day at={line.since} />
              </span>
              {line.pinned && <span>pinned</span>}
              <Sources fact={{ messages: line.messages, session: line.session, text: line.fact_text }} />
              {line.fact === "" && <span>said just now, not saved as a fact yet</span>}
            </p>
          </>
        )}
      </div>
      {!editing && line.fact !== "" && (
        <FactActions fact={fact} edit={() => setEditing(true)} onHide={focusNext}>
          <IconButton class="small" label="Changes" icon={<ClockIcon />} onClick={() => showChanges(fact)} />
        </FactActions>
      )}
    </li>
  );
}

/** A hidden line disappears, so the focus moves to the next one. */
function focusNext(event: MouseEvent): void {
  const panel = (event.currentTarget as Element).closest<HTMLElement>("[role=tabpanel]");
  const buttons = [...(panel?.querySelectorAll<HTMLElement>('[data-does="hide"]') ?? [])];
  const at = buttons.indexOf(event.currentTarget as HTMLElement);
  (buttons[at + 1] ?? buttons[at - 1] ?? panel)?.focus();
}
