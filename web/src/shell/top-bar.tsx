import type { ComponentChildren } from "preact";
import { searchOpen, sidebarOpen } from "../state/panels";
import { narrow } from "../state/width";
import { IconButton } from "../ui/button";
import { classes } from "../ui/classes";
import { MenuIcon, SearchIcon } from "../ui/icons";

interface Props {
  /** null if there is no title yet. */
  title: ComponentChildren;
  actions?: ComponentChildren;
}

/** The bar above every page; on a narrow page it has the buttons for sidebar and search. */
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
