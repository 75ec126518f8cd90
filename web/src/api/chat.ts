/** A chat turn: the request, and the events of its answer. */
import { respond } from "./client";
import { events } from "./events";
import type { Answer, Ask, Fact, Message, ProblemBody, Source } from "./types";

export type TurnEvent =
  | { name: "turn.started"; data: { session: string; message: Message | null } }
  | { name: "memory.retrieved"; data: { sources: Source[]; searched_for: string; fallbacks: string[]; ms: number } }
  | { name: "memory.assembled"; data: { tokens: number; budget: number; used: number; receipt_id: string | null } }
  | { name: "message.delta"; data: { text: string } }
  | { name: "tool.started"; data: { id: string; name: string; arguments: unknown } }
  | { name: "tool.finished"; data: { id: string; name: string; failed: boolean; text: string } }
  | { name: "message.completed"; data: { message: Message; finish: string; model: string | null } }
  | { name: "memory.noted"; data: { facts: Fact[] } }
  | { name: "memory.written"; data: { session: string; messages: number } }
  | { name: "turn.completed"; data: Answer }
  | { name: "error"; data: ProblemBody };

export async function* ask(question: Ask, signal: AbortSignal): AsyncGenerator<TurnEvent> {
  const body = { ...question, stream: true };
  const response = await respond("POST", "/v1/chat", { body, signal, headers: { Accept: "text/event-stream" } });
  for await (const { name, data } of events(response)) {
    yield { name, data } as TurnEvent;
  }
}
