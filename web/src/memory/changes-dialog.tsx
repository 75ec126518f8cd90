import { useState } from "preact/hooks";
import { listFactChanges } from "../api/memory";
import { explain } from "../api/problem";
import type { FactChange } from "../api/types";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { Failed } from "../ui/failed";
import { UndoIcon } from "../ui/icons";
import { useLoaded } from "../ui/loaded";
import { Loading } from "../ui/loading";
import { Time } from "../ui/time";
import { facts, type FactName, undo } from "./facts";

interface Props {
  /** One fact, or all of them; null: the dialog is closed. */
  of: FactName | "all" | null;
  onClose: () => void;
}

/** The changes made by hand, newest first, each with an undo button. */
export function ChangesDialog({ of, onClose }: Props) {
  return (
    <Dialog title={of === "all" ? "Changes of facts" : "Changes of this fact"} open={of !== null} onClose={onClose}>
      <div class="modal-body">{of !== null && <Changes of={of} />}</div>
    </Dialog>
  );
}

function Changes({ of }: { of: FactName | "all" }) {
  const found = useLoaded(() => listFactChanges(of === "all" ? undefined : of.id));
  const [problem, setProblem] = useState("");
  const takeBack = async (change: FactChange) => {
    setProblem("");
    try {
      await undo(change.id);
    } catch (error) {
      setProblem(explain(error));
    }
    found.again();
  };
  if (found.value === null) {
    return found.problem ? <Failed problem={found.problem} again={found.again} /> : <Loading />;
  }
  const { items } = found.value;
  return (
    <>
      {of !== "all" && <p class="fact-text" dir="auto">{of.text}</p>}
      {(problem || found.problem) && <Failed problem={problem || found.problem} />}
      {items.length === 0 ? (
        <Empty title="Nothing was changed by hand" />
      ) : (
        <ol class="rows changes">
          {items.map((change) => (
            <li key={change.id}>
              <div class="row-main">
                <p class="fact-text" dir="auto">{worded(change)}</p>
                <p class="dots">
                  <Time at={change.changed_at} />
                  {change.undone && <span>undone</span>}
                </p>
              </div>
              {!change.undone && (
                <Button look="quiet" icon={<UndoIcon />} disabled={found.loading} onClick={() => void takeBack(change)}>
                  Undo
                </Button>
              )}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function worded(change: FactChange): string {
  const quote = (text: string | boolean | null) => (typeof text === "string" ? `“${text}”` : "something erased since");
  const fact = quote(facts.value?.find((one) => one.id === change.fact)?.text ?? null);
  switch (change.what) {
    case "pinned":
      return `${change.after ? "Pinned" : "Unpinned"} ${fact}`;
    case "hidden":
      return `${change.after ? "Hid" : "Unhid"} ${fact}`;
    case "edited":
      return `Changed ${quote(change.before)} to ${quote(change.after)}`;
    case "ended":
      return `Replaced ${quote(change.before)} by ${quote(change.after)}`;
  }
}
