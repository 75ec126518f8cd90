/** All sessions of the view. Only the visible rows are rendered; more are loaded on scrolling. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { onChange, onMissed } from "../api/watch";
import type { Session } from "../api/types";
import { addressOf, navigate, route } from "../router";
import { remove } from "../state/session-actions";
import { follow, isComplete, loadMore, problem, reload, sessions, tag, view } from "../state/sessions";
import { Empty } from "../ui/empty";
import { step } from "../ui/keys";
import { type Row, VirtualList } from "../ui/virtual";
import { grouped } from "./groups";
import { SessionRow } from "./session-row";

const HEADING = 34;
const ROW = matchMedia("(pointer: coarse)").matches ? 42 : 34;

export function SessionList() {
  const [renamed, rename] = useState<string | null>(null);
  const list = useFocus();
  useEffect(() => {
    if (sessions.value.length === 0) {
      reload();
    }
    const stops = [onChange(follow), onMissed(reload)];
    return () => stops.forEach((stop) => stop());
  }, []);

  const rows = useMemo(() => grouped(sessions.value, new Date()), [sessions.value]);
  const order = rows.flatMap((row) => ("session" in row ? [row.session] : []));
  const open = route.value.page === "chat" ? route.value.session : null;
  const isListed = (id: string | null) => order.some((session) => session.id === id);
  const reachable = [list.focused, open].find(isListed) ?? order[0]?.id;

  const onKey = (event: KeyboardEvent) => {
    const link = event.target;
    if (renamed !== null || !(link instanceof HTMLAnchorElement)) {
      return;
    }
    const at = order.findIndex((session) => session.id === link.dataset.session);
    const next = step(event.key, at, order.length);
    if (next !== null) {
      event.preventDefault();
      list.focus(order[next]!.id);
    } else if (order[at]) {
      act(event, order[at], rename);
    }
  };
  const shown = rows.map((row): Row =>
    "heading" in row
      ? { key: `# ${row.heading}`, height: HEADING, render: () => <Heading name={row.heading} /> }
      : {
          key: row.session.id,
          height: ROW,
          render: () => (
            <SessionRow
              session={row.session}
              open={row.session.id === open}
              reachable={row.session.id === reachable}
              renaming={row.session.id === renamed}
              onRename={(on) => rename(on ? row.session.id : null)}
            />
          ),
        },
  );
  if (shown.length === 0) {
    return <Nothing />;
  }
  return (
    <div class="session-list" ref={list.box}>
      <VirtualList
        rows={shown}
        label="Conversations"
        onEnd={() => void loadMore()}
        show={list.focused ?? open}
        onKeyDown={onKey}
      />
    </div>
  );
}

function Heading({ name }: { name: string }) {
  return (
    <div role="listitem">
      <h2 class="session-group">{name}</h2>
    </div>
  );
}

/** The focused session; its row may first have to be scrolled into view. */
function useFocus() {
  const box = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const reach = (): boolean => {
    const links = box.current?.querySelectorAll<HTMLElement>("[data-session]") ?? [];
    const link = [...links].find((one) => one.dataset.session === focused);
    link?.focus();
    return link !== undefined;
  };
  // At once, so that the next key press finds the new focus.
  useLayoutEffect(() => {
    if (focused !== null && !reach()) {
      requestAnimationFrame(() => requestAnimationFrame(reach));
    }
  }, [focused]);
  return { box, focused, focus: setFocused };
}

function act(event: KeyboardEvent, session: Session, rename: (id: string) => void): void {
  if (asksForMenu(event)) {
    event.preventDefault();
    const row = (event.target as Element).closest(".session-row");
    row?.querySelector<HTMLElement>("[aria-haspopup=menu]")?.click();
  } else if (event.key === "F2") {
    event.preventDefault();
    rename(session.id);
  } else if (event.key === "Delete" && session.status !== "deleted") {
    event.preventDefault();
    void remove(session);
  } else if (event.key === " ") {
    event.preventDefault();
    navigate(addressOf(session.id));
  }
}

function asksForMenu(event: KeyboardEvent): boolean {
  return event.key === "ContextMenu" || event.key === "ArrowRight" || (event.key === "F10" && event.shiftKey);
}

const EMPTY = {
  active: "No conversations yet",
  archived: "Nothing is archived",
  deleted: "The trash is empty",
};

function Nothing() {
  if (problem.value !== null) {
    return <Empty title={problem.value} />;
  }
  if (!isComplete()) {
    return <div class="session-list" />;
  }
  return (
    <div class="session-list">
      <Empty title={tag.value === null ? EMPTY[view.value] : `Nothing is tagged #${tag.value} here`} />
    </div>
  );
}
