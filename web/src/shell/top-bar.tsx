import type { ComponentChildren } from "preact";
import { searchOpen, sidebarOpen } from "../state/panels";
import { narrow } from "../state/width";
import { IconButton } from "../ui/button";
import { classes } from "../ui/classes";
import { MenuIcon, SearchIcon } from "../ui/icons";

interface Props {
  /** null where there is nothing to name yet. */
  title: ComponentChildren;
  actions?: ComponentChildren;
}

/** The bar above every page; where the page is narrow, the way to the sidebar and the search. */
export function TopBar({ title, actions }: Props) {
  return (
    <header class={classes("top-bar", title === null && "blank")}>
      {narrow.value && <IconButton label="Open sidebar" icon={<MenuIcon />} onClick={() => (sidebarOpen.value = true)} />}
      <div class="top-bar-title">{title}</div>
      <div class="top-bar-actions">
        {actions}
        {narrow.value && <IconButton label="Search" icon={<SearchIcon />} onClick={() => (searchOpen.value = true)} />}
      </div>
    </header>
  );
}
