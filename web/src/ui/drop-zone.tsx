/** An area to drop files on, or to choose them by click or keyboard. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "./button";
import { classes } from "./classes";
import { UploadIcon } from "./icons";

interface Props {
  /** The label of the button, such as "Choose files". */
  label: string;
  onFiles: (files: File[]) => void;
  accept?: string;
  multiple?: boolean;
  disabled?: boolean;
  children: ComponentChildren;
}

export function DropZone({ label, onFiles, accept, multiple = false, disabled = false, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const hand = (files: FileList | null | undefined) => {
    const given = [...(files ?? [])];
    if (given.length > 0 && !disabled) {
      onFiles(multiple ? given : given.slice(0, 1));
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    hand(event.dataTransfer?.files);
  };
  const drag = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <div class={classes("drop-zone", over && "over")} onDragOver={drag} onDragLeave={() => setOver(false)} onDrop={drop}>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        multiple={multiple}
        onChange={(event) => {
          hand(event.currentTarget.files);
          // So that the same file can be chosen again.
          event.currentTarget.value = "";
        }}
      />
      <Button icon={<UploadIcon />} disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <div class="hint">{children}</div>
    </div>
  );
}
