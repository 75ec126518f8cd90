/** Retention: the rules in words, a dry run, and the clean-up. */
import { useState } from "preact/hooks";
import { runRetention } from "../api/data";
import { explain } from "../api/problem";
import type { RetentionReport } from "../api/types";
import { reload } from "../state/sessions";
import { Button } from "../ui/button";
import { Confirm } from "../ui/confirm";
import { Failed } from "../ui/failed";
import { count } from "../ui/format";
import { useLoaded } from "../ui/loaded";
import { Loading } from "../ui/loading";
import { Section } from "../ui/section";

export function Retention() {
  // Each report includes the rules, so a dry run loads them.
  const found = useLoaded(() => runRetention(true));
  const [report, setReport] = useState<RetentionReport | null>(null);
  const [problem, setProblem] = useState("");
  const [asking, setAsking] = useState(false);
  const runDry = async () => {
    setProblem("");
    try {
      setReport(await runRetention(true));
    } catch (error) {
      setProblem(explain(error));
    }
  };
  const run = async () => {
    setReport(await runRetention(false));
    reload();
  };
  return (
    <Section title="Retention" hint="Old conversations of all users are cleaned up by these rules every day.">
      {found.value ? <Rules policy={found.value.policy} /> : found.loading && <Loading />}
      {found.problem && <Failed problem={found.problem} again={found.again} />}
      <div class="form-row">
        <Button onClick={() => void runDry()}>Dry run</Button>
        <Button look="danger" onClick={() => setAsking(true)}>
          Clean up now…
        </Button>
      </div>
      {problem && <Failed problem={problem} />}
      {report && <Done report={report} />}
      <Confirm title="Clean up now?" action="Clean up" open={asking} onClose={() => setAsking(false)} onConfirm={run}>
        <p>
          Conversations that are older than the rules allow go to the trash, and those too long in the trash are removed for
          good. A dry run tells first how many that are.
        </p>
      </Confirm>
    </Section>
  );
}

function Rules({ policy }: { policy: RetentionReport["policy"] }) {
  return (
    <ul class="rules">
      <li>{rule("A conversation without activity goes to the trash", policy.active_days, "is kept forever")}</li>
      <li>{rule("An archived one goes to the trash", policy.archived_days, "is kept forever")}</li>
      <li>{rule("What is in the trash is removed permanently", policy.deleted_days, "stays there forever")}</li>
      {(policy.active_days !== null || policy.archived_days !== null) && (
        <li>{`Facts from conversations that expire are ${policy.keep_facts ? "kept" : "removed with them"}.`}</li>
      )}
    </ul>
  );
}

function rule(what: string, days: number | null, otherwise: string): string {
  if (days === null) {
    return `${what.replace(/ (goes|is removed).*/, "")} ${otherwise}.`;
  }
  return `${what} after ${count(days, "day")}.`;
}

function Done({ report }: { report: RetentionReport }) {
  const would = report.dry_run;
  return (
    <div class="card" role="status">
      <p>
        {report.total === 0
          ? `There ${would ? "is" : "was"} nothing to clean up.`
          : would
            ? "A clean-up would now do this:"
            : "The clean-up did this:"}
      </p>
      {report.total > 0 && (
        <dl class="pairs">
          <dt>To the trash, unused</dt>
          <dd>{count(report.expired, "conversation")}</dd>
          <dt>To the trash, archived</dt>
          <dd>{count(report.expired_archived, "conversation")}</dd>
          <dt>Removed permanently</dt>
          <dd>
            {count(report.purged, "conversation")} with {count(report.messages_purged, "message")}
          </dd>
        </dl>
      )}
    </div>
  );
}
