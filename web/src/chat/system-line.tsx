/** The instructions of a conversation, folded. */
export function SystemLine({ text }: { text: string }) {
  return (
    <details class="system-line">
      <summary>System prompt</summary>
      <p dir="auto">{text}</p>
    </details>
  );
}
