/** The sources of an answer, in a side panel opened from the answer. */
import { useEffect, useId, useState } from "preact/hooks";
import { getReceipt } from "../api/memory";
import { explain, isAbort } from "../api/problem";
import type { Receipt } from "../api/types";
import { route } from "../router";
import { type Inspected as What, inspected } from "../state/panels";
import { Drawer } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { count, number } from "../ui/format";
import { Loading } from "../ui/loading";
import { Tabs } from "../ui/tabs";
import { Time } from "../ui/time";
import { Entries } from "./entries";
import { PromptView } from "./prompt";
import { Timeline } from "./timeline";

export function Inspector() {
  const what = inspected.value;
  const close = () => {
    inspected.value = null;
  };
  // A link in the panel may lead to content behind the panel.
  useEffect(close, [route.value]);
  return (
    <Drawer side="right" title="Sources of this answer" class="inspector" open={what !== null} onClose={close}>
      {what !== null && <Inspected key={what.receipt} {...what} />}
    </Drawer>
  );
}

function Inspected({ receipt: id, question }: What) {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    getReceipt(id, controller.signal).then(setReceipt, (error: unknown) => {
      if (!isAbort(error)) {
        setProblem(explain(error));
      }
    });
    return () => controller.abort();
  }, [id]);
  if (problem !== null) {
    return <Empty title={problem} />;
  }
  return receipt === null ? <Loading /> : <ReceiptView receipt={receipt} question={question} />;
}

/** Splits what was found for the question from the rest of the profile. */
function Used({ receipt }: { receipt: Receipt }) {
  const id = useId();
  const always = receipt.profile.filter((line) => line.score === null);
  return (
    <>
      <Entries entries={receipt.used} kind="used" />
      {always.length > 0 && (
        <section class="always" aria-labelledby={id}>
          <h3 id={id}>
            Always given <span class="tab-count">{always.length}</span>
          </h3>
          <Entries entries={always} kind="profile" />
        </section>
      )}
    </>
  );
}

function ReceiptView({ receipt, question }: { receipt: Receipt; question: string }) {
  const tabs = [
    { name: "Used", count: receipt.used.length, content: () => <Used receipt={receipt} /> },
    {
      name: "Considered",
      count: receipt.considered.length,
      content: () => <Entries entries={receipt.considered} kind="considered" />,
    },
    { name: "Prompt", content: () => <PromptView receipt={receipt} /> },
    { name: "Timeline", content: () => <Timeline receipt={receipt} /> },
  ];
  return (
    <>
      <div class="receipt-head">
        <p class="receipt-question" dir="auto">{receipt.question ?? question}</p>
        <p class="hint">
          {number(receipt.tokens)} of {count(receipt.budget, "token")} · {receipt.strategy} ·{" "}
          <Time at={receipt.created_at} />
        </p>
        {!receipt.intact && (
          <p class="receipt-changed">
            Something that this prompt held was erased since; {count(receipt.missing.length, "part")} of it cannot be shown.
          </p>
        )}
        {receipt.fallbacks.map((fallback) => (
          <p key={fallback} class="receipt-changed">
            {fallback}
          </p>
        ))}
      </div>
      <Tabs label="Sources of this answer" tabs={tabs} />
    </>
  );
}
