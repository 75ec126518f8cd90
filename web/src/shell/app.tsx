/** The whole app: sign-in, sidebar, the page of the address, and overlays. */
import { useSignalEffect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { key, refused } from "../api/key";
import { explain } from "../api/problem";
import { away, watch } from "../api/watch";
import { ChatPage } from "../chat/page";
import { Inspector } from "../inspector/inspector";
import { route } from "../router";
import { SearchDialog } from "../search/dialog";
import { Forgetting } from "../sidebar/forgetting";
import { Sidebar } from "../sidebar/sidebar";
import { loadMe, me } from "../state/me";
import { sidebarOpen } from "../state/panels";
import { narrow } from "../state/width";
import { Button } from "../ui/button";
import { Drawer } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { Loading } from "../ui/loading";
import { Toasts } from "../ui/toast";
import { lazy } from "./lazy";
import { Nowhere } from "./nowhere";
import { useShortcuts } from "./shortcuts";
import { SignIn } from "./sign-in";

const PAGES = {
  chat: ChatPage,
  memory: lazy(() => import("../memory/page")),
  documents: lazy(() => import("../documents/page")),
  settings: lazy(() => import("../settings/page")),
  charts: lazy(() => import("../charts/page")),
  nowhere: Nowhere,
};

export function App() {
  const [problem, setProblem] = useState("");
  const load = () => {
    setProblem("");
    loadMe().catch((error: unknown) => setProblem(explain(error)));
  };
  useEffect(load, []);
  // Before loading anything that the watch may report changes of.
  useEffect(() => (refused.value ? undefined : watch()), [refused.value, key.value]);
  if (refused.value) {
    return <SignIn />;
  }
  if (me.value !== null) {
    return <SignedIn key={key.value} />;
  }
  return problem ? <Unreached problem={problem} retry={load} /> : <Loading />;
}

function Unreached({ problem, retry }: { problem: string; retry: () => void }) {
  return (
    <main class="centred">
      <Empty title={problem}>
        <Button onClick={retry}>Try again</Button>
      </Empty>
    </main>
  );
}

function SignedIn() {
  useShortcuts();
  const Page = PAGES[route.value.page];
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Side />
      <div class="main" id="main" tabIndex={-1}>
        <p class="reconnecting" role="status">
          {away.value && "The server cannot be reached. Reconnecting…"}
        </p>
        <Page />
      </div>
      <SearchDialog />
      <Inspector />
      <Forgetting />
      <Toasts />
    </div>
  );
}

function Side() {
  useSignalEffect(() => {
    // What was chosen in the drawer is open by now.
    void route.value;
    sidebarOpen.value = false;
  });
  if (!narrow.value) {
    return (
      <aside class="side" aria-label="Conversations">
        <Sidebar />
      </aside>
    );
  }
  return (
    <Drawer side="left" title="Conversations" bare open={sidebarOpen.value} onClose={() => (sidebarOpen.value = false)}>
      <Sidebar />
    </Drawer>
  );
}
