import { useState } from "preact/hooks";
import type { Message } from "../api/types";
import { Markdown } from "../text/markdown";
import { Cited } from "./cited";
import type { Conversation } from "./conversation";
import { EditField } from "./edit-field";
import { MessageBar } from "./message-bar";
import { NoteLines } from "./note-lines";
import { SystemLine } from "./system-line";
import { ToolFold } from "./tool-fold";

interface Props {
  message: Message;
  conversation: Conversation;
  /** Tool results by the ids of their calls. */
  results: Map<string | null, Message>;
}

export function MessageView({ message, conversation, results }: Props) {
  const [editing, setEditing] = useState(false);
  if (message.role === "system") {
    return <SystemLine text={message.text} />;
  }
  if (message.role === "tool") {
    return <ToolFold name={message.name ?? "tool"} input={{}} output={message.text} failed={failed(message)} />;
  }
  const user = message.role === "user";
  const send = (text: string) => {
    setEditing(false);
    void conversation.edit(message, text);
  };
  return (
    <article
      class={`message ${message.role}`}
      id={`message-${message.id}`}
      aria-label={user ? "You said" : "Answer"}
      tabIndex={-1}
    >
      {message.tool_calls.map((call) => {
        const result = results.get(call.id);
        const output = result?.text ?? null;
        return <ToolFold key={call.id} name={call.name} input={call.arguments} output={output} failed={failed(result)} />;
      })}
      {editing ? (
        <EditField text={message.text} onSend={send} onCancel={() => setEditing(false)} />
      ) : (
        <Content message={message} />
      )}
      {!editing && message.text !== "" && (
        <>
          {user ? (
            <NoteLines message={message} />
          ) : (
            <Cited message={message} conversation={conversation} />
          )}
          <MessageBar message={message} conversation={conversation} onEdit={() => setEditing(true)} />
        </>
      )}
    </article>
  );
}

function Content({ message }: { message: Message }) {
  const attached = message.parts.filter((part) => part.kind !== "text");
  return (
    <div class="bubble" dir="auto">
      {message.text !== "" && <Markdown text={message.text} />}
      {attached.map((part, at) => (
        <p key={at} class="chip">
          {part.kind}: {part.name ?? part.uri ?? part.media_type ?? "attached"}
        </p>
      ))}
    </div>
  );
}

function failed(result: Message | undefined): boolean {
  return result?.metadata.failed === true;
}
