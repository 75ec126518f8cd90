/** Returns the index that a key moves to in a list of `length`, wrapping at the ends; null if it does not move. */
export function step(key: string, at: number, length: number, axis: "vertical" | "horizontal" = "vertical"): number | null {
  const [back, on] = axis === "vertical" ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
  if (length === 0) {
    return null;
  }
  switch (key) {
    case back:
      return (at <= 0 ? length : at) - 1;
    case on:
      return (at + 1) % length;
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return null;
  }
}
