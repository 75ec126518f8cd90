/** Uploads, one after the other: reading a long file keeps the server busy. */
import { signal } from "@preact/signals";
import { addDocument } from "../api/memory";
import { explain } from "../api/problem";
import type { DocumentInfo } from "../api/types";
import { me } from "../state/me";
import { bytes } from "../ui/format";

export interface Upload {
  id: number;
  file: File;
  state: "waiting" | "reading" | "done" | "failed";
  made?: DocumentInfo;
  problem?: string;
}

export const uploads = signal<Upload[]>([]);

let issued = 0;
let working = false;

/** Uploads files; calls `arrived` after each success. */
export function send(files: File[], arrived: () => void): void {
  const added = files.map((file): Upload => ({ id: ++issued, file, state: "waiting" }));
  uploads.value = [...uploads.value, ...added];
  void work(arrived);
}

export function dismiss(id: number): void {
  uploads.value = uploads.value.filter((upload) => upload.id !== id || upload.state === "reading");
}

async function work(arrived: () => void): Promise<void> {
  if (working) {
    return;
  }
  working = true;
  for (let next = waiting(); next !== undefined; next = waiting()) {
    await sendOne(next);
    arrived();
  }
  working = false;
}

function waiting(): Upload | undefined {
  return uploads.value.find((upload) => upload.state === "waiting");
}

async function sendOne({ id, file }: Upload): Promise<void> {
  put(id, { state: "reading" });
  try {
    const most = me.value?.limits.upload_bytes ?? Infinity;
    if (file.size > most) {
      throw new Error(`It has ${bytes(file.size)}; ${bytes(most)} is the limit.`);
    }
    put(id, { state: "done", made: await addDocument(file) });
  } catch (error) {
    put(id, { state: "failed", problem: explain(error) });
  }
}

function put(id: number, change: Partial<Upload>): void {
  uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...change } : upload));
}
