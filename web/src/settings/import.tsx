/** The import: a file is previewed first, and imported after confirmation. */
import { useEffect, useRef, useState } from "preact/hooks";
import { startImport } from "../api/data";
import { explain, isAbort } from "../api/problem";
import type { Job } from "../api/types";
import { reload } from "../state/sessions";
import { Button } from "../ui/button";
import { DropZone } from "../ui/drop-zone";
import { Failed } from "../ui/failed";
import { bytes } from "../ui/format";
import { Section } from "../ui/section";
import { ImportReport } from "./import-report";
import { followed } from "./job";

export function Import() {
  const [file, setFile] = useState<File | null>(null);
  return (
    <Section title="Import" hint="Import conversations from another program or from a Keepsaid export.">
      {file === null ? (
        <DropZone label="Choose a file" onFiles={([chosen]) => setFile(chosen ?? null)}>
          or drop it here: exports of ChatGPT, Claude, Open WebUI, LibreChat, LlamaIndex and LangChain, chats as JSON lines,
          or our own. The format is detected, and you see what would be imported before anything is stored.
        </DropZone>
      ) : (
        <ImportOf key={`${file.name} ${file.size} ${file.lastModified}`} file={file} leave={() => setFile(null)} />
      )}
    </Section>
  );
}

function ImportOf({ file, leave }: { file: File; leave: () => void }) {
  const { job, problem, run } = useImport(file);
  useEffect(() => run(true), []);
  const over = job !== null && job.state !== "running";
  const previewed = over && job.kind === "preview" && job.state === "done";
  const imported = over && job.kind === "import";
  return (
    <div class="card" aria-busy={!over && !problem}>
      <p>
        <strong>{file.name}</strong> <span class="hint">{bytes(file.size)}</span>
      </p>
      {!over && !problem && <Progress job={job} />}
      {job?.report && over && <ImportReport report={job.report} preview={job.kind === "preview"} />}
      {job?.problem && <Failed problem={job.problem.detail} />}
      {problem && <Failed problem={problem} />}
      <div class="foot">
        {!imported && <Button onClick={leave}>{previewed ? "Cancel" : "Another file"}</Button>}
        {previewed && (
          <Button look="primary" onClick={() => run(false)}>
            Import
          </Button>
        )}
        {imported && (
          <Button look="primary" onClick={leave}>
            Done
          </Button>
        )}
      </div>
    </div>
  );
}

/** The current or last preview or import of a file. */
function useImport(file: File) {
  const [job, setJob] = useState<Job | null>(null);
  const [problem, setProblem] = useState("");
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);
  const go = async (preview: boolean) => {
    setJob(null);
    setProblem("");
    try {
      await followed(await startImport(file, preview), setJob, running.current.signal);
      if (!preview) {
        reload();
      }
    } catch (error) {
      if (!isAbort(error)) {
        setProblem(explain(error));
      }
    }
  };
  return { job, problem, run: (preview: boolean) => void go(preview) };
}

function Progress({ job }: { job: Job | null }) {
  const label = job === null ? "Sending" : job.kind === "preview" ? "Reading the file" : "Importing";
  const known = job !== null && job.total > 0;
  return (
    <div class="import-progress">
      <progress class="progress" aria-label={label} max={1} value={known ? job.done / job.total : undefined} />
      <p class="hint" role="status">
        {label}… {known && `${bytes(job.done)} of ${bytes(job.total)}`}
      </p>
    </div>
  );
}
