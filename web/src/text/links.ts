const ALLOWED = ["http:", "https:", "mailto:"];

/** The address if it is one that a message may link to: an absolute one of the web or of mail. */
export function safeAddress(address: string): string | null {
  const parsed = URL.parse(address.trim());
  return parsed !== null && ALLOWED.includes(parsed.protocol) ? parsed.href : null;
}
