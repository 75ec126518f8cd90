/** One way to talk to the server: every request of the page goes through here. */
import { key, refused } from "./key";
import { fromResponse, isAbort, unreachable } from "./problem";

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface Options {
  query?: Query;
  /** Sent as JSON; a Blob is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Sent even if the page is left meanwhile. */
  keepalive?: boolean;
}

/** The answer's JSON, or undefined where it has none. */
export async function request<Result>(method: string, path: string, options: Options = {}): Promise<Result> {
  const response = await respond(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as Result;
}

/** The bare answer, for streams, downloads and headers; a status of 400 and more is thrown as a `Problem`. */
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

/** A path whose parts are escaped: path`/v1/sessions/${id}`. */
export function path(pieces: TemplateStringsArray, ...values: string[]): string {
  return pieces.reduce((text, piece, at) => text + encodeURIComponent(values[at - 1] ?? "") + piece);
}
