import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Props {
  title: string;
  /** The purpose of this section, in a sentence. */
  hint?: ComponentChildren;
  /** Actions next to the title. */
  actions?: ComponentChildren;
  children?: ComponentChildren;
}

/** A section of a page with a heading. */
export function Section({ title, hint, actions, children }: Props) {
  const id = useId();
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-head">
        <div>
          <h2 id={id}>{title}</h2>
          {hint && <p class="hint">{hint}</p>}
        </div>
        {actions && <div class="section-actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
