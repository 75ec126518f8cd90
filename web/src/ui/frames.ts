/** Shows the newest of many values, at most once per frame. */
export class Frames<Value> {
  private waiting: { value: Value } | null = null;

  constructor(private readonly take: (value: Value) => void) {}

  show(value: Value): void {
    if (this.waiting === null) {
      requestAnimationFrame(() => this.flush());
    }
    this.waiting = { value };
  }

  flush(): void {
    if (this.waiting !== null) {
      this.take(this.waiting.value);
      this.waiting = null;
    }
  }
}
