/** The sources that an answer cites, read from its receipt, so that they do not change later. */
import { getReceipt } from "../api/memory";
import type { DocumentInfo, Entry, Message } from "../api/types";

/** The receipt is requested only if the answer's text or marks indicate citations. */
export async function citedBy(message: Message, documents: DocumentInfo[], signal: AbortSignal): Promise<Entry[]> {
  const receipt = message.metadata.receipt;
  const quoted = new Set(quotedBy(message));
  const names = documents.some((document) => occurs(document.name, message.text));
  if (typeof receipt !== "string" || (quoted.size === 0 && !names)) {
    return [];
  }
  const { used } = await getReceipt(receipt, signal);
  const cited = used.filter((entry) =>
    isDocument(entry) ? occurs(entry.title, message.text) : quoted.has(entry.id ?? ""),
  );
  return [...new Map(cited.map((entry) => [`${entry.kind} ${entry.id} ${entry.place}`, entry])).values()];
}

/** An answer without a model consists of quotes and names their sources. */
function quotedBy(message: Message): string[] {
  const { memory_only, sources } = message.metadata;
  return memory_only === true && Array.isArray(sources) ? (sources as string[]) : [];
}

function isDocument(entry: Entry): boolean {
  return entry.kind === "chunk" || entry.kind === "snippet" || entry.kind === "document";
}

function occurs(title: string, text: string): boolean {
  return title !== "" && text.toLowerCase().includes(title.toLowerCase());
}
