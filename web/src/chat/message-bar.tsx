/** The actions for a message, and the sources of an answer. */
import { changeMessage, forkSession } from "../api/sessions";
import type { Message } from "../api/types";
import { addressOf, navigate } from "../router";
import { put } from "../state/sessions";
import { IconButton } from "../ui/button";
import { copy } from "../ui/copy";
import { BrainIcon, BranchIcon, CopyIcon, EditIcon, LinkIcon, PinIcon, RefreshIcon } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { Time } from "../ui/time";
import { complain, toast } from "../ui/toast";
import type { Conversation } from "./conversation";
import { UsedButton } from "./used-button";
import { VersionSwitch } from "./version-switch";

interface Props {
  message: Message;
  conversation: Conversation;
  onEdit: () => void;
}

export function MessageBar({ message, conversation, onEdit }: Props) {
  const user = message.role === "user";
  const idle = conversation.turn.value === null;
  return (
    <footer class="message-bar">
      {!user && <UsedButton message={message} conversation={conversation} />}
      {message.metadata.finish === "stopped" && <span class="chip">stopped</span>}
      <VersionSwitch message={message} conversation={conversation} />
      <span class="message-actions">
        <IconButton
          class="small"
          label="Copy"
          icon={<CopyIcon />}
          onClick={() => void copy(message.text, user ? "Message copied" : "Answer copied")}
        />
        {user ? (
          <IconButton class="small" label="Edit" icon={<EditIcon />} disabled={!idle} onClick={onEdit} />
        ) : (
          <IconButton
            class="small"
            label="Answer again"
            icon={<RefreshIcon />}
            disabled={!idle}
            onClick={() => void conversation.regenerate(message)}
          />
        )}
        <Menu label="More" items={items(message, conversation)} class="small" />
        <Time at={message.created_at} />
      </span>
    </footer>
  );
}

function items(message: Message, conversation: Conversation): MenuItem[] {
  const link = location.origin + addressOf(message.session, message.id);
  return [
    { label: "Copy link", icon: <LinkIcon />, onSelect: () => void copy(link, "Link copied") },
    {
      label: message.pinned ? "Unpin from prompts" : "Pin to every prompt",
      icon: <PinIcon />,
      onSelect: () => void pin(message, conversation),
    },
    {
      label: message.private ? "Remember this" : "Don't remember this",
      icon: <BrainIcon />,
      onSelect: () => void keepPrivate(message, conversation),
    },
    { label: "Continue from here in a new chat", icon: <BranchIcon />, onSelect: () => void fork(message) },
  ];
}

async function pin(message: Message, conversation: Conversation): Promise<void> {
  try {
    conversation.replace(await changeMessage(message.session, message.id, { pinned: !message.pinned }));
    toast(message.pinned ? "Unpinned" : "Pinned: it is in every prompt of this conversation");
  } catch (error) {
    complain(error);
  }
}

async function keepPrivate(message: Message, conversation: Conversation): Promise<void> {
  try {
    conversation.replace(await changeMessage(message.session, message.id, { private: !message.private }));
    toast(message.private ? "It can be remembered in other conversations again" : "It stays in this conversation and is not remembered elsewhere");
  } catch (error) {
    complain(error);
  }
}

async function fork(message: Message): Promise<void> {
  try {
    const session = await forkSession(message.session, message.id);
    put(session);
    navigate(addressOf(session.id));
  } catch (error) {
    complain(error);
  }
}
