import type { Message } from "../api/types";
import { IconButton } from "../ui/button";
import { ChevronLeftIcon, ChevronRightIcon } from "../ui/icons";
import { complain } from "../ui/toast";
import type { Conversation } from "./conversation";

/** ‹ 2/3 ›: the versions of an edited message or regenerated answer. */
export function VersionSwitch({ message, conversation }: { message: Message; conversation: Conversation }) {
  const versions = conversation.versions.value.get(message.id) ?? [];
  if (versions.length < 2) {
    return null;
  }
  const at = versions.indexOf(message.id);
  const idle = conversation.turn.value === null;
  const go = (version: string | undefined) => {
    if (version !== undefined) {
      conversation.switchTo(version).catch(complain);
    }
  };
  return (
    <span class="versions" role="group" aria-label="Versions">
      <IconButton
        class="small"
        label="Earlier version"
        icon={<ChevronLeftIcon />}
        disabled={at <= 0 || !idle}
        onClick={() => go(versions[at - 1])}
      />
      <span class="number" aria-label={`Version ${at + 1} of ${versions.length}`}>
        {at + 1}/{versions.length}
      </span>
      <IconButton
        class="small"
        label="Later version"
        icon={<ChevronRightIcon />}
        disabled={at >= versions.length - 1 || !idle}
        onClick={() => go(versions[at + 1])}
      />
    </span>
  );
}
