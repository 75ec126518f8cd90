import { useState } from "preact/hooks";
import { download } from "../api/data";
import { explain } from "../api/problem";
import { listSessions } from "../api/sessions";
import { titleOf } from "../state/session-actions";
import { Button } from "../ui/button";
import { Choice } from "../ui/choice";
import { Failed } from "../ui/failed";
import { DownloadIcon } from "../ui/icons";
import { useLoaded } from "../ui/loaded";
import { save } from "../ui/save";
import { Section } from "../ui/section";

type Format = "json" | "markdown";

const NEWEST = 200;
const FORMATS: { value: Format; label: string; hint: string }[] = [
  { value: "json", label: "JSON", hint: "Without loss: it can be imported again, here or elsewhere." },
  { value: "markdown", label: "Markdown", hint: "To be read by people." },
];

export function Export() {
  const [format, setFormat] = useState<Format>("json");
  const [session, setSession] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const found = useLoaded(() => listSessions({ limit: NEWEST }));
  const take = async () => {
    setBusy(true);
    setProblem("");
    try {
      const file = await download(format, session || undefined);
      save(file.name, file.content);
    } catch (error) {
      setProblem(explain(error));
    }
    setBusy(false);
  };
  return (
    <Section title="Export" hint="Download all your data, or one conversation.">
      <Choice label="Format" options={FORMATS} value={format} onChoose={setFormat} />
      <div class="form-row">
        <label class="field">
          <span>What</span>
          <select value={session} onChange={(event) => setSession(event.currentTarget.value)}>
            <option value="">Everything: conversations, facts and documents</option>
            {found.value?.items.map((one) => (
              <option key={one.id} value={one.id}>
                {titleOf(one)}
              </option>
            ))}
          </select>
        </label>
        <Button icon={<DownloadIcon />} disabled={busy} onClick={() => void take()}>
          {busy ? "Exporting…" : "Export"}
        </Button>
      </div>
      {found.value?.next && <p class="hint">The newest {NEWEST} are listed; any other has “Save as” in its own menu.</p>}
      {problem && <Failed problem={problem} />}
    </Section>
  );
}
