import { classes } from "../ui/classes";
import type { Frame } from "./plot";
import type { Line, Series } from "./series";

const MAX_BAR_WIDTH = 28;
/** With more steps than this, dots would hide the line. */
const MAX_DOTS = 31;

export function Bars({ frame, values, at }: { frame: Frame; values: (number | null)[]; at: number | null }) {
  const width = Math.max(1, Math.min(MAX_BAR_WIDTH, frame.band * 0.72));
  return (
    <g class="bars">
      {values.map(
        (value, step) =>
          value !== null &&
          value > 0 && (
            <rect
              key={step}
              class={classes(step === at && "read")}
              x={frame.x(step) - width / 2}
              width={width}
              // Any value above zero is visible, however small.
              y={Math.min(frame.y(value), frame.bottom - 1.5)}
              height={Math.max(frame.bottom - frame.y(value), 1.5)}
              rx={Math.min(2, width / 4)}
            />
          ),
      )}
    </g>
  );
}

export function Lines({ frame, series, at }: { frame: Frame; series: Series; at: number | null }) {
  return (
    <>
      {series.lines.map((line, number) => (
        <g key={line.name} class={`line line-${number + 1}`}>
          {stretches(line.values).map((stretch) => (
            <Stretch key={stretch[0]!.step} frame={frame} stretch={stretch} filled={series.shape === "area"} />
          ))}
          {dotted(line, at).map((step) => (
            <Dot key={step} x={frame.x(step)} y={frame.y(line.values[step]!)} square={number > 0} read={step === at} />
          ))}
        </g>
      ))}
    </>
  );
}

interface Place {
  step: number;
  value: number;
}

/** Splits a line at its gaps. */
function stretches(values: (number | null)[]): Place[][] {
  const found: Place[][] = [[]];
  values.forEach((value, step) => {
    if (value === null) {
      found.push([]);
    } else {
      found.at(-1)!.push({ step, value });
    }
  });
  return found.filter((stretch) => stretch.length > 0);
}

function Stretch({ frame, stretch, filled }: { frame: Frame; stretch: Place[]; filled: boolean }) {
  const path = stretch.map(({ step, value }, at) => `${at === 0 ? "M" : "L"}${frame.x(step)},${frame.y(value)}`).join("");
  const [first, last] = [frame.x(stretch[0]!.step), frame.x(stretch.at(-1)!.step)];
  return (
    <>
      {filled && <path class="fill" d={`${path}L${last},${frame.bottom}L${first},${frame.bottom}Z`} />}
      <path class="stroke" d={path} />
    </>
  );
}

/** Returns the steps with a dot: all if there are few, otherwise isolated ones and the selected one. */
function dotted({ values }: Line, at: number | null): number[] {
  const steps = values.flatMap((value, step) => (value === null ? [] : [step]));
  if (values.length <= MAX_DOTS) {
    return steps;
  }
  return steps.filter((step) => step === at || ((values[step - 1] ?? null) === null && (values[step + 1] ?? null) === null));
}

function Dot({ x, y, square, read }: { x: number; y: number; square: boolean; read: boolean }) {
  const size = read ? 4 : 2.5;
  return square ? (
    <rect class="dot" x={x - size} y={y - size} width={2 * size} height={2 * size} />
  ) : (
    <circle class="dot" cx={x} cy={y} r={size} />
  );
}

/** Marks the selected step. */
export function Marker({ frame, at }: { frame: Frame; at: number }) {
  return <line class="marker" x1={frame.x(at)} x2={frame.x(at)} y1={frame.top} y2={frame.bottom} />;
}
