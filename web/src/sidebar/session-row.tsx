import { useState } from "preact/hooks";
import type { Session } from "../api/types";
import { addressOf } from "../router";
import { forgetting } from "../state/panels";
import { archive, change, remove, restore, titleOf, unarchive } from "../state/session-actions";
import { classes } from "../ui/classes";
import { ArchiveIcon, EditIcon, PinIcon, TagIcon, TrashIcon, UndoIcon } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { timeLeft } from "../ui/time";
import { RenameField } from "./rename-field";
import { TagDialog } from "./tag-dialog";

interface Props {
  session: Session;
  open: boolean;
  /** Whether Tab stops here; the arrow keys reach the others. */
  reachable: boolean;
  renaming: boolean;
  onRename: (on: boolean) => void;
}

export function SessionRow({ session, open, reachable, renaming, onRename }: Props) {
  const [tagging, setTagging] = useState(false);
  if (renaming) {
    return (
      <div class="session-rename" role="listitem">
        <RenameField session={session} onDone={() => onRename(false)} />
      </div>
    );
  }
  const title = titleOf(session);
  return (
    <div class={classes("session-row", open && "open")} role="listitem">
      <a
        href={addressOf(session.id)}
        data-session={session.id}
        tabIndex={reachable ? 0 : -1}
        aria-current={open ? "page" : undefined}
        title={title}
        aria-keyshortcuts="Shift+F10"
        onDblClick={() => onRename(true)}
      >
        {session.pinned && <PinIcon />}
        <span class="session-title" dir="auto">{title}</span>
        {session.expires_at !== null && <Expiry session={session} at={session.expires_at} />}
        {session.tags.length > 0 && <span class="session-tags">{session.tags.map((tag) => `#${tag}`).join(" ")}</span>}
      </a>
      <Menu
        label={`What to do with “${title}”`}
        items={items(session, onRename, setTagging)}
        class="small"
        tabbable={false}
      />
      <TagDialog session={session} open={tagging} onClose={() => setTagging(false)} />
    </div>
  );
}

/** When it expires, or when a session in the trash is permanently removed. */
function Expiry({ session, at }: { session: Session; at: string }) {
  const left = timeLeft(new Date(at), new Date());
  const verb = session.status === "deleted" ? "removed permanently" : "expires";
  const description = `${verb} ${left === "" ? "at the next clean-up" : `in ${left}`}`;
  return (
    <time class="session-expiry" dateTime={at} title={description} aria-label={description}>
      {left === "" ? "soon" : left}
    </time>
  );
}

function forgetForGood(session: Session): void {
  forgetting.value = { session: session.id, title: session.title };
}

function items(session: Session, onRename: (on: boolean) => void, setTagging: (on: boolean) => void): MenuItem[] {
  if (session.status === "deleted") {
    return [
      { label: "Restore", icon: <UndoIcon />, onSelect: () => void restore(session) },
      { label: "Delete permanently…", icon: <TrashIcon />, danger: true, onSelect: () => forgetForGood(session) },
    ];
  }
  const archived = session.status === "archived";
  return [
    { label: "Rename", icon: <EditIcon />, onSelect: () => onRename(true) },
    {
      label: session.pinned ? "Unpin" : "Pin",
      icon: <PinIcon />,
      onSelect: () => void change(session, { pinned: !session.pinned }),
    },
    { label: "Tags", icon: <TagIcon />, onSelect: () => setTagging(true) },
    {
      label: archived ? "Unarchive" : "Archive",
      icon: <ArchiveIcon />,
      onSelect: () => void (archived ? unarchive(session) : archive(session)),
    },
    { label: "Delete", icon: <TrashIcon />, danger: true, onSelect: () => void remove(session) },
  ];
}
