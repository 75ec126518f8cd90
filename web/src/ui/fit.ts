/** Makes a text field as high as its content; the style sheet limits the height. */
export function fit(field: HTMLTextAreaElement | null): void {
  if (field !== null) {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
  }
}
