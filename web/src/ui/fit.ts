/** Makes a text field as high as what is typed in it; its style sheet says how high that may be. */
export function fit(field: HTMLTextAreaElement | null): void {
  if (field !== null) {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
  }
}
