/** The router: the address bar is the only state. */
import { computed, signal } from "@preact/signals";

export type Route =
  | { page: "chat"; session: string | null; message: string | null }
  | { page: "memory" | "documents" | "settings" | "charts" | "nowhere" };

interface Location {
  path: string;
  query: string;
  hash: string;
}

const location = signal<Location>(here());

export const route = computed<Route>(() => parse(location.value.path));

/** The search query in the address (?q=). */
export const asked = computed(() => new URLSearchParams(location.value.query).get("q"));

/** Whether the address is of a temporary chat. */
export const temporary = computed(() => new URLSearchParams(location.value.query).has("temporary"));

export const hash = computed(() => location.value.hash);

addEventListener("popstate", update);
addEventListener("hashchange", update);

function update(): void {
  location.value = here();
}

function here(): Location {
  const { pathname, search, hash } = globalThis.location;
  return { path: pathname, query: search, hash: decoded(hash.slice(1)) };
}

/** An address typed by hand may contain a stray percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parse(path: string): Route {
  const [first, second, third, more] = path.split("/").filter(Boolean).map(decoded);
  if (first === "memory" || first === "documents" || first === "settings" || first === "charts") {
    return { page: first };
  }
  if (first === "c" && second !== undefined && more === undefined) {
    return { page: "chat", session: second, message: third ?? null };
  }
  return first === undefined ? { page: "chat", session: null, message: null } : { page: "nowhere" };
}

export function navigate(address: string, options: { replace?: boolean } = {}): void {
  if (options.replace) {
    history.replaceState(null, "", address);
  } else if (address !== globalThis.location.pathname + globalThis.location.search + globalThis.location.hash) {
    history.pushState(null, "", address);
  }
  update();
}

/** Returns the address of a session, or of one of its messages. */
export function addressOf(session: string, message?: string | null): string {
  const parts = message ? [session, message] : [session];
  return `/c/${parts.map(encodeURIComponent).join("/")}`;
}

/** Handles clicks on links within the page without a reload. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || event.defaultPrevented || !isPlain(event) || !isOurs(link)) {
      return;
    }
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  });
}

function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

function isOurs(link: HTMLAnchorElement): boolean {
  const served = ["/v1/", "/docs", "/openapi.json"].some((prefix) => link.pathname.startsWith(prefix));
  return link.origin === globalThis.location.origin && !link.target && !link.hasAttribute("download") && !served;
}
