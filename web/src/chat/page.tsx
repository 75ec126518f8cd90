/** The page of a conversation: its messages, and the input field. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Session } from "../api/types";
import { route, temporary } from "../router";
import { restore, titleOf } from "../state/session-actions";
import { sessions } from "../state/sessions";
import { Button } from "../ui/button";
import { classes } from "../ui/classes";
import { Empty } from "../ui/empty";
import { Loading } from "../ui/loading";
import { Composer } from "./composer";
import type { Conversation } from "./conversation";
import { ChatHeader } from "./header";
import { Log } from "./log";
import { current, show, stayCurrent } from "./open";
import { Welcome } from "./welcome";

export function ChatPage() {
  const at = route.value;
  const session = at.page === "chat" ? at.session : null;
  const message = at.page === "chat" ? at.message : null;
  const passing = temporary.value;
  const [, ready] = useState(false);
  // Before the next key press: text typed after a navigation belongs to the new conversation.
  useLayoutEffect(() => {
    show(session, message, passing);
    ready(true);
  }, [session, message, passing]);
  useEffect(stayCurrent, []);
  useEscape();

  const conversation = current.value;
  const info = conversation.session.value;
  useEffect(() => {
    document.title = info ? `${titleOf(info)} · Keepsaid` : "Keepsaid";
  }, [info?.title]);
  const unkept = info?.temporary ?? conversation.temporary;
  return (
    <main class={classes("chat", unkept && "temporary")}>
      <ChatHeader conversation={conversation} />
      {unkept && <p class="temporary-note">Temporary chat: nothing is saved.</p>}
      <Notes conversation={conversation} />
      <Body conversation={conversation} target={message} />
    </main>
  );
}

function Body({ conversation, target }: { conversation: Conversation; target: string | null }) {
  if (conversation.missing.value !== null) {
    return <Missing conversation={conversation} target={target} />;
  }
  if (conversation.loading.value) {
    return <Loading />;
  }
  const blank = conversation.messages.value.length === 0 && !conversation.turn.value && !conversation.cut.value;
  return (
    <>
      {blank && !conversation.failure.value ? (
        <Welcome temporary={conversation.temporary} />
      ) : (
        <>
          {conversation.session.value === null && <h1 class="visually-hidden">New chat</h1>}
          <Log conversation={conversation} target={target} />
        </>
      )}
      <Composer conversation={conversation} />
    </>
  );
}

function Notes({ conversation }: { conversation: Conversation }) {
  return (
    <div role="status">
      {conversation.unfound.value && <p class="put-away">The linked message is not in this conversation.</p>}
      {conversation.erased.value && <p class="put-away">This conversation was permanently deleted.</p>}
    </div>
  );
}

function Missing({ conversation, target }: { conversation: Conversation; target: string | null }) {
  const { reason, unreached } = conversation.missing.value!;
  const deleted = sessions.value.find((session) => session.id === conversation.id && session.status === "deleted");
  const takeOut = async (session: Session) => {
    await restore(session);
    await conversation.open(null);
  };
  if (unreached) {
    return (
      <Empty title="The server cannot be reached">
        <Button onClick={() => void conversation.open(target)}>Try again</Button>
      </Empty>
    );
  }
  return (
    <Empty title={deleted ? "This conversation is in the trash" : "This conversation cannot be shown"}>
      {!deleted && <p>{reason}</p>}
      {deleted && <Button onClick={() => void takeOut(deleted)}>Restore it</Button>}
      <a href="/">Start a new chat</a>
    </Empty>
  );
}

/** Esc stops the answer, unless it closes a dialog or menu. */
function useEscape(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const covered = document.querySelector("dialog[open], [popover]:popover-open:not(.toasts)");
      if (event.key === "Escape" && !event.defaultPrevented && covered === null) {
        current.value.stop();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
