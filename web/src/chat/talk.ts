/** The turns of a conversation: how one is asked for, listened to, stopped, and brought to an end. */
import { batch } from "@preact/signals";
import { ask } from "../api/chat";
import { brokenOff, explain, fromBody, isAbort } from "../api/problem";
import type { Ask, Message } from "../api/types";
import { memoryMode } from "../state/preferences";
import { Frames } from "../ui/frames";
import { type Failure, Kept } from "./kept";
import { after, newTurn, type Turn } from "./turn";

/** How long to wait for the server to have saved the part of a stopped answer, in milliseconds. */
const PATIENCE = [50, 150, 400, 1000, 2000];

export abstract class Talk extends Kept {
  private controller: AbortController | null = null;

  /** The server has what was said, in this conversation. */
  protected abstract begun(id: string): void;

  /** Stops the answer; what has come of it stays. */
  stop(): void {
    if (this.turn.value !== null && this.controller !== null) {
      this.turn.value = { ...this.turn.value, phase: "stopping" };
      this.controller.abort();
    }
  }

  /** Asks, showing only the first `keep` messages and the turn from then on. What kept it from beginning, or null. */
  protected async run(question: Ask, keep: number, said: string | null): Promise<unknown> {
    if (this.turn.value !== null) {
      return null;
    }
    const before = this.messages.value;
    batch(() => {
      this.failure.value = null;
      this.messages.value = before.slice(0, keep);
      this.turn.value = newTurn(said);
    });
    const controller = (this.controller = new AbortController());
    const problem = await this.listen({ ...question, memory: memoryMode.value }, controller.signal);
    if (problem !== null && !this.turn.value!.started) {
      batch(() => {
        this.messages.value = before;
        this.turn.value = null;
      });
      await this.reload();
      return problem;
    }
    await this.settle(controller.signal.aborted, problem);
    return null;
  }

  /** Hears the turn out. What went wrong, or null. */
  private async listen(question: Ask, signal: AbortSignal): Promise<unknown> {
    const inFrames = new Frames<Turn>((turn) => (this.turn.value = turn));
    let turn = this.turn.value!;
    let ended = false;
    try {
      for await (const event of ask(question, signal)) {
        if (event.name === "error") {
          return fromBody(event.data);
        }
        turn = after(turn, event);
        inFrames.show(turn);
        if (event.name === "turn.started") {
          this.begun(event.data.session);
        } else if (event.name === "memory.assembled" && event.data.receipt_id !== null) {
          this.given.value = new Map(this.given.value).set(event.data.receipt_id, event.data);
        } else if (event.name === "turn.completed") {
          ended = true;
        }
      }
      return ended ? null : brokenOff();
    } catch (error) {
      return error;
    } finally {
      inFrames.flush();
    }
  }

  /** After a turn the server's word counts. A part that was stopped is saved a moment after we went away. */
  private async settle(stopped: boolean, problem: unknown): Promise<void> {
    const asked = this.turn.value!.message;
    const over = () => {
      this.turn.value = null;
      this.failure.value = problem === null || isAbort(problem) ? null : this.unanswered(problem, asked);
    };
    try {
      for (const wait of stopped && this.turn.value!.text ? PATIENCE : []) {
        await new Promise((resolve) => setTimeout(resolve, wait));
        if (await this.refresh((newest) => newest.at(-1)?.role !== "assistant", over)) {
          return;
        }
      }
      await this.refresh(undefined, over);
    } catch (error) {
      await this.breakOff(error);
    }
  }

  private unanswered(problem: unknown, asked: Message | null): Failure {
    const last = this.messages.value.findLast((message) => message.role === "user");
    const question = asked !== null && this.has(asked.id) ? asked : last;
    return { reason: explain(problem), again: async () => question && this.answerAgain(question) };
  }

  /** How the turn ended cannot be read: what came of it stays. */
  private async breakOff(error: unknown): Promise<void> {
    batch(() => {
      this.cut.value = { ...this.turn.value!, phase: "cut" };
      this.turn.value = null;
      this.failure.value = { reason: explain(error), again: () => this.recover() };
    });
    await this.check(error);
  }

  private async recover(): Promise<void> {
    try {
      await this.renew();
    } catch (error) {
      this.failure.value = { reason: explain(error), again: () => this.recover() };
      return;
    }
    const last = this.messages.value.at(-1);
    if (last?.role === "user") {
      await this.answerAgain(last);
    }
  }
}
