/** Who may come in: keys are made, listed and taken back. */
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
      toast(`Took “${dropping.name}” back`);
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
      hint="Programs and people on other machines need one. A user’s key opens his own memory; a service’s acts for the users of its tenant."
      actions={
        <Button icon={<PlusIcon />} onClick={() => setMaking(true)}>
          New key
        </Button>
      }
    >
      {found.problem && <Failed problem={found.problem} again={found.again} />}
      {found.value === null && found.loading && <Loading />}
      {found.value && <KeyTable keys={found.value.items} drop={setDropping} />}
      <NewKeyDialog open={making} onClose={() => setMaking(false)} onMade={arrived} />
      <SecretDialog made={made} onClose={() => setMade(null)} />
      <Confirm
        title="Take this key back?"
        action="Take it back"
        open={dropping !== null}
        onClose={() => setDropping(null)}
        onConfirm={drop}
      >
        <p>Whoever uses “{dropping?.name}” is locked out within seconds. A new key can be made at any time.</p>
      </Confirm>
    </Section>
  );
}

function KeyTable({ keys, drop }: { keys: Key[]; drop: (key: Key) => void }) {
  if (keys.length === 0) {
    return (
      <Empty title="No keys yet">
        <p>On this machine none is needed. Make one before the server is opened to others.</p>
      </Empty>
    );
  }
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Keys">
      <table class="table keys">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">For</th>
            <th scope="col">May</th>
            <th scope="col">Made</th>
            <th scope="col">Ends</th>
            <th scope="col">
              <span class="visually-hidden">Take back</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">{key.name}</th>
              <td>{key.owner !== null ? key.owner : `service of ${key.tenant}`}</td>
              <td>{key.scopes.join(", ")}</td>
              <td>
                <Day at={key.created_at} />
              </td>
              <td>{key.expires_at ? <Ends at={key.expires_at} /> : "never"}</td>
              <td class="right">
                <IconButton class="small" label={`Take “${key.name}” back…`} icon={<TrashIcon />} onClick={() => drop(key)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Ends({ at }: { at: string }) {
  return (
    <>
      <Day at={at} />
      {new Date(at) <= new Date() && " (over)"}
    </>
  );
}
