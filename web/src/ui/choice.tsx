import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { classes } from "./classes";

interface Option<Value extends string> {
  value: Value;
  label: string;
  /** An explanation of the option, in a sentence. */
  hint?: ComponentChildren;
}

interface Props<Value extends string> {
  label: string;
  options: Option<Value>[];
  value: Value;
  onChoose: (value: Value) => void;
  /** Show the options in a row, without explanations. */
  row?: boolean;
}

/** A choice between a few visible options. */
export function Choice<Value extends string>({ label, options, value, onChoose, row = false }: Props<Value>) {
  const name = useId();
  return (
    <fieldset class={classes("choice", row && "row")}>
      <legend class="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class="choice-option">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            aria-labelledby={`${name}-${option.value}`}
            aria-describedby={option.hint ? `${name}-${option.value}-hint` : undefined}
            onChange={() => onChoose(option.value)}
          />
          <span>
            <span id={`${name}-${option.value}`}>{option.label}</span>
            {option.hint && (
              <span class="hint" id={`${name}-${option.value}-hint`}>
                {option.hint}
              </span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
