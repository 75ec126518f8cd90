import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { TopBar } from "./top-bar";

interface Props {
  title: string;
  /** What can be done with the page as a whole, at the end of its top bar. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The frame of a page that is not a talk: a bar with its title, and a scrolling column. */
export function Page({ title, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Recollect`;
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
