/** A list of any length that renders only the visible rows and a few around them. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { windowOf } from "./window";

export interface Row {
  key: string;
  height: number;
  render: () => ComponentChildren;
}

interface Props {
  rows: Row[];
  class?: string;
  role?: "list" | "listbox";
  label?: string;
  /** Called when the last rows become visible. */
  onEnd?: () => void;
  /** The row to scroll to when it changes. */
  show?: string | null;
  onKeyDown?: (event: KeyboardEvent) => void;
}

const NEAR_END = 600;

export function VirtualList({ rows, class: extra, role = "list", label, onEnd, show, onKeyDown }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const look = () => box.current && setView({ top: box.current.scrollTop, height: box.current.clientHeight });
  useLayoutEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);

  const { tops, total, first, last } = windowOf(rows, view.top, view.height);
  useLayoutEffect(() => {
    if (total - view.top - view.height < NEAR_END) {
      onEnd?.();
    }
  }, [total, view.top, view.height]);
  useLayoutEffect(() => {
    const at = rows.findIndex((row) => row.key === show);
    if (at >= 0) {
      bringIntoSight(box.current!, tops[at]!, rows[at]!.height);
    }
  }, [show]);

  return (
    <div class={`virtual ${extra ?? ""}`} ref={box} onScroll={look} onKeyDown={onKeyDown}>
      <div class="virtual-space" role={role} aria-label={label} style={{ height: `${total}px` }}>
        {rows.slice(first, last).map((row, at) => (
          <div
            class="virtual-row"
            key={row.key}
            role="presentation"
            style={{ transform: `translateY(${tops[first + at]}px)`, height: `${row.height}px` }}
          >
            {row.render()}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Scrolls as little as possible; a distant row is centered. */
function bringIntoSight(box: HTMLElement, top: number, height: number): void {
  const above = box.scrollTop - top;
  const below = top + height - box.scrollTop - box.clientHeight;
  if (Math.max(above, below) > 2 * height) {
    box.scrollTop = top - (box.clientHeight - height) / 2;
  } else if (above > 0) {
    box.scrollTop = top;
  } else if (below > 0) {
    box.scrollTop += below;
  }
}
