/** The input field for messages. */
import { useEffect, useRef } from "preact/hooks";
import type { MemoryMode } from "../api/types";
import { me } from "../state/me";
import { memoryMode } from "../state/preferences";
import { narrow } from "../state/width";
import { IconButton } from "../ui/button";
import { fit } from "../ui/fit";
import { ChevronDownIcon, SendIcon, StopIcon } from "../ui/icons";
import { Menu } from "../ui/menu";
import type { Conversation } from "./conversation";

export function Composer({ conversation }: { conversation: Conversation }) {
  const typed = conversation.draft.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const busy = conversation.turn.value !== null;
  useEffect(() => fit(field.current), [typed]);
  useEffect(() => {
    if (!narrow.value) {
      field.current?.focus();
    }
  }, [conversation]);
  const send = () => void conversation.say();
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
  };
  if (conversation.erased.value || conversation.session.value?.status === "deleted") {
    return null;
  }
  return (
    <div class="composer">
      <div class="composer-box">
        <textarea
          id="say"
          ref={field}
          rows={1}
          dir="auto"
          aria-label="Message"
          placeholder="Type a message…"
          value={typed}
          onInput={(event) => (conversation.draft.value = event.currentTarget.value)}
          onKeyDown={onKey}
        />
        {busy ? (
          <IconButton class="send" label="Stop (Esc)" icon={<StopIcon />} onClick={() => conversation.stop()} />
        ) : (
          <IconButton class="send" label="Send (Enter)" icon={<SendIcon />} disabled={typed.trim() === ""} onClick={send} />
        )}
      </div>
      <div class="composer-foot">
        <MemoryMenu />
        <span>{me.value?.llm ?? "Quotes from memory"}</span>
      </div>
    </div>
  );
}

const MODES: [MemoryMode, string, string][] = [
  ["on", "Memory on", "On: messages are remembered"],
  ["read_only", "Memory read-only", "Read-only: used, but nothing new is remembered"],
  ["off", "Memory off", "Off: not used, and nothing is remembered"],
];

function MemoryMenu() {
  const items = MODES.map(([mode, , label]) => ({
    label,
    checked: memoryMode.value === mode,
    onSelect: () => {
      memoryMode.value = mode;
    },
  }));
  return (
    <Menu label="How memory is used" items={items}>
      {MODES.find(([mode]) => mode === memoryMode.value)?.[1]} <ChevronDownIcon />
    </Menu>
  );
}
