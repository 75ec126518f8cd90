/** Where messages are: which of those loaded stand before others, and the page of them around one. */
import { Problem } from "../api/problem";
import { messagesAround, switchBranch } from "../api/sessions";
import type { Message, Messages } from "../api/types";

/** The messages of `known` before `first`, if they and it belong together without a gap. */
export function earlier(known: Message[], first: Message): Message[] {
  const place = known.findIndex((message) => message.id === first.id);
  if (place >= 0) {
    return known.slice(0, place);
  }
  const end = known.findIndex((message) => message.seq === first.parent);
  return end >= 0 ? known.slice(0, end + 1) : [];
}

/** The page around a message. If it is on another branch, that becomes the one to show; null if it is nowhere. */
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
