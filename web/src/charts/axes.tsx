import type { Period } from "../api/types";
import type { Frame } from "./plot";
import { shortDay } from "./steps";

const ROOM_OF_A_DATE = 72;
/** The newest date must not extend beyond the edge of the drawing. */
const HALF_A_DATE = 18;

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
        <text key={at} x={Math.min(frame.x(at), frame.right - HALF_A_DATE)} y={frame.bottom + 16} text-anchor="middle">
          {shortDay(periods[at]!)}
        </text>
      ))}
    </g>
  );
}

/** Returns the steps with a date label: the last, and as many before it as fit, evenly spaced. */
function labelled(size: number, frame: Frame): number[] {
  const stride = Math.max(1, Math.ceil(ROOM_OF_A_DATE / frame.band));
  return Array.from({ length: Math.ceil(size / stride) }, (_, back) => size - 1 - back * stride);
}
