/** What went wrong with a request: RFC 9457's problem, or that the server could not be reached. */
import type { ProblemBody } from "./types";

export class Problem extends Error {
  readonly status: number;
  readonly title: string;
  /** The id under which the server's log has this request. */
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

/** Whether the server is away, rather than of another opinion. */
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

/** The sentence to show for anything that was thrown. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
