const ALLOWED = ["http:", "https:", "mailto:"];

/** Returns the URL if a message may link to it: an absolute web or mail address. */
export function safeAddress(address: string): string | null {
  const parsed = URL.parse(address.trim());
  return parsed !== null && ALLOWED.includes(parsed.protocol) ? parsed.href : null;
}
