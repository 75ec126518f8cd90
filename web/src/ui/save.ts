/** Saves a file through the browser. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has the content once the click is done, but some need the URL a moment longer.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
