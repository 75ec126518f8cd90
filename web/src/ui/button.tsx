import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { classes } from "./classes";

type Native = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon">;

interface ButtonProps extends Native {
  look?: "plain" | "primary" | "danger" | "quiet";
  icon?: ComponentChildren;
  children?: ComponentChildren;
}

export function Button({ look = "plain", icon, children, class: extra, ...rest }: ButtonProps) {
  return (
    <button type="button" class={classes("button", look, extra as string)} {...rest}>
      {icon}
      {children}
    </button>
  );
}

interface IconButtonProps extends Native {
  /** The label for screen readers and the tooltip. */
  label: string;
  icon: ComponentChildren;
}

export function IconButton({ label, icon, class: extra, ...rest }: IconButtonProps) {
  return (
    <button type="button" class={classes("icon-button", extra as string)} aria-label={label} title={label} {...rest}>
      {icon}
    </button>
  );
}
