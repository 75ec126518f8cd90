/** What is known about the user: facts with sources and history, the profile, summaries, and erasure. */
import "../style/pages.css";
import "../style/memory.css";
import { useEffect, useState } from "preact/hooks";
import { listSummaries } from "../api/memory";
import type { Summary } from "../api/types";
import { onChange } from "../api/watch";
import { hash } from "../router";
import { Page } from "../shell/page";
import { Button } from "../ui/button";
import { TrashIcon } from "../ui/icons";
import { useLoaded } from "../ui/loaded";
import { Tabs } from "../ui/tabs";
import { FactList } from "./fact-list";
import { facts, follow, load, look, profile } from "./facts";
import { ForgetDialog } from "./forget-dialog";
import { ProfileView } from "./profile-view";
import { SummaryList } from "./summary-list";

const FIRST = 50;

export default function MemoryPage() {
  const [forgetting, setForgetting] = useState<Summary | "everything" | null>(null);
  const [most, setMost] = useState(FIRST);
  const summaries = useLoaded(() => listSummaries(undefined, most), [most]);
  useEffect(() => {
    look();
    return onChange(follow);
  }, []);
  const changed = () => {
    void load();
    summaries.again();
  };
  const tabs = [
    {
      name: "Facts",
      count: facts.value?.filter((fact) => fact.until === null).length,
      content: () => <FactList />,
    },
    { name: "Always given", count: profile.value?.lines.length, content: () => <ProfileView /> },
    {
      name: "Summaries",
      count: summaries.value?.items.length,
      content: () => <SummaryList found={summaries} most={most} onMore={setMost} forget={setForgetting} />,
    },
  ];
  return (
    <Page title="What it knows about me">
      <div class="memory-head">
        <p class="hint">
          Extracted from your messages or written by you, each with its source. Change or delete what is wrong.
        </p>
        <Button look="danger" icon={<TrashIcon />} onClick={() => setForgetting("everything")}>
          Forget everything…
        </Button>
      </div>
      <div>
        <Tabs label="What is known" tabs={tabs} first={hash.value === "profile" ? 1 : 0} />
      </div>
      <ForgetDialog what={forgetting} onClose={() => setForgetting(null)} onForgotten={changed} />
    </Page>
  );
}
