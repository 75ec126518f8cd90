import type { DocumentInfo } from "../api/types";
import { IconButton } from "../ui/button";
import { count } from "../ui/format";
import { DocumentIcon, TrashIcon, WarningIcon } from "../ui/icons";
import { Day } from "../ui/time";

const TYPES: Record<string, string> = {
  "text/plain": "Text",
  "text/markdown": "Markdown",
  "text/html": "HTML",
  "application/pdf": "PDF",
};

export function nameOf(document: DocumentInfo): string {
  return document.title || document.name;
}

export function DocumentRow({ document, remove }: { document: DocumentInfo; remove: () => void }) {
  const type = document.media_type;
  return (
    <li>
      <DocumentIcon />
      <div class="row-main">
        <a class="row-name" href={`/documents#${encodeURIComponent(document.id)}`}>
          {nameOf(document)}
        </a>
        <p class="dots">
          {nameOf(document) !== document.name && <span>{document.name}</span>}
          {type && <span>{TYPES[type] ?? type}</span>}
          <span>{count(document.chunks, "piece")}</span>
          <span>{count(document.tokens, "token")}</span>
          <span>version {document.version}</span>
          <span>
            added <Day at={document.added_at} />
          </span>
        </p>
        {document.notices.map((notice) => (
          <p key={notice} class="notice">
            <WarningIcon /> {notice}
          </p>
        ))}
      </div>
      <IconButton class="small" label={`Remove “${nameOf(document)}”…`} icon={<TrashIcon />} onClick={remove} />
    </li>
  );
}
