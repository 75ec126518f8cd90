/** The facts in the page, their profile, and the actions for them. */
import { batch, computed, signal } from "@preact/signals";
import {
  addFact,
  changeFact,
  deleteFact,
  getProfile,
  listFactChanges,
  listFacts,
  undoFactChange,
} from "../api/memory";
import { explain } from "../api/problem";
import type { Change, Fact, NewFact, Profile } from "../api/types";
import { complain, toast } from "../ui/toast";

/** The most facts that the server returns at once. */
export const MAX_FACTS = 1000;
/** Facts are extracted some time after a message, depending on the load of the server; no event reports it. */
const LOOKS = [1000, 3000, 8000];
const MAX_QUOTE_LENGTH = 60;

const loaded = signal<Fact[] | null>(null);
/** Deleted in the page, but not yet on the server, so that it can be undone. */
const leaving = signal<ReadonlySet<string>>(new Set());

export const facts = computed(() => loaded.value?.filter((fact) => !leaving.value.has(fact.id)) ?? null);
/** The profile as a new conversation gets it. */
export const profile = signal<Profile | null>(null);
export const problem = signal("");

/** A fact to change: its id, and its text for the notification. */
export type FactName = Pick<Fact, "id" | "text">;

let awaited: ReturnType<typeof setTimeout>[] = [];
let loads = 0;

export async function load(): Promise<void> {
  const mine = ++loads;
  try {
    const [found, made] = await Promise.all([listFacts({ history: true, limit: MAX_FACTS }), getProfile()]);
    if (mine === loads) {
      batch(() => {
        loaded.value = found.items;
        profile.value = made;
        problem.value = "";
      });
    }
  } catch (error) {
    problem.value = explain(error);
  }
}

/** Loads the facts now and again later, for those extracted from recent messages. */
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

/** Changes the text of a fact. Returns the id of the new version. */
export async function reword(fact: FactName, text: string): Promise<string> {
  const { id } = await changeFact(fact.id, { text });
  await load();
  toast(`Changed to “${quoted(text)}”`, () => void undoLast(id));
  return id;
}

export async function pin(fact: FactName & { pinned: boolean }): Promise<void> {
  const pinned = !fact.pinned;
  try {
    put(fact.id, { pinned });
    await changeFact(fact.id, { pinned });
  } catch (error) {
    complain(error);
  }
  await load();
}

/** Hides a fact from all prompts, or unhides it. */
export async function hide(fact: FactName, hidden: boolean): Promise<void> {
  try {
    put(fact.id, { hidden });
    await changeFact(fact.id, { hidden });
    toast(`${hidden ? "Kept out of prompts" : "Used again"}: “${quoted(fact.text)}”`, () => void undoLast(fact.id));
  } catch (error) {
    complain(error);
  }
  await load();
}

/** Shows a change before the server has it. */
function put(id: string, change: Partial<Fact>): void {
  loaded.value = loaded.value?.map((one) => (one.id === id ? { ...one, ...change } : one)) ?? null;
}

/** Undoes the last change of a fact that is not undone yet. */
async function undoLast(id: string): Promise<void> {
  try {
    const last = (await listFactChanges(id)).items.find((change) => !change.undone);
    if (last) {
      await undoFactChange(last.id);
    }
  } catch (error) {
    complain(error);
  }
  await load();
}

export async function undo(change: string): Promise<void> {
  await undoFactChange(change);
  await load();
}

/** Deletes a fact with its older versions. The server is called when it can no longer be undone. */
export function remove(fact: Fact, older: Fact[] = []): void {
  const ids = [fact.id, ...older.map((old) => old.id)];
  leaving.value = new Set([...leaving.value, ...ids]);
  const more = older.length === 0 ? "" : ` and its older versions (${older.length})`;
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
  return text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH - 1)}…` : text;
}
