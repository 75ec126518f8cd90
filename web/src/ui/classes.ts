/** The class names that hold, as one attribute: classes("button", primary && "primary"). */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
