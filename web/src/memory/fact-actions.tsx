import type { ComponentChildren } from "preact";
import type { Fact } from "../api/types";
import { IconButton } from "../ui/button";
import { EditIcon, EyeIcon, EyeOffIcon, PinIcon } from "../ui/icons";
import { hide, pin } from "./facts";

interface Props {
  fact: Pick<Fact, "id" | "text" | "pinned" | "hidden">;
  edit: () => void;
  onHide?: (event: MouseEvent) => void;
  /** Additional buttons. */
  children?: ComponentChildren;
}

/** The actions for a fact. */
export function FactActions({ fact, edit, onHide, children }: Props) {
  const turn = (event: MouseEvent) => {
    onHide?.(event);
    void hide(fact, !fact.hidden);
  };
  return (
    <div class="fact-actions">
      <IconButton
        class="small"
        label={fact.pinned ? "Pinned: it is in every prompt" : "Pin: put it in every prompt"}
        aria-pressed={fact.pinned}
        icon={<PinIcon />}
        onClick={() => void pin(fact)}
      />
      <IconButton class="small" label="Edit" data-does="edit" icon={<EditIcon />} onClick={edit} />
      <IconButton
        class="small"
        label={fact.hidden ? "Hidden: it is kept out of all prompts" : "Hide: keep it out of all prompts"}
        aria-pressed={fact.hidden}
        data-does="hide"
        icon={fact.hidden ? <EyeOffIcon /> : <EyeIcon />}
        onClick={turn}
      />
      {children}
    </div>
  );
}
