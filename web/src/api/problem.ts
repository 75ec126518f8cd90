/** Errors of requests: problem documents (RFC 9457), or an unreachable server. */
import type { ProblemBody } from "./types";

export class Problem extends Error {
  readonly status: number;
  readonly title: string;
  /** The id of this request in the server's log. */
  readonly request: string | null;

  constructor(status: number, title: string, detail: string, request: string | null = null) {
    super(detail || title);
    this.status = status;
    this.title = title;
    this.request = request;
  }
}

export const UNREACHABLE = 0;

export function unreachable(): Problem {
  return new Problem(UNREACHABLE, "The server cannot be reached", "The server cannot be reached. Is it still running?");
}

/** The connection ended before the answer did. */
export function brokenOff(): Problem {
  return new Problem(UNREACHABLE, "The answer broke off", "The answer broke off: the connection ended before it did.");
}

/** Whether the server is unreachable, rather than refusing the request. */
export function isUnreached(error: unknown): boolean {
  return error instanceof Problem && error.status === UNREACHABLE;
}

export function isMissing(error: unknown): boolean {
  return error instanceof Problem && error.status === 404;
}

export function fromBody(body: ProblemBody): Problem {
  return new Problem(body.status, body.title, body.detail, body.instance ?? null);
}

export async function fromResponse(response: Response): Promise<Problem> {
  try {
    return fromBody((await response.json()) as ProblemBody);
  } catch {
    return new Problem(response.status, response.statusText, `The server answered ${response.status}.`);
  }
}

/** Returns the message to show for any thrown error. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
