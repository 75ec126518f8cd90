import { Markdown } from "../text/markdown";
import { Button } from "../ui/button";
import { WarningIcon } from "../ui/icons";
import type { Conversation } from "./conversation";

/** Shows why there is no answer, the unsent text, and a retry button. */
export function Failure({ conversation }: { conversation: Conversation }) {
  const failure = conversation.failure.value;
  if (failure === null) {
    return null;
  }
  return (
    <>
      {failure.words !== undefined && (
        <article class="message user" aria-label="Not sent">
          <div class="bubble unsent">
            <Markdown text={failure.words} />
          </div>
        </article>
      )}
      <div class="failure" role="alert">
        <WarningIcon />
        <p>{failure.reason}</p>
        <Button onClick={() => void failure.again()}>Try again</Button>
      </div>
    </>
  );
}
