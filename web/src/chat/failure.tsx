import { Button } from "../ui/button";
import { WarningIcon } from "../ui/icons";
import type { Conversation } from "./conversation";

/** Why there is no answer, and another try. */
export function Failure({ conversation }: { conversation: Conversation }) {
  const last = conversation.messages.value.findLast((message) => message.role === "user");
  return (
    <div class="failure" role="alert">
      <WarningIcon />
      <p>{conversation.failure.value}</p>
      {last && <Button onClick={() => void conversation.answerAgain(last)}>Try again</Button>}
    </div>
  );
}
