/** The open conversation. A running answer goes on while another conversation is open. */
import { signal } from "@preact/signals";
import { onChange, onMissed } from "../api/watch";
import { addressOf, navigate, route } from "../router";
import { onSession } from "../state/sessions";
import { Conversation } from "./conversation";

const busy = new Set<Conversation>();

export const current = signal(new Conversation(null, false));

/** Opens the conversation with this id, or a new one, and loads the part around `message`. */
export function show(id: string | null, message: string | null, temporary: boolean): void {
  const shown = current.value;
  if (id !== null && shown.id === id) {
    if (message !== null && !shown.has(message)) {
      void shown.open(message);
    }
    return;
  }
  if (id === null && isOnItsWay(shown, temporary)) {
    return;
  }
  keep(shown);
  const running = [...busy].find((one) => id !== null && one.id === id && one.turn.value !== null);
  current.value = running ?? opened(id, message, temporary);
}

/** Whether the first message of a new conversation was sent, but not yet accepted by the server. Such a conversation has no
 * address yet, so it stays open. */
function isOnItsWay(conversation: Conversation, temporary: boolean): boolean {
  return conversation.id === null && conversation.temporary === temporary && conversation.turn.value !== null;
}

function opened(id: string | null, message: string | null, temporary: boolean): Conversation {
  const conversation = new Conversation(id, temporary);
  conversation.onCreated = (created) => {
    if (current.value === conversation && route.value.page === "chat") {
      navigate(addressOf(created), { replace: true });
    }
  };
  void conversation.open(message);
  return conversation;
}

function keep(conversation: Conversation): void {
  for (const one of busy) {
    if (one.turn.value === null) {
      busy.delete(one);
    }
  }
  if (conversation.turn.value !== null) {
    busy.add(conversation);
  }
}

/** Passes changes by other clients to the open conversation, until the returned function is called. */
export function stayCurrent(): () => void {
  const stops = [
    onChange((change) => current.value.follow(change)),
    onMissed(() => void current.value.reload(route.value.page === "chat" ? route.value.message : null)),
    onSession((session) => {
      if (current.value.id === session.id) {
        current.value.session.value = session;
        current.value.erased.value = false;
      }
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
