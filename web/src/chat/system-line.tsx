/** The system prompt of a conversation, collapsed. */
export function SystemLine({ text }: { text: string }) {
  return (
    <details class="system-line">
      <summary>System prompt</summary>
      <p dir="auto">{text}</p>
    </details>
  );
}
