/** Operations on a whole memory: export, import, erasure, statistics, and API keys. */
import { path, request, respond } from "./client";
import type { EraseOrder, EraseReceipt, Job, Key, MadeKey, NewKey, RetentionReport, Stats } from "./types";

/** Returns the export as a file, with the name from the server. */
export async function download(format: "json" | "markdown", session?: string): Promise<{ name: string; content: Blob }> {
  const response = await respond("GET", "/v1/export", { query: { format, session } });
  const said = /filename="?([^";]+)/.exec(response.headers.get("Content-Disposition") ?? "");
  return { name: said?.[1] ?? `keepsaid.${format === "json" ? "json" : "md"}`, content: await response.blob() };
}

export function startImport(file: File, dryRun: boolean): Promise<Job> {
  const headers = { "Content-Type": file.type || "application/octet-stream" };
  return request("POST", "/v1/import", { query: { dry_run: dryRun, name: file.name }, body: file, headers });
}

export function getJob(id: string): Promise<Job> {
  return request("GET", path`/v1/jobs/${id}`);
}

export function erase(what: EraseOrder): Promise<EraseReceipt> {
  return request("POST", "/v1/erase", { body: what });
}

export function getStats(days: number): Promise<Stats> {
  return request("GET", "/v1/stats", { query: { days } });
}

export function runRetention(dryRun: boolean): Promise<RetentionReport> {
  return request("POST", "/v1/admin/retention", { body: { dry_run: dryRun } });
}

export function listKeys(): Promise<{ items: Key[] }> {
  return request("GET", "/v1/admin/keys");
}

export function createKey(key: NewKey): Promise<MadeKey> {
  return request("POST", "/v1/admin/keys", { body: key });
}

export function deleteKey(id: string): Promise<void> {
  return request("DELETE", path`/v1/admin/keys/${id}`);
}
