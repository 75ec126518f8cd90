import { useState } from "preact/hooks";
import { createKey } from "../api/data";
import { explain } from "../api/problem";
import type { MadeKey, NewKey } from "../api/types";
import { me } from "../state/me";
import { Button } from "../ui/button";
import { Choice } from "../ui/choice";
import { Dialog } from "../ui/dialog";
import { Failed } from "../ui/failed";

type Scope = NonNullable<NewKey["scopes"]>[number];
type Whose = "owner" | "tenant";

const SCOPES: [Scope, string][] = [
  ["read", "Read what is there"],
  ["write", "Write, import and erase"],
  ["admin", "Administer the server: keys, retention, statistics of all users"],
];
const WHOSE: { value: Whose; label: string; hint: string }[] = [
  { value: "owner", label: "A user", hint: "Opens this user’s memory and no other." },
  { value: "tenant", label: "A service", hint: "Acts for all users of its tenant, whom it names with each request." },
];

interface Props {
  open: boolean;
  onClose: () => void;
  onMade: (key: MadeKey) => void;
}

export function NewKeyDialog({ open, onClose, onMade }: Props) {
  return (
    <Dialog title="New key" open={open} onClose={onClose}>
      <Form onClose={onClose} onMade={onMade} />
    </Dialog>
  );
}

function Form({ onClose, onMade }: Omit<Props, "open">) {
  const [name, setName] = useState("");
  const [whose, setWhose] = useState<Whose>("owner");
  const [of, setOf] = useState(me.value?.owner ?? "");
  const [scopes, setScopes] = useState<Scope[]>(["read", "write"]);
  const [ends, setEnds] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const make = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      const key = { name: name.trim(), expires_at: endOf(ends) };
      const service = { ...key, tenant: of.trim(), scopes: scopes.filter((scope) => scope !== "admin") };
      onMade(await createKey(whose === "owner" ? { ...key, owner: of.trim(), scopes } : service));
    } catch (error) {
      setProblem(explain(error));
      setBusy(false);
    }
  };
  const toggle = (scope: Scope, on: boolean) => setScopes(on ? [...scopes, scope] : scopes.filter((one) => one !== scope));
  return (
    <form onSubmit={(event) => void make(event)}>
      <div class="modal-body">
        <label class="field">
          <span>Name</span>
          <input
            required
            autofocus
            maxLength={200}
            placeholder="What it is used for"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <Choice label="Key for" options={WHOSE} value={whose} onChoose={setWhose} />
        <label class="field">
          <span>{whose === "owner" ? "User" : "Tenant"}</span>
          <input required maxLength={200} value={of} onInput={(event) => setOf(event.currentTarget.value)} />
        </label>
        <fieldset class="choice">
          <legend>It may</legend>
          {SCOPES.filter(([scope]) => whose === "owner" || scope !== "admin").map(([scope, label]) => (
            <label key={scope} class="check">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={(event) => toggle(scope, event.currentTarget.checked)}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
        <label class="field">
          <span>Valid until the end of (empty: no limit)</span>
          <input type="date" min={today()} value={ends} onInput={(event) => setEnds(event.currentTarget.value)} />
        </label>
        {problem && <Failed problem={problem} />}
      </div>
      <footer class="modal-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={busy || !name.trim() || !of.trim() || scopes.length === 0}>
          Create the key
        </Button>
      </footer>
    </form>
  );
}

/** Returns the end of a local day in the format of the server. */
function endOf(day: string): string | null {
  return day ? new Date(`${day}T23:59:59`).toISOString() : null;
}

function today(): string {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}
