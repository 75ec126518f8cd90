import { useRef, useState } from "preact/hooks";
import type { Fact } from "../api/types";
import { IconButton } from "../ui/button";
import { count } from "../ui/format";
import { TrashIcon } from "../ui/icons";
import { Day } from "../ui/time";
import { FactActions } from "./fact-actions";
import { FactField } from "./fact-field";
import { remove, reword } from "./facts";
import { Older } from "./older";
import { Sources } from "./sources";
import type { Entry } from "./versions";

export function FactCard({ fact, older }: Entry) {
  const [editing, setEditing] = useState(false);
  const card = useRef<HTMLLIElement>(null);
  const done = () => {
    setEditing(false);
    requestAnimationFrame(() => focus(card.current, "edit"));
  };
  return (
    <li ref={card} id={`fact-${fact.id}`} class="fact">
      <div class="row-main">
        {editing ? (
          <FactField
            label="New wording"
            action="Save"
            first={fact.text}
            onSave={async (text) => void (text !== fact.text && (await reword(fact, text)))}
            onDone={done}
          />
        ) : (
          <Told fact={fact} />
        )}
        {older.length > 0 && <Older facts={older} label={`Before: ${count(older.length, "older version")}`} />}
      </div>
      {!editing && <Actions fact={fact} older={older} edit={() => setEditing(true)} />}
    </li>
  );
}

function Told({ fact }: { fact: Fact }) {
  return (
    <>
      <p class="fact-text" dir="auto">{fact.text}</p>
      <p class="dots">
        {fact.subject !== "user" && <span>about {fact.subject}</span>}
        <span>
          since <Day at={fact.since} />
        </span>
        {fact.messages.length > 0 && <span>{Math.round(fact.confidence * 100)} % sure</span>}
        {fact.hidden ? <span>kept out of prompts</span> : fact.pinned && <span>in every prompt</span>}
        <Sources fact={fact} />
      </p>
    </>
  );
}

/** Moves the focus to one of a card's buttons. */
function focus(card: Element | null | undefined, name: "edit" | "delete"): void {
  card?.querySelector<HTMLElement>(`[data-does="${name}"]`)?.focus();
}

function Actions({ fact, older, edit }: Entry & { edit: () => void }) {
  const drop = (event: MouseEvent) => {
    const card = (event.currentTarget as Element).closest("li");
    focus(card?.nextElementSibling ?? card?.previousElementSibling, "delete");
    remove(fact, older);
  };
  return (
    <FactActions fact={fact} edit={edit}>
      <IconButton class="small" label="Delete" data-does="delete" icon={<TrashIcon />} onClick={drop} />
    </FactActions>
  );
}
