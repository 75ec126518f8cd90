/** The rows of the sidebar: sessions under the headings of their dates. */
import type { Session } from "../api/types";
import { dateGroup } from "../ui/time";

export type SidebarRow = { heading: string } | { session: Session };

export function grouped(sessions: Session[], now: Date): SidebarRow[] {
  const groups = new Map<string, Session[]>([["Pinned", []]]);
  for (const session of sessions) {
    const name = session.pinned ? "Pinned" : dateGroup(new Date(session.updated_at), now);
    const group = groups.get(name);
    if (group) {
      group.push(session);
    } else {
      groups.set(name, [session]);
    }
  }
  return [...groups].flatMap(([heading, members]) =>
    members.length === 0 ? [] : [{ heading }, ...members.map((session) => ({ session }))],
  );
}
