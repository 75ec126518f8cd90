/** API keys: create, list, revoke. */
import { useState } from "preact/hooks";
import { deleteKey, listKeys } from "../api/data";
import type { Key, MadeKey } from "../api/types";
import { Button, IconButton } from "../ui/button";
import { Confirm } from "../ui/confirm";
import { Empty } from "../ui/empty";
import { Failed } from "../ui/failed";
import { PlusIcon, TrashIcon } from "../ui/icons";
import { useLoaded } from "../ui/loaded";
import { Loading } from "../ui/loading";
import { Section } from "../ui/section";
import { Day } from "../ui/time";
import { toast } from "../ui/toast";
import { NewKeyDialog } from "./new-key-dialog";
import { SecretDialog } from "./secret-dialog";

export function Keys() {
  const found = useLoaded(listKeys);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<MadeKey | null>(null);
  const [dropping, setDropping] = useState<Key | null>(null);
  const drop = async () => {
    if (dropping !== null) {
      await deleteKey(dropping.id);
      toast(`Revoked “${dropping.name}”`);
      found.again();
    }
  };
  const arrived = (key: MadeKey) => {
    setMaking(false);
    setMade(key);
    found.again();
  };
  return (
    <Section
      title="Keys"
      hint="Programs and people on other machines need one. A user’s key gives access to their own memory; a service’s key acts for the users of its tenant."
      actions={
        <Button icon={<PlusIcon />} onClick={() => setMaking(true)}>
          New key
        </Button>
      }
    >
      {found.problem && <Failed problem={found.problem} again={found.again} />}
      {found.value === null && found.loading && <Loading />}
      {found.value && <KeyList keys={found.value.items} drop={setDropping} />}
      <NewKeyDialog open={making} onClose={() => setMaking(false)} onMade={arrived} />
      <SecretDialog made={made} onClose={() => setMade(null)} />
      <Confirm
        title="Revoke this key?"
        action="Revoke"
        open={dropping !== null}
        onClose={() => setDropping(null)}
        onConfirm={drop}
      >
        <p>Whoever uses “{dropping?.name}” is locked out within seconds. A new key can be made at any time.</p>
      </Confirm>
    </Section>
  );
}

function KeyList({ keys, drop }: { keys: Key[]; drop: (key: Key) => void }) {
  if (keys.length === 0) {
    return (
      <Empty title="No keys yet">
        <p>No key is needed on this machine. Create one before other machines can reach the server.</p>
      </Empty>
    );
  }
  return (
    <ul class="rows" aria-label="Keys">
      {keys.map((key) => (
        <li key={key.id}>
          <div class="row-main">
            <p class="row-name">{key.name}</p>
            <p class="dots">
              <span>{key.owner !== null ? `of ${key.owner}` : `of a service, for the users of ${key.tenant}`}</span>
              <span>may {key.scopes.join(", ")}</span>
              <span>
                created <Day at={key.created_at} />
              </span>
              <span>{key.expires_at === null ? "no expiry" : <Ends at={key.expires_at} />}</span>
            </p>
          </div>
          <IconButton class="small" label={`Revoke “${key.name}”…`} icon={<TrashIcon />} onClick={() => drop(key)} />
        </li>
      ))}
    </ul>
  );
}

function Ends({ at }: { at: string }) {
  const over = new Date(at) <= new Date();
  return (
    <>
      {over ? "ended" : "until"} <Day at={at} />
    </>
  );
}
