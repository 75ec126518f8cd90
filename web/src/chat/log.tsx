/** The messages, oldest first; older ones are loaded on scrolling up. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Message } from "../api/types";
import { IconButton } from "../ui/button";
import { ArrowDownIcon } from "../ui/icons";
import type { Conversation } from "./conversation";
import { Failure } from "./failure";
import { MessageView } from "./message";
import { SystemLine } from "./system-line";
import type { Turn } from "./turn";
import { TurnView } from "./turn-view";

const NEAR = 400;
const AT_END = 60;
const HIGHLIGHTED_FOR = 2500;

export function Log({ conversation, target }: { conversation: Conversation; target: string | null }) {
  const messages = conversation.messages.value;
  const turn = conversation.turn.value;
  const coming = turn ?? conversation.cut.value;
  const scroll = useScroll(conversation, messages, coming, conversation.failure.value);
  useTarget(scroll.box.current, target, messages.length > 0);
  const results = new Map(messages.filter((one) => one.role === "tool").map((one) => [one.tool_call_id, one]));
  const calls = new Set(messages.flatMap((one) => one.tool_calls.map((call) => call.id)));
  const shown = messages.filter((one) => one.role !== "tool" || !calls.has(one.tool_call_id ?? ""));
  return (
    <div class="log-frame">
      <div
        class="log"
        ref={scroll.box}
        role="log"
        aria-label="Conversation"
        aria-live="polite"
        aria-busy={turn !== null}
        tabIndex={0}
        onScroll={scroll.onScroll}
      >
        <div class="log-column">
          {conversation.session.value?.system_prompt && <SystemLine text={conversation.session.value.system_prompt} />}
          {shown.map((message) => (
            <MessageView key={message.id} message={message} conversation={conversation} results={results} />
          ))}
          {coming !== null && <TurnView turn={coming} saved={isAsked(coming, messages)} />}
          <Failure conversation={conversation} />
        </div>
      </div>
      {!scroll.atEnd && (
        <IconButton class="to-end" label="To the end" icon={<ArrowDownIcon />} onClick={() => void scroll.toEnd()} />
      )}
    </div>
  );
}

/** Whether the message that the turn answers is in the list, which is always so for a regenerated answer. */
function isAsked(turn: Turn, messages: Message[]): boolean {
  return turn.said === null && (turn.message === null || messages.some((message) => message.id === turn.message?.id));
}

/** Keeps the scroll position at the end while an answer grows, and at the same message while older ones are inserted. */
function useScroll(conversation: Conversation, messages: Message[], ...coming: unknown[]) {
  const box = useRef<HTMLDivElement>(null);
  const stays = useRef(conversation.newer.value === null);
  const before = useRef<{ first: string | undefined; height: number }>({ first: undefined, height: 0 });
  const [atEnd, setAtEnd] = useState(true);

  useLayoutEffect(() => {
    stays.current = conversation.newer.value === null;
  }, [conversation]);
  useLayoutEffect(() => {
    const log = box.current!;
    const { first, height } = before.current;
    if (first !== undefined && first !== messages[0]?.id && messages.some((message) => message.id === first)) {
      log.scrollTop += log.scrollHeight - height;
    } else if (stays.current) {
      log.scrollTop = log.scrollHeight;
    }
    before.current = { first: messages[0]?.id, height: log.scrollHeight };
  }, [messages, ...coming]);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => stays.current && box.current!.scrollTo(0, box.current!.scrollHeight));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const log = box.current!;
    const left = log.scrollHeight - log.scrollTop - log.clientHeight;
    stays.current = left < AT_END && conversation.newer.value === null;
    setAtEnd(stays.current);
    if (log.scrollTop < NEAR) {
      void conversation.loadOlder();
    }
    if (left < NEAR) {
      void conversation.loadNewer();
    }
  };
  const toEnd = async () => {
    if (conversation.newer.value !== null) {
      await conversation.refresh();
    }
    stays.current = true;
    box.current?.scrollTo({ top: box.current.scrollHeight });
  };
  return { box, atEnd, onScroll, toEnd };
}

/** Scrolls to the message in the address and highlights it for a moment. */
function useTarget(box: HTMLElement | null, target: string | null, loaded: boolean): void {
  useEffect(() => {
    const element = target === null ? null : document.getElementById(`message-${target}`);
    if (!element) {
      return;
    }
    element.scrollIntoView({ block: "center" });
    element.focus({ preventScroll: true });
    element.classList.add("lit");
    const timer = setTimeout(() => element.classList.remove("lit"), HIGHLIGHTED_FOR);
    return () => clearTimeout(timer);
  }, [box, target, loaded]);
}
