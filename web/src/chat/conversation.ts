/** One conversation as the page has it: its messages as far as they are loaded, and the turn that is going on. */
import { signal } from "@preact/signals";
import { ask } from "../api/chat";
import { explain, fromBody, isAbort } from "../api/problem";
import { getSession, switchBranch } from "../api/sessions";
import type { Answer, Ask, Change, Message, Source } from "../api/types";
import { memoryMode } from "../state/preferences";
import { Frames } from "../ui/frames";
import { History } from "./history";
import { after, newTurn, type Turn } from "./turn";

/** How long to wait for the server to have saved the part of a stopped answer, in milliseconds. */
const PATIENCE = [50, 150, 400, 1000, 2000];

export class Conversation extends History {
  readonly turn = signal<Turn | null>(null);
  readonly loading = signal(false);
  /** Why it cannot be shown. */
  readonly missing = signal<string | null>(null);
  /** Why the last turn failed. */
  readonly failure = signal<string | null>(null);
  /** What the answers that came in while the page was open name, by their ids. */
  readonly cited = signal(new Map<string, Source[]>());

  /** Called when a new conversation has got its id. */
  onBegun: (id: string) => void = () => undefined;

  private controller: AbortController | null = null;

  constructor(id: string | null, temporary: boolean) {
    super(id, temporary);
    this.loading.value = id !== null;
  }

  /** Loads the end of it, or the place where a message is. */
  async open(message: string | null): Promise<void> {
    const id = this.id;
    if (id === null) {
      return;
    }
    try {
      this.session.value = await getSession(id);
      await (message === null ? this.showEnd(id) : this.showAround(id, message));
      this.missing.value = null;
    } catch (error) {
      this.missing.value = explain(error);
    } finally {
      this.loading.value = false;
    }
  }

  async say(text: string): Promise<void> {
    if (this.newer.value !== null) {
      await this.refresh();
    }
    const where = this.id === null ? { temporary: this.temporary } : { session: this.id };
    return this.run({ message: text, ...where }, this.messages.value.length, text);
  }

  /** Says a message of the user's differently, on a new branch. */
  edit(message: Message, text: string): Promise<void> {
    return this.run({ session: message.session, edit: message.id, message: text }, this.placeOf(message), text);
  }

  /** Wants another answer, on a new branch. */
  regenerate(answer: Message): Promise<void> {
    const question = this.questionOf(answer);
    return this.run({ session: answer.session, regenerate: answer.id }, question ? this.placeOf(question) + 1 : 0, null);
  }

  /** Tries once more to answer something that was said. */
  answerAgain(question: Message): Promise<void> {
    return this.run({ session: question.session, regenerate: question.id }, this.placeOf(question) + 1, null);
  }

  async switchTo(version: string): Promise<void> {
    if (this.id !== null && this.turn.value === null) {
      await switchBranch(this.id, version);
      await this.refresh();
    }
  }

  /** Stops the answer; what has come of it stays. */
  stop(): void {
    if (this.turn.value !== null && this.controller !== null) {
      this.turn.value = { ...this.turn.value, phase: "stopping" };
      this.controller.abort();
    }
  }

  /** What another client did. */
  follow(change: Change): void {
    if (change.session !== this.id || this.turn.value !== null || this.newer.value !== null) {
      return;
    }
    const said = change.kind === "message" ? change.message : null;
    if (said !== null && said.parent === this.messages.value.at(-1)?.seq) {
      this.messages.value = [...this.messages.value, said];
    } else if (said === null || !this.has(said.id)) {
      // A turn may have begun by the time it is read.
      this.refresh(() => this.turn.value !== null).catch(() => undefined);
    }
  }

  /** Asks, showing only the first `keep` messages and the turn from then on. */
  private async run(question: Ask, keep: number, said: string | null): Promise<void> {
    if (this.turn.value !== null) {
      return;
    }
    this.failure.value = null;
    this.messages.value = this.messages.value.slice(0, keep);
    this.turn.value = newTurn(said);
    const controller = (this.controller = new AbortController());
    try {
      await this.listen({ ...question, memory: memoryMode.value }, controller.signal);
    } catch (error) {
      this.failure.value = isAbort(error) ? null : explain(error);
    }
    await this.settle(controller.signal.aborted);
  }

  private async listen(question: Ask, signal: AbortSignal): Promise<void> {
    const inFrames = new Frames<Turn>((turn) => (this.turn.value = turn));
    let turn = this.turn.value!;
    try {
      for await (const event of ask(question, signal)) {
        if (event.name === "error") {
          throw fromBody(event.data);
        }
        turn = after(turn, event);
        inFrames.show(turn);
        if (event.name === "turn.started") {
          this.begun(event.data.session);
        } else if (event.name === "turn.completed") {
          this.answered(event.data);
        }
      }
    } finally {
      inFrames.flush();
    }
  }

  private begun(id: string): void {
    if (this.id === null) {
      this.id = id;
      this.onBegun(id);
    }
  }

  private answered(answer: Answer): void {
    if (answer.message !== null) {
      const named = answer.sources.filter((source) => source.named);
      this.cited.value = new Map(this.cited.value).set(answer.message.id, named);
    }
    if (answer.receipt_id !== null) {
      this.given.value = new Map(this.given.value).set(answer.receipt_id, answer);
    }
  }

  /** After a turn the server's word counts. A part that was stopped is saved a moment after we went away. */
  private async settle(stopped: boolean): Promise<void> {
    const partial = stopped && this.turn.value?.text;
    const over = () => {
      this.turn.value = null;
    };
    try {
      for (const wait of partial ? PATIENCE : []) {
        await new Promise((resolve) => setTimeout(resolve, wait));
        if (await this.refresh((newest) => newest.at(-1)?.role !== "assistant", over)) {
          return;
        }
      }
      await this.refresh(undefined, over);
    } catch (error) {
      this.failure.value ??= explain(error);
      over();
    }
  }
}
