/** Dialogs and drawers on the native <dialog>: it traps the focus, closes on Esc, and restores the focus. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./button";
import { classes } from "./classes";
import { CloseIcon } from "./icons";

interface Props {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ComponentChildren;
  class?: string;
  /** Hides the head; screen readers still get the title. */
  bare?: boolean;
}

export function Dialog(props: Props) {
  return <Modal {...props} kind="dialog" />;
}

interface DrawerProps extends Props {
  side: "left" | "right";
}

/** A dialog along one edge of the page. */
export function Drawer({ side, ...props }: DrawerProps) {
  return <Modal {...props} kind={`drawer ${side}`} />;
}

function Modal({ open, ...props }: Props & { kind: string }) {
  return open ? <OpenModal {...props} /> : null;
}

type OpenProps = Omit<Props, "open"> & { kind: string };

function OpenModal({ onClose, title, children, kind, bare = false, class: extra }: OpenProps) {
  const element = useRef<HTMLDialogElement>(null);
  const label = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    // Closing it before it is removed restores the focus.
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={classes("modal", kind, extra)}
      aria-labelledby={label}
      onCancel={onClose}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="modal-content">
        <header class={bare ? "visually-hidden" : "modal-head"}>
          <h2 id={label}>{title}</h2>
          {!bare && <IconButton label="Close" icon={<CloseIcon />} onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
}
