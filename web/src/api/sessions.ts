import { path, request } from "./client";
import type { Alternatives, Message, Messages, Page, Session, SessionChange, Status } from "./types";

export interface SessionFilter {
  pinned?: boolean;
  status?: Status;
  tag?: string | null;
  limit?: number;
  cursor?: string | null;
}

export function listSessions(filter: SessionFilter, signal?: AbortSignal): Promise<Page<Session>> {
  return request("GET", "/v1/sessions", { query: { ...filter }, signal });
}

export function getSession(id: string, signal?: AbortSignal): Promise<Session> {
  return request("GET", path`/v1/sessions/${id}`, { signal });
}

export function changeSession(id: string, change: SessionChange): Promise<Session> {
  return request("PATCH", path`/v1/sessions/${id}`, { body: change });
}

/** Finds a session in the trash, which only its list contains; null if it is not there. */
export async function findInTrash(id: string): Promise<Session | null> {
  let cursor: string | null = null;
  do {
    const page: Page<Session> = await listSessions({ status: "deleted", limit: 200, cursor });
    const found = page.items.find((session) => session.id === id);
    if (found) {
      return found;
    }
    cursor = page.next;
  } while (cursor !== null);
  return null;
}

/** Moves it to the trash; `restoreSession` restores it. */
export function deleteSession(id: string): Promise<Session> {
  return request("DELETE", path`/v1/sessions/${id}`);
}

export function restoreSession(id: string): Promise<Session> {
  return request("POST", path`/v1/sessions/${id}/restore`);
}

export function archiveSession(id: string): Promise<Session> {
  return request("POST", path`/v1/sessions/${id}/archive`);
}

export function unarchiveSession(id: string): Promise<Session> {
  return request("POST", path`/v1/sessions/${id}/unarchive`);
}

export function forkSession(id: string, at: string): Promise<Session> {
  return request("POST", path`/v1/sessions/${id}/fork`, { body: { at } });
}

/** Switches to the newest branch through this message. */
export function switchBranch(id: string, message: string): Promise<Session> {
  return request("POST", path`/v1/sessions/${id}/switch`, { body: { message, onward: true } });
}

export function alternatives(id: string, signal?: AbortSignal): Promise<Alternatives> {
  return request("GET", path`/v1/sessions/${id}/alternatives`, { signal });
}

export interface Slice {
  limit?: number;
  cursor?: string | null;
  order?: "asc" | "desc";
}

export function listMessages(id: string, slice: Slice, signal?: AbortSignal): Promise<Messages> {
  return request("GET", path`/v1/sessions/${id}/messages`, { query: { ...slice }, signal });
}

/** Lists the messages before and after one; `previous` continues upwards, `next` downwards. */
export function messagesAround(id: string, message: string, limit: number, signal?: AbortSignal): Promise<Messages> {
  return request("GET", path`/v1/sessions/${id}/messages`, { query: { around: message, limit }, signal });
}

export function changeMessage(id: string, message: string, change: { pinned?: boolean; private?: boolean }): Promise<Message> {
  return request("PATCH", path`/v1/sessions/${id}/messages/${message}`, { body: change });
}
