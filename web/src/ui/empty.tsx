import type { ComponentChildren } from "preact";

/** What a place shows that has nothing yet: what would be here, and how it gets here. */
export function Empty({ icon, title, children }: { icon?: ComponentChildren; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      {icon}
      <p class="empty-title">{title}</p>
      {children && <div class="empty-text">{children}</div>}
    </div>
  );
}
