/** API calls for search, facts, summaries, documents and receipts. */
import { path, request } from "./client";
import type {
  Chunk,
  DocumentInfo,
  EraseReceipt,
  Fact,
  FactChange,
  Found,
  Me,
  NewFact,
  NewFactState,
  Page,
  Profile,
  Receipt,
  ReceiptLine,
  SearchOrder,
  Summary,
} from "./types";

export function getMe(): Promise<Me> {
  return request("GET", "/v1/me");
}

export function search(what: SearchOrder, signal?: AbortSignal): Promise<Found> {
  return request("POST", "/v1/search", { body: what, signal });
}

export function getReceipt(id: string, signal?: AbortSignal): Promise<Receipt> {
  return request("GET", path`/v1/receipts/${id}`, { signal });
}

export function listReceipts(session: string, limit: number): Promise<{ items: ReceiptLine[] }> {
  return request("GET", "/v1/receipts", { query: { session, limit } });
}

export function listFacts(filter: { query?: string; history?: boolean; limit?: number }): Promise<{ items: Fact[] }> {
  return request("GET", "/v1/facts", { query: filter });
}

export function addFact(fact: NewFact): Promise<Fact> {
  return request("POST", "/v1/facts", { body: fact });
}

export function changeFact(id: string, change: NewFactState): Promise<Fact> {
  return request("PATCH", path`/v1/facts/${id}`, { body: change });
}

export function getProfile(): Promise<Profile> {
  return request("GET", "/v1/profile");
}

/** Lists the changes made by hand to a fact, or to all facts, newest first. */
export function listFactChanges(fact?: string): Promise<{ items: FactChange[] }> {
  return request("GET", "/v1/fact-changes", { query: { fact } });
}

export function undoFactChange(id: string): Promise<Fact> {
  return request("POST", path`/v1/fact-changes/${id}/undo`);
}

export function deleteFact(id: string, options: { keepalive?: boolean } = {}): Promise<void> {
  return request("DELETE", path`/v1/facts/${id}`, options);
}

/** Returns the facts extracted from a message. */
export async function notedFacts(message: string): Promise<Fact[]> {
  return (await request<{ items: Fact[] }>("GET", "/v1/facts", { query: { message } })).items;
}

/** Forgets a fact as if it had never existed: the facts it replaced are current again. */
export function undoFact(id: string): Promise<void> {
  return request("DELETE", path`/v1/facts/${id}`, { query: { reopen: true } });
}

export function listSummaries(session?: string, limit?: number): Promise<{ items: Summary[] }> {
  return request("GET", "/v1/summaries", { query: { session, limit } });
}

export function listDocuments(session?: string): Promise<{ items: DocumentInfo[] }> {
  return request("GET", "/v1/documents", { query: { session } });
}

export function addDocument(file: File, session?: string): Promise<DocumentInfo> {
  const headers = { "Content-Type": file.type || "application/octet-stream" };
  return request("POST", "/v1/documents", { query: { name: file.name, session }, body: file, headers });
}

export function listChunks(id: string, cursor?: string | null): Promise<Page<Chunk>> {
  return request("GET", path`/v1/documents/${id}/chunks`, { query: { cursor } });
}

export function removeDocument(id: string): Promise<EraseReceipt> {
  return request("DELETE", path`/v1/documents/${id}`);
}
