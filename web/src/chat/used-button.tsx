import type { Message } from "../api/types";
import { inspected } from "../state/panels";
import { count } from "../ui/format";
import { BrainIcon } from "../ui/icons";
import type { Conversation } from "./conversation";

/** A short summary of an answer's sources; opens the inspector. */
export function UsedButton({ message, conversation }: { message: Message; conversation: Conversation }) {
  const receipt = message.metadata.receipt;
  if (typeof receipt !== "string") {
    return null;
  }
  const line = conversation.given.value.get(receipt);
  const label = line
    ? `used ${count(line.used, "memory", "memories")} · ${count(line.tokens, "token")}`
    : "what it was given";
  const inspect = () => {
    inspected.value = { receipt, question: conversation.questionOf(message)?.text ?? "" };
  };
  return (
    <button type="button" class="used-button" onClick={inspect} aria-haspopup="dialog">
      <BrainIcon />
      {label}
    </button>
  );
}
