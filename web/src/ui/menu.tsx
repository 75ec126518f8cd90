/** A button that opens a menu. The menu is a popover: nothing clips it, and a click elsewhere closes it. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "./button";
import { classes } from "./classes";
import { MoreIcon } from "./icons";
import { step } from "./keys";

export interface MenuItem {
  label: string;
  icon?: ComponentChildren;
  danger?: boolean;
  /** For choices: whether this one is selected. */
  checked?: boolean;
  onSelect: () => void;
}

interface Props {
  label: string;
  items: MenuItem[];
  icon?: ComponentChildren;
  /** Content of the button instead of only an icon. */
  children?: ComponentChildren;
  class?: string;
  /** Whether Tab stops at it. If not, the keyboard must open it in another way. */
  tabbable?: boolean;
}

const GAP = 4;

export function Menu({ label, items, icon = <MoreIcon />, children, class: extra, tabbable = true }: Props) {
  const button = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (open && button.current && list.current) {
      place(list.current, button.current.getBoundingClientRect());
      list.current.querySelector("button")?.focus();
    }
  }, [open]);
  const toggle = () => list.current?.togglePopover();
  const tabIndex = tabbable ? undefined : -1;
  const state = { "aria-haspopup": "menu", "aria-expanded": open, onClick: toggle, tabIndex } as const;
  return (
    <span class="menu" ref={button}>
      {children === undefined ? (
        <IconButton label={label} icon={icon} class={extra} {...state} />
      ) : (
        <button type="button" class={classes("button quiet", extra)} title={label} {...state}>
          {children}
        </button>
      )}
      <div
        ref={list}
        class="menu-list"
        popover="auto"
        role="menu"
        aria-label={label}
        onToggle={(event) => setOpen(event.newState === "open")}
        onKeyDown={moveFocus}
      >
        {open && items.map((item) => <Choice key={item.label} item={item} close={() => list.current?.hidePopover()} />)}
      </div>
    </span>
  );
}

function Choice({ item, close }: { item: MenuItem; close: () => void }) {
  const choice = item.checked !== undefined;
  const select = () => {
    close();
    item.onSelect();
  };
  return (
    <button
      type="button"
      class={classes("menu-item", item.danger && "danger")}
      role={choice ? "menuitemradio" : "menuitem"}
      aria-checked={choice ? item.checked : undefined}
      onClick={select}
    >
      <span class="menu-icon">{choice ? item.checked && "✓" : item.icon}</span>
      {item.label}
    </button>
  );
}

function place(list: HTMLElement, button: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = list;
  const fitsBelow = button.bottom + GAP + height <= innerHeight;
  const left = Math.max(GAP, Math.min(button.left, innerWidth - width - GAP));
  list.style.left = `${left}px`;
  list.style.top = `${fitsBelow ? button.bottom + GAP : Math.max(GAP, button.top - height - GAP)}px`;
}

function moveFocus(event: KeyboardEvent): void {
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll("button")];
  const next = step(event.key, buttons.indexOf(document.activeElement as HTMLButtonElement), buttons.length);
  if (next !== null) {
    event.preventDefault();
    event.stopPropagation();
    buttons[next]?.focus();
  }
}
