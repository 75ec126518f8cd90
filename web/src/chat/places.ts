/** Positions of messages: which loaded ones precede others, and the page around one. */
import { Problem } from "../api/problem";
import { messagesAround, switchBranch } from "../api/sessions";
import type { Message, Messages } from "../api/types";

/** Returns the messages of `known` before `first`, if there is no gap between them. */
export function earlier(known: Message[], first: Message): Message[] {
  const place = known.findIndex((message) => message.id === first.id);
  if (place >= 0) {
    return known.slice(0, place);
  }
  const end = known.findIndex((message) => message.seq === first.parent);
  return end >= 0 ? known.slice(0, end + 1) : [];
}

/** Returns the page around a message, switching to its branch if needed; null if it does not exist. */
export async function pageAround(id: string, message: string, limit: number): Promise<Messages | null> {
  const page = await unlessRefused(() => messagesAround(id, message, limit));
  if (page?.items.some((one) => one.id === message)) {
    return page;
  }
  const switched = await unlessRefused(() => switchBranch(id, message));
  return switched === null ? null : messagesAround(id, message, limit);
}

async function unlessRefused<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Problem && error.status >= 400 && error.status < 500) {
      return null;
    }
    throw error;
  }
}
