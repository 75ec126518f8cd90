/** Selects the listed sessions: active, archived or deleted; all, or those with a tag. */
import type { Status } from "../api/types";
import { show, tag, tags, view } from "../state/sessions";
import { ChevronDownIcon, TagIcon } from "../ui/icons";
import { Menu } from "../ui/menu";

const VIEWS: [Status, string][] = [
  ["active", "Chats"],
  ["archived", "Archive"],
  ["deleted", "Trash"],
];

export function ViewBar() {
  const name = VIEWS.find(([status]) => status === view.value)?.[1];
  const views = VIEWS.map(([status, label]) => ({
    label,
    checked: view.value === status,
    onSelect: () => show(status, tag.value),
  }));
  return (
    <div class="view-bar">
      <Menu label="Which conversations" items={views}>
        {name} <ChevronDownIcon />
      </Menu>
      {tag.value !== null && (
        <button type="button" class="chip" aria-pressed="true" onClick={() => show(view.value)} title="Show all">
          #{tag.value} ×
        </button>
      )}
      {tags.value.length > 0 && <TagFilter />}
    </div>
  );
}

function TagFilter() {
  const items = [null, ...tags.value].map((name) => ({
    label: name === null ? "All" : `#${name}`,
    checked: tag.value === name,
    onSelect: () => show(view.value, name),
  }));
  return <Menu label="Filter by tag" icon={<TagIcon />} items={items} class="small" />;
}
