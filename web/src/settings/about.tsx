import { key, signOut } from "../api/key";
import { me } from "../state/me";
import { Button } from "../ui/button";
import { bytes } from "../ui/format";
import { Section } from "../ui/section";

/** The user, and the configuration of the server. */
export function About() {
  const here = me.value;
  if (here === null) {
    return null;
  }
  return (
    <Section title="About" actions={key.value !== null && <Button onClick={signOut}>Sign out</Button>}>
      <dl class="pairs">
        <dt>You are</dt>
        <dd>
          {here.owner} {here.authenticated ? "" : "(on this machine, without a key)"}
        </dd>
        <dt>You may</dt>
        <dd>{here.scopes.join(", ")}</dd>
        <dt>Language model</dt>
        <dd>{here.llm ?? here.llm_note}</dd>
        <dt>Finds by meaning</dt>
        <dd>{here.embedder ?? "no: only by words"}</dd>
        <dt>Counts tokens by</dt>
        <dd>{here.tokenizer}</dd>
        <dt>Largest upload</dt>
        <dd>{bytes(here.limits.upload_bytes)}</dd>
        <dt>Version</dt>
        <dd>
          {here.version} · <a href="/docs">reference of the API</a>
        </dd>
      </dl>
    </Section>
  );
}
