/** Server-sent events over fetch, which (unlike EventSource) can send a body, a key, and be aborted. */
import { isAbort, unreachable } from "./problem";

export interface ServerEvent {
  name: string;
  data: unknown;
  id: string | null;
}

/** Yields the events of a stream as they arrive. Comment lines are skipped. */
export async function* events(response: Response): AsyncGenerator<ServerEvent> {
  for await (const block of blocks(response)) {
    const event = parse(block);
    if (event !== null) {
      yield event;
    }
  }
}

async function* blocks(response: Response): AsyncGenerator<string> {
  if (response.body === null) {
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      const pieces = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
      rest = pieces.pop() ?? "";
      yield* pieces;
    }
  } catch (error) {
    throw isAbort(error) ? error : unreachable();
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

function parse(block: string): ServerEvent | null {
  let name = "message";
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [field, value] = cut(line);
    if (field === "event") {
      name = value;
    } else if (field === "id") {
      id = value;
    } else if (field === "data") {
      data.push(value);
    }
  }
  return data.length === 0 ? null : { name, id, data: JSON.parse(data.join("\n")) as unknown };
}

function cut(line: string): [string, string] {
  const at = line.indexOf(":");
  if (at < 0) {
    return [line, ""];
  }
  const value = line.slice(at + 1);
  return [line.slice(0, at), value.startsWith(" ") ? value.slice(1) : value];
}
