import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { TopBar } from "./top-bar";

interface Props {
  title: string;
  /** Actions for the whole page, at the end of its top bar. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The frame of a page other than a chat: a bar with its title, and a scrolling column. */
export function Page({ title, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Keepsaid`;
  }, [title]);
  return (
    <main class="page">
      <TopBar title={<h1>{title}</h1>} actions={actions} />
      <div class="page-scroll">
        <div class="page-column">{children}</div>
      </div>
    </main>
  );
}
