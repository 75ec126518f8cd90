/** The turns of a conversation: start, stream, stop and finish them. */
import { batch } from "@preact/signals";
import { ask } from "../api/chat";
import { brokenOff, explain, fromBody, isAbort } from "../api/problem";
import type { Ask, Message } from "../api/types";
import { memoryMode } from "../state/preferences";
import { Frames } from "../ui/frames";
import { factNotes } from "./fact-notes";
import { type Failure, Kept } from "./kept";
import { after, newTurn, type Turn } from "./turn";

/** How long to wait for the server to save a stopped partial answer, in milliseconds. */
const PATIENCE = [50, 150, 400, 1000, 2000];

export abstract class Talk extends Kept {
  private controller: AbortController | null = null;

  /** Called when the server has saved the message, with the id of the conversation. */
  protected abstract setCreated(id: string): void;

  /** Stops the answer and keeps its partial text. */
  stop(): void {
    if (this.turn.value !== null && this.controller !== null) {
      this.turn.value = { ...this.turn.value, phase: "stopping" };
      this.controller.abort();
    }
  }

  /** Starts a turn, showing only the first `keep` messages and the turn. Returns the error that prevented it, or null. */
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

  /** Reads the turn to its end. Returns the error, or null. */
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
          this.setCreated(event.data.session);
        } else if (event.name === "memory.assembled" && event.data.receipt_id !== null) {
          this.given.value = new Map(this.given.value).set(event.data.receipt_id, event.data);
        } else if (event.name === "memory.noted" && turn.message !== null) {
          factNotes.add(turn.message.id, event.data.facts);
        } else if (event.name === "turn.completed") {
          ended = true;
          if (event.data.model !== null && event.data.noted.length === 0 && turn.message !== null) {
            factNotes.lookLater(turn.message.id);
          }
        }
      }
      return ended ? null : brokenOff();
    } catch (error) {
      return error;
    } finally {
      inFrames.flush();
    }
  }

  /** Loads the server's state after a turn. A stopped partial answer is saved shortly after the disconnect. */
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
          this.catchUp();
          return;
        }
      }
      await this.refresh(undefined, over);
      this.catchUp();
    } catch (error) {
      await this.breakOff(error);
    }
  }

  private unanswered(problem: unknown, asked: Message | null): Failure {
    const last = this.messages.value.findLast((message) => message.role === "user");
    const question = asked !== null && this.has(asked.id) ? asked : last;
    return { reason: explain(problem), again: async () => question && this.answerAgain(question) };
  }

  /** Keeps the partial turn, because its result cannot be loaded. */
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
