import type { ImportReport as Report } from "../api/types";
import { number } from "../ui/format";
import { WarningIcon } from "../ui/icons";

const FORMATS: Record<string, string> = {
  keepsaid: "Keepsaid’s own export",
  chatgpt: "ChatGPT",
  claude: "Claude",
  "open-webui": "Open WebUI",
  librechat: "LibreChat",
  "chat-jsonl": "chats as JSON lines",
  "llama-index": "LlamaIndex",
  "langchain-sql": "LangChain",
  tables: "a database with a table of messages",
};

/** The result of an import or of its preview. */
export function ImportReport({ report, preview }: { report: Report; preview: boolean }) {
  const left = Object.entries(report.skipped);
  const repaired = Object.entries(report.repaired);
  return (
    <div class="import-report" role="status">
      <p class="import-said">{preview ? "This would come in:" : "Imported:"}</p>
      <dl class="pairs">
        <Pair name="Format" value={FORMATS[report.format] ?? report.format} />
        <Pair name="Conversations" value={report.conversations} />
        <Pair name="Messages" value={report.messages} />
        {report.already_there > 0 && <Pair name="Already stored" value={report.already_there} />}
        {report.documents > 0 && <Pair name="Documents" value={report.documents} />}
        {report.facts > 0 && <Pair name="Facts" value={report.facts} />}
      </dl>
      <Counts title={preview ? "Would be left out" : "Left out"} counts={left} />
      <Counts title={preview ? "Would be repaired" : "Repaired"} counts={repaired} />
      {report.warnings.map((warning) => (
        <p key={warning} class="notice">
          <WarningIcon /> {warning}
        </p>
      ))}
    </div>
  );
}

function Pair({ name, value }: { name: string; value: string | number }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{typeof value === "number" ? number(value) : value}</dd>
    </>
  );
}

function Counts({ title, counts }: { title: string; counts: [string, number][] }) {
  if (counts.length === 0) {
    return null;
  }
  return (
    <>
      <p class="import-said">{title}:</p>
      <dl class="pairs">
        {counts.map(([reason, times]) => (
          <Pair key={reason} name={reason} value={times} />
        ))}
      </dl>
    </>
  );
}
