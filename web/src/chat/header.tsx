import { useState } from "preact/hooks";
import { download } from "../api/data";
import type { Session } from "../api/types";
import { TopBar } from "../shell/top-bar";
import { RenameField } from "../sidebar/rename-field";
import { archive, change, remove, restore, titleOf, unarchive } from "../state/session-actions";
import { Button } from "../ui/button";
import { copy } from "../ui/copy";
import { ArchiveIcon, DownloadIcon, EditIcon, LinkIcon, PinIcon, TrashIcon } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { save } from "../ui/save";
import { complain } from "../ui/toast";
import { addressOf } from "../router";
import type { Conversation } from "./conversation";

export function ChatHeader({ conversation }: { conversation: Conversation }) {
  const [renaming, setRenaming] = useState(false);
  const session = conversation.session.value;
  if (session === null) {
    return <TopBar title={null} />;
  }
  const title = renaming ? (
    <RenameField session={session} onDone={() => setRenaming(false)} />
  ) : (
    <h1 dir="auto" title={titleOf(session)}>{titleOf(session)}</h1>
  );
  return (
    <>
      <TopBar title={title} actions={<Menu label="Conversation" items={items(session, () => setRenaming(true))} />} />
      <PutAway session={session} />
    </>
  );
}

function PutAway({ session }: { session: Session }) {
  if (session.status === "active") {
    return null;
  }
  const deleted = session.status === "deleted";
  return (
    <p class="put-away">
      {deleted ? "This conversation is in the trash." : "This conversation is archived."}
      <Button look="quiet" onClick={() => void (deleted ? restore(session) : unarchive(session))}>
        {deleted ? "Restore" : "Unarchive"}
      </Button>
    </p>
  );
}

function items(session: Session, rename: () => void): MenuItem[] {
  const link = location.origin + addressOf(session.id);
  const kept: MenuItem[] = [
    {
      label: session.pinned ? "Unpin" : "Pin",
      icon: <PinIcon />,
      onSelect: () => void change(session, { pinned: !session.pinned }),
    },
    { label: "Copy link", icon: <LinkIcon />, onSelect: () => void copy(link, "Link copied") },
    { label: "Save as Markdown", icon: <DownloadIcon />, onSelect: () => void saveAs(session, "markdown") },
    { label: "Save as JSON", icon: <DownloadIcon />, onSelect: () => void saveAs(session, "json") },
  ];
  return [
    { label: "Rename", icon: <EditIcon />, onSelect: rename },
    ...(session.temporary ? [] : kept),
    ...(session.status === "active"
      ? [{ label: "Archive", icon: <ArchiveIcon />, onSelect: () => void archive(session) }]
      : []),
    { label: "Delete", icon: <TrashIcon />, danger: true, onSelect: () => void remove(session) },
  ];
}

async function saveAs(session: Session, format: "markdown" | "json"): Promise<void> {
  try {
    const { name, content } = await download(format, session.id);
    save(name, content);
  } catch (error) {
    complain(error);
  }
}
