/** The actions for a session. Reversible ones offer an undo. */
import {
  archiveSession,
  changeSession,
  deleteSession,
  restoreSession,
  unarchiveSession,
} from "../api/sessions";
import type { Session, SessionChange } from "../api/types";
import { navigate, route } from "../router";
import { complain, toast } from "../ui/toast";
import { put } from "./sessions";

export function titleOf(session: Pick<Session, "title"> & { temporary?: boolean }): string {
  return session.title || (session.temporary ? "Temporary chat" : "Untitled");
}

export async function change(session: Session, what: SessionChange): Promise<void> {
  put({ ...session, ...(what as Partial<Session>) });
  await done(() => changeSession(session.id, what), session);
}

export async function archive(session: Session): Promise<void> {
  leave(session);
  if (await done(() => archiveSession(session.id))) {
    toast(`Archived “${titleOf(session)}”`, () => void unarchive(session));
  }
}

export async function unarchive(session: Session): Promise<void> {
  await done(() => unarchiveSession(session.id));
}

export async function remove(session: Session): Promise<void> {
  leave(session);
  if (await done(() => deleteSession(session.id))) {
    toast(`Deleted “${titleOf(session)}”`, () => void restore(session));
  }
}

export async function restore(session: Session): Promise<void> {
  await done(() => restoreSession(session.id));
}

/** Runs an action and shows its result; if it fails, reports the error and restores `before`. */
async function done(act: () => Promise<Session>, before?: Session): Promise<boolean> {
  try {
    put(await act());
    return true;
  } catch (error) {
    complain(error);
    if (before) {
      put(before);
    }
    return false;
  }
}

function leave(session: Session): void {
  const at = route.value;
  if (at.page === "chat" && at.session === session.id) {
    navigate("/");
  }
}
