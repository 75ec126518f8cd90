/** The drawing of a chart. The pointer or the arrow keys select a step; its values are shown above the drawing. */
import { step } from "../ui/keys";
import { Axes } from "./axes";
import { Bars, Lines, Marker } from "./marks";
import { ticks } from "./scale";
import type { Series } from "./series";
import { longDay, type Steps } from "./steps";
import { useWidth } from "./use-width";

const HEIGHT = 168;
const TOP = 14;
const FOOT = 24;
const LETTER = 6.4;

/** The geometry of the drawing. */
export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** The x position of the middle of a step. */
  x: (at: number) => number;
  /** The y position of a value. */
  y: (value: number) => number;
  /** The width of a step. */
  band: number;
}

interface Props {
  series: Series;
  steps: Steps;
  at: number | null;
  onMove: (at: number | null) => void;
  describedBy: string;
}

export function Plot({ series, steps, at, onMove, describedBy }: Props) {
  const { element, width } = useWidth<HTMLDivElement>();
  const size = steps.periods.length;
  const marks = series.top === undefined ? ticks(largest(series), series.whole ?? false) : [0, series.top / 2, series.top];
  const frame = frameOf(width, size, marks, series.tick);
  const point = (event: PointerEvent) => {
    const from = event.clientX - (element.current?.getBoundingClientRect().left ?? 0) - frame.left;
    onMove(Math.max(0, Math.min(size - 1, Math.floor(from / frame.band))));
  };
  const onKey = (event: KeyboardEvent) => {
    const next = step(event.key, at ?? size, size, "horizontal");
    if (next !== null) {
      event.preventDefault();
      onMove(next);
    }
  };
  return (
    <div
      ref={element}
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={`${series.title}, by ${steps.unit}`}
      aria-describedby={describedBy}
      aria-orientation="horizontal"
      aria-valuemin={1}
      aria-valuemax={size}
      aria-valuenow={(at ?? size - 1) + 1}
      aria-valuetext={reading(series, steps, at ?? size - 1)}
      onPointerMove={point}
      onPointerLeave={() => onMove(null)}
      onFocus={() => onMove(at ?? size - 1)}
      onBlur={() => onMove(null)}
      onKeyDown={onKey}
    >
      {width > 0 && (
        <svg width={width} height={HEIGHT} aria-hidden="true">
          <Axes frame={frame} marks={marks} tick={series.tick} periods={steps.periods} />
          {at !== null && <Marker frame={frame} at={at} />}
          {series.shape === "bars" ? (
            <Bars frame={frame} values={series.lines[0]?.values ?? []} at={at} />
          ) : (
            <Lines frame={frame} series={series} at={at} />
          )}
        </svg>
      )}
    </div>
  );
}

/** Describes a step in words: "14 Nov 2025: 12 messages". */
export function reading(series: Series, { periods, unit }: Steps, at: number): string {
  const period = periods[at];
  if (period === undefined) {
    return "";
  }
  const day = unit === "week" ? `week from ${longDay(period)}` : longDay(period);
  const values = series.lines.map(({ name, values: all }) => {
    const value = all[at] ?? null;
    const said = value === null ? "not measured" : series.said(value);
    return series.lines.length > 1 ? `${name} ${said}` : said;
  });
  return `${day}: ${values.join(", ")}`;
}

function largest(series: Series): number {
  return Math.max(0, ...series.lines.flatMap((line) => line.values.filter((value) => value !== null)));
}

function frameOf(width: number, size: number, marks: number[], tick: (value: number) => string): Frame {
  const left = Math.ceil(Math.max(...marks.map((mark) => tick(mark).length)) * LETTER) + 8;
  const [right, top, bottom] = [width - 2, TOP, HEIGHT - FOOT];
  const band = (right - left) / Math.max(1, size);
  const highest = marks.at(-1) || 1;
  return {
    left,
    right,
    top,
    bottom,
    band,
    x: (at) => left + band * (at + 0.5),
    y: (value) => bottom - (value / highest) * (bottom - top),
  };
}
