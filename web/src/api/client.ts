/** The HTTP client: every request of the page goes through here. */
import { key, refused } from "./key";
import { fromResponse, isAbort, unreachable } from "./problem";

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface Options {
  query?: Query;
  /** Sent as JSON; a Blob is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Send it even if the page is closed meanwhile. */
  keepalive?: boolean;
}

/** Returns the response's JSON, or undefined if it has none. */
export async function request<Result>(method: string, path: string, options: Options = {}): Promise<Result> {
  const response = await respond(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as Result;
}

/** Returns the raw response, for streams, downloads and headers; throws a `Problem` for a status of 400 or more. */
export async function respond(method: string, path: string, options: Options = {}): Promise<Response> {
  const response = await reach(method, path, options);
  if (response.status === 401) {
    refused.value = true;
  }
  if (!response.ok) {
    throw await fromResponse(response);
  }
  return response;
}

async function reach(method: string, path: string, options: Options): Promise<Response> {
  const headers = new Headers(options.headers);
  if (key.value !== null) {
    headers.set("Authorization", `Bearer ${key.value}`);
  }
  let body: BodyInit | null = null;
  if (options.body instanceof Blob) {
    body = options.body;
  } else if (options.body !== undefined) {
    headers.set("Content-Type", "application/json");
    body = JSON.stringify(options.body);
  }
  try {
    const { signal = null, keepalive = false } = options;
    return await fetch(path + asQuery(options.query), { method, headers, body, signal, keepalive });
  } catch (error) {
    throw isAbort(error) ? error : unreachable();
  }
}

function asQuery(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") {
      parameters.set(name, String(value));
    }
  }
  const text = parameters.toString();
  return text ? `?${text}` : "";
}

/** Builds a path with escaped parts: path`/v1/sessions/${id}`. */
export function path(pieces: TemplateStringsArray, ...values: string[]): string {
  return pieces.reduce((text, piece, at) => text + encodeURIComponent(values[at - 1] ?? "") + piece);
}
