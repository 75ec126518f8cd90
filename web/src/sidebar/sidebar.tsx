/** Navigation: new chats, search, all sessions, and the other pages. */
import { navigate, route } from "../router";
import { searchOpen, sidebarOpen } from "../state/panels";
import { Button, IconButton } from "../ui/button";
import { BrainIcon, ChartIcon, DashedIcon, DocumentIcon, GearIcon, PlusIcon, SearchIcon } from "../ui/icons";
import { SessionList } from "./session-list";
import { ThemeMenu } from "./theme-menu";
import { ViewBar } from "./view-bar";

const PAGES = [
  { page: "memory", label: "Memory", Icon: BrainIcon },
  { page: "documents", label: "Documents", Icon: DocumentIcon },
  { page: "charts", label: "Charts", Icon: ChartIcon },
  { page: "settings", label: "Settings", Icon: GearIcon },
] as const;

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Sidebar() {
  return (
    <div class="sidebar">
      <div class="sidebar-head">
        <a class="brand" href="/">
          Keepsaid
        </a>
        <ThemeMenu />
      </div>
      <div class="sidebar-new">
        <Button icon={<PlusIcon />} onClick={() => begin("/")}>
          New chat
        </Button>
        <IconButton label="New temporary chat" icon={<DashedIcon />} onClick={() => begin("/?temporary")} />
      </div>
      <button type="button" class="search-button" onClick={openSearch}>
        <SearchIcon />
        <span>Search</span>
        <kbd>{isApple ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      <ViewBar />
      <SessionList />
      <nav class="sidebar-pages" aria-label="Pages">
        {PAGES.map(({ page, label, Icon }) => (
          <a key={page} href={`/${page}`} aria-current={route.value.page === page ? "page" : undefined}>
            <Icon /> {label}
          </a>
        ))}
      </nav>
    </div>
  );
}

function openSearch(): void {
  sidebarOpen.value = false;
  searchOpen.value = true;
}

/** Opens a new chat and focuses its input field. */
function begin(address: string): void {
  navigate(address);
  sidebarOpen.value = false;
  requestAnimationFrame(() => document.querySelector<HTMLElement>("#say")?.focus());
}
