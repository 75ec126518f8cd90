/** Asks for a key if the server requires one. */
import { useEffect, useRef, useState } from "preact/hooks";
import { signIn } from "../api/key";
import { explain } from "../api/problem";
import { loadMe } from "../state/me";
import { Button } from "../ui/button";

export function SignIn() {
  const [secret, setSecret] = useState("");
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      setProblem("");
      await signIn(secret.trim(), loadMe);
    } catch (error) {
      setProblem(explain(error));
    }
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <h1>Keepsaid</h1>
        <label class="field">
          <span>API key</span>
          <input
            ref={field}
            type="password"
            autocomplete="off"
            placeholder="rk_…"
            required
            value={secret}
            onInput={(event) => setSecret(event.currentTarget.value)}
          />
        </label>
        <p class="hint">
          Made by <code>keepsaid keys create</code>. It is stored in this tab only.
        </p>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <Button type="submit" look="primary">
          Sign in
        </Button>
      </form>
    </main>
  );
}
