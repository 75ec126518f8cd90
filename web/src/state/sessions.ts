/** The sessions of the sidebar: one view, loaded page by page and kept up to date. */
import { batch, signal } from "@preact/signals";
import { getSession, listSessions } from "../api/sessions";
import { explain, isAbort, Problem } from "../api/problem";
import type { Change, Session, Status } from "../api/types";

export const view = signal<Status>("active");
export const tag = signal<string | null>(null);

/** The loaded sessions, newest activity first. */
export const sessions = signal<Session[]>([]);
export const problem = signal<string | null>(null);

/** Every tag seen, for the filter. */
export const tags = signal<string[]>([]);

const PAGE = 100;
const SETTLED = 250;
/** Whether all of the view are loaded. */
const complete = signal(false);
const listeners = new Set<(session: Session) => void>();
const awaited = new Map<string, ReturnType<typeof setTimeout>>();
/** Sessions that changed while a page of the list was loading, which may be outdated; null: deleted. */
const changed = new Map<string, Session | null>();
/** How often each session was updated: responses to earlier requests are outdated. */
const puts = new Map<string, number>();

let next: string | null = null;
let loading: AbortController | null = null;

export function show(status: Status, only: string | null = null): void {
  view.value = status;
  tag.value = only;
  sessions.value = [];
  reload();
}

/** Reloads from the first page; the shown list stays until it has arrived. */
export function reload(): void {
  loading?.abort();
  loading = null;
  next = null;
  complete.value = false;
  void loadMore();
}

export async function loadMore(): Promise<void> {
  if (complete.value || loading !== null) {
    return;
  }
  const mine = (loading = new AbortController());
  try {
    const filter = { status: view.value, tag: tag.value, limit: PAGE, cursor: next };
    const page = await listSessions(filter, mine.signal);
    // Pins are shown first, however old they are.
    const before = filter.cursor === null ? (await listSessions({ ...filter, pinned: true }, mine.signal)).items : sessions.value;
    if (loading !== mine) {
      return;
    }
    const there = new Set(before.map((session) => session.id));
    const all = [...before, ...page.items.filter((session) => !there.has(session.id))];
    batch(() => {
      sessions.value = all.sort((one, other) => (one.updated_at < other.updated_at ? 1 : -1));
      next = page.next;
      complete.value = next === null;
      problem.value = null;
      learnTags(page.items);
      catchUp();
    });
  } catch (error) {
    if (!isAbort(error)) {
      problem.value = explain(error);
    }
  } finally {
    loading = loading === mine ? null : loading;
  }
}

/** Reapplies changes made meanwhile, and reloads those sessions. */
function catchUp(): void {
  const meanwhile = [...changed];
  changed.clear();
  loading = null;
  for (const [id, session] of meanwhile) {
    if (session === null) {
      gone(id);
    } else {
      put(session);
    }
    refresh(id);
  }
}

export function isComplete(): boolean {
  return complete.value;
}

/** Updates a session. */
export function put(session: Session): void {
  const others = sessions.value.filter((other) => other.id !== session.id);
  const tagged = tag.value === null || session.tags.includes(tag.value);
  const belongs = session.status === view.value && !session.temporary && tagged;
  const at = others.findIndex((other) => other.updated_at <= session.updated_at);
  if (belongs && (at >= 0 || complete.value)) {
    others.splice(at < 0 ? others.length : at, 0, session);
  }
  sessions.value = others;
  noteChange(session.id, session);
  learnTags([session]);
  listeners.forEach((listener) => listener(session));
}

/** Handles an unreadable session: it is erased, or in the trash, which only its list contains. */
function gone(id: string): void {
  if (view.value === "deleted") {
    reload();
  } else {
    sessions.value = sessions.value.filter((session) => session.id !== id);
    noteChange(id, null);
  }
}

function noteChange(id: string, session: Session | null): void {
  puts.set(id, (puts.get(id) ?? 0) + 1);
  if (loading !== null) {
    changed.set(id, session);
  }
}

/** Calls the listener for each updated session, until the returned function is called. */
export function onSession(listener: (session: Session) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reloads a session, once for several simultaneous changes. */
export function refresh(id: string): void {
  clearTimeout(awaited.get(id));
  awaited.set(id, setTimeout(() => void fetchOne(id), SETTLED));
}

async function fetchOne(id: string): Promise<void> {
  awaited.delete(id);
  const before = puts.get(id);
  try {
    const session = await getSession(id);
    if (puts.get(id) === before) {
      put(session);
    } else {
      refresh(id);
    }
  } catch (error) {
    if (error instanceof Problem && error.status === 404) {
      gone(id);
    }
  }
}

export function follow(change: Change): void {
  if (change.kind === "reset" || change.session === null) {
    reload();
  } else {
    refresh(change.session);
  }
}

function learnTags(found: Session[]): void {
  const all = new Set([...tags.value, ...found.flatMap((session) => session.tags)]);
  if (all.size > tags.value.length) {
    tags.value = [...all].sort((one, other) => one.localeCompare(other));
  }
}
