/** A running turn. It shows the user's message until that is `saved` among the messages. */
import { Markdown } from "../text/markdown";
import { count } from "../ui/format";
import { ToolFold } from "./tool-fold";
import type { Turn } from "./turn";

export function TurnView({ turn, saved }: { turn: Turn; saved: boolean }) {
  return (
    <>
      {!saved && (
        <article class="message user" aria-label="You said">
          <div class="bubble" dir="auto">
            <Markdown text={turn.message?.text ?? turn.said ?? ""} />
          </div>
          <div class="message-bar" />
        </article>
      )}
      <article class="message assistant" aria-label="Answer">
        {turn.tools.map((run) => (
          <ToolFold key={run.id} name={run.name} input={run.arguments} output={run.result} failed={run.failed} />
        ))}
        {turn.text ? <Markdown text={turn.text} /> : turn.phase !== "cut" && <p class="waiting">{waiting(turn)}</p>}
        {turn.phase === "cut" && (
          <p class="cut">
            <span class="chip">cut off</span>
          </p>
        )}
      </article>
    </>
  );
}

function waiting(turn: Turn): string {
  if (turn.phase === "stopping") {
    return "Stopping…";
  }
  if (turn.phase === "remembering") {
    return "Looking through memory…";
  }
  return turn.used > 0 ? `Read ${count(turn.used, "memory", "memories")}, answering…` : "Answering…";
}
