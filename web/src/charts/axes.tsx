import type { Period } from "../api/types";
import type { Frame } from "./plot";
import { shortDay } from "./steps";

const ROOM_OF_A_DATE = 64;

interface Props {
  frame: Frame;
  marks: number[];
  tick: (value: number) => string;
  periods: Period[];
}

export function Axes({ frame, marks, tick, periods }: Props) {
  return (
    <g class="axes">
      {marks.map((mark) => (
        <g key={mark}>
          <line class={mark === 0 ? "base" : "grid"} x1={frame.left} x2={frame.right} y1={frame.y(mark)} y2={frame.y(mark)} />
          <text x={frame.left - 6} y={frame.y(mark)} dy="0.32em" text-anchor="end">
            {tick(mark)}
          </text>
        </g>
      ))}
      {labelled(periods.length, frame).map((at) => (
        <text key={at} x={frame.x(at)} y={frame.bottom + 16} text-anchor={anchor(at, periods.length)}>
          {shortDay(periods[at]!)}
        </text>
      ))}
    </g>
  );
}

/** Which steps have their date below them: the first, the last, and evenly between, as many as have room. */
function labelled(size: number, frame: Frame): number[] {
  const room = Math.max(1, Math.floor((frame.right - frame.left) / ROOM_OF_A_DATE));
  const parts = Math.min(room, size) - 1;
  if (parts < 1) {
    return size === 0 ? [] : [size - 1];
  }
  return Array.from({ length: parts + 1 }, (_, part) => Math.round((part * (size - 1)) / parts));
}

/** The outermost dates must not stand over the edge of the drawing. */
function anchor(at: number, size: number): "start" | "middle" | "end" {
  if (size > 1 && at === 0) {
    return "start";
  }
  return at === size - 1 ? "end" : "middle";
}
