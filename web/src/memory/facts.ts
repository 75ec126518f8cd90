/** The facts that the page shows, and what can be done with them. */
import { computed, signal } from "@preact/signals";
import { addFact, changeFact, deleteFact, listFacts } from "../api/memory";
import { explain } from "../api/problem";
import type { Change, Fact, NewFact } from "../api/types";
import { complain, toast } from "../ui/toast";

/** The most that the server gives at once. */
export const MOST = 1000;
/** Facts are drawn from messages after these were said, sooner or later as the server is busy; nothing tells when. */
const LOOKS = [1000, 3000, 8000];
const LONGEST_QUOTE = 60;

const loaded = signal<Fact[] | null>(null);
/** Deleted here, but not yet on the server, so that it can be undone. */
const leaving = signal<ReadonlySet<string>>(new Set());

export const facts = computed(() => loaded.value?.filter((fact) => !leaving.value.has(fact.id)) ?? null);
export const problem = signal("");

let awaited: ReturnType<typeof setTimeout>[] = [];

export async function load(): Promise<void> {
  try {
    loaded.value = (await listFacts({ history: true, limit: MOST })).items;
    problem.value = "";
  } catch (error) {
    problem.value = explain(error);
  }
}

/** Looks for facts now, and for what is drawn from what was said just before. */
export function look(): void {
  void load();
  lookAgain();
}

function lookAgain(): void {
  awaited.forEach(clearTimeout);
  awaited = LOOKS.map((pause) => setTimeout(() => void load(), pause));
}

export function follow(change: Change): void {
  if (change.kind !== "marked") {
    lookAgain();
  }
}

export async function add(fact: NewFact): Promise<void> {
  await addFact(fact);
  await load();
}

export async function reword(fact: Fact, text: string): Promise<void> {
  await changeFact(fact.id, { text });
  await load();
}

export async function pin(fact: Fact): Promise<void> {
  const put = (pinned: boolean) => {
    loaded.value = loaded.value?.map((one) => (one.id === fact.id ? { ...one, pinned } : one)) ?? null;
  };
  put(!fact.pinned);
  try {
    await changeFact(fact.id, { pinned: !fact.pinned });
  } catch (error) {
    put(fact.pinned);
    complain(error);
  }
}

/** Takes a fact away with what held before it. The server is told when it can no longer be undone. */
export function remove(fact: Fact, older: Fact[] = []): void {
  const ids = [fact.id, ...older.map((old) => old.id)];
  leaving.value = new Set([...leaving.value, ...ids]);
  const more = older.length === 0 ? "" : ` and what was so before (${older.length})`;
  toast(`Deleted “${quoted(fact.text)}”${more}`, () => stay(ids), () => void forget(ids));
}

function stay(ids: string[]): void {
  leaving.value = new Set([...leaving.value].filter((id) => !ids.includes(id)));
}

async function forget(ids: string[]): Promise<void> {
  try {
    await Promise.all(ids.filter((id) => leaving.value.has(id)).map((id) => deleteFact(id)));
    loaded.value = loaded.value?.filter((fact) => !ids.includes(fact.id)) ?? null;
  } catch (error) {
    complain(error);
  }
  stay(ids);
}

addEventListener("pagehide", () => {
  for (const id of leaving.value) {
    void deleteFact(id, { keepalive: true });
  }
  loaded.value = loaded.value?.filter((fact) => !leaving.value.has(fact.id)) ?? null;
  leaving.value = new Set();
});

function quoted(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1)}…` : text;
}
