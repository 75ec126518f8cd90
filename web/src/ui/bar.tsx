/** A share of 1 as a small bar with its value. */
export function Bar({ label, value }: { label: string; value: number }) {
  const share = Math.max(0, Math.min(1, value));
  return (
    <div class="bar">
      <span class="bar-label">{label}</span>
      <meter class="visually-hidden" min={0} max={1} value={share} aria-label={label} />
      <span class="bar-track" aria-hidden="true">
        <span class="bar-fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span class="bar-value">{value.toFixed(2)}</span>
    </div>
  );
}
