/** A running turn: what has arrived so far. */
import type { TurnEvent } from "../api/chat";
import type { Message, Source } from "../api/types";

export interface ToolRun {
  id: string;
  name: string;
  arguments: unknown;
  result: string | null;
  failed: boolean;
}

export interface Turn {
  /** Whether the server has accepted it: from then on no message is lost. */
  started: boolean;
  /** The typed text, until the server has it. */
  said: string | null;
  /** The user's message, once it is saved. */
  message: Message | null;
  phase: "remembering" | "answering" | "stopping" | "cut";
  text: string;
  tools: ToolRun[];
  sources: Source[];
  fallbacks: string[];
  used: number;
  tokens: number;
}

export function newTurn(said: string | null): Turn {
  return {
    started: false,
    said,
    message: null,
    phase: "remembering",
    text: "",
    tools: [],
    sources: [],
    fallbacks: [],
    used: 0,
    tokens: 0,
  };
}

/** Returns the turn after an event. */
export function after(turn: Turn, event: TurnEvent): Turn {
  switch (event.name) {
    case "turn.started":
      return { ...turn, started: true, said: null, message: event.data.message };
    case "memory.retrieved":
      return { ...turn, sources: event.data.sources, fallbacks: event.data.fallbacks };
    case "memory.assembled":
      return { ...turn, phase: "answering", used: event.data.used, tokens: event.data.tokens };
    case "message.delta":
      return { ...turn, phase: "answering", text: turn.text + event.data.text };
    case "tool.started":
      return { ...turn, text: "", tools: [...turn.tools, { ...event.data, result: null, failed: false }] };
    case "tool.finished":
      return { ...turn, tools: turn.tools.map((run) => (run.id === event.data.id ? finished(run, event.data) : run)) };
    default:
      return turn;
  }
}

function finished(run: ToolRun, end: { failed: boolean; text: string }): ToolRun {
  return { ...run, result: end.text, failed: end.failed };
}
