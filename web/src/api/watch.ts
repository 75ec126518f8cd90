/** Live changes by other clients: one stream for the whole page. */
import { signal } from "@preact/signals";
import { respond } from "./client";
import { events } from "./events";
import { Problem } from "./problem";
import type { Change } from "./types";

type Listener = (change: Change) => void;

const listeners = new Set<Listener>();
const FIRST_WAIT = 500;
const MAX_WAIT = 10_000;

/** Whether the server cannot be reached at the moment. */
export const away = signal(false);

const missed = new Set<() => void>();

let stream: AbortController | null = null;
let last: string | null = null;

/** Calls the listener for each change, until the returned function is called. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls the listener whenever changes may have been missed, because the server was unreachable or the watch started after
 * something was loaded, until the returned function is called. */
export function onMissed(listener: () => void): () => void {
  missed.add(listener);
  return () => missed.delete(listener);
}

/** Watches until the returned function is called, but only while the page is visible: a browser has only six connections
 * to a server for all its tabs. */
export function watch(): () => void {
  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    rest();
    last = null;
  };
}

function follow(): void {
  if (document.visibilityState === "hidden") {
    rest();
  } else if (stream === null) {
    stream = new AbortController();
    void keepWatching(stream.signal);
  }
}

function rest(): void {
  stream?.abort();
  stream = null;
}

async function keepWatching(signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      await watchOnce(signal, () => (wait = FIRST_WAIT));
    } catch (error) {
      if (error instanceof Problem && error.status >= 400 && error.status < 500) {
        return;
      }
      away.value = !signal.aborted;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, MAX_WAIT);
  }
}

async function watchOnce(signal: AbortSignal, arrived: () => void): Promise<void> {
  const headers: Record<string, string> = last === null ? {} : { "Last-Event-ID": last };
  const response = await respond("GET", "/v1/watch", { signal, headers });
  arrived();
  if (away.value || last === null) {
    away.value = false;
    missed.forEach((listener) => listener());
  }
  for await (const event of events(response)) {
    last = event.id ?? last;
    for (const listener of listeners) {
      listener(event.data as Change);
    }
  }
}
