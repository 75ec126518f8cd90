/** Hands a file to the browser to be saved. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has the content by the time the click is over, but some need the address a moment longer.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
