/** A conversation in the page: its loaded messages, and the actions of the user. */
import type { Signal } from "@preact/signals";
import { explain, isAbort } from "../api/problem";
import { switchBranch } from "../api/sessions";
import type { Ask, Message } from "../api/types";
import { adopt, attachDraft, detachDraft, draftOf, putBack } from "./drafts";
import { Talk } from "./talk";

export class Conversation extends Talk {
  /** The typed text that is not sent yet. */
  readonly draft: Signal<string>;

  /** Called when a new conversation gets its id. */
  onCreated: (id: string) => void = () => undefined;

  constructor(id: string | null, temporary: boolean) {
    super(id, temporary);
    this.draft = draftOf(id, temporary);
    this.loading.value = id !== null;
  }

  /** Sends the typed text. If it does not reach the server, it is put back into the field. */
  async say(): Promise<void> {
    const text = this.draft.value.trim();
    if (text === "" || this.turn.value !== null) {
      return;
    }
    this.draft.value = "";
    if (this.id === null) {
      detachDraft(this.temporary, this.draft);
    }
    const problem = await this.send(text);
    if (problem === null) {
      return;
    }
    const draft = this.id === null ? attachDraft(this.temporary, this.draft) : this.draft;
    if (!isAbort(problem)) {
      this.failure.value = { reason: `Not sent: ${explain(problem)}`, again: () => this.say() };
    }
    if (this.messages.value.at(-1)?.text !== text || !isAbort(problem)) {
      putBack(draft, text);
    }
  }

  private async send(text: string): Promise<unknown> {
    if (this.newer.value !== null || this.cut.value !== null) {
      try {
        await this.renew();
      } catch (error) {
        return error;
      }
    }
    const where = this.id === null ? { temporary: this.temporary } : { session: this.id };
    return this.run({ message: text, ...where }, this.messages.value.length, text);
  }

  /** Sends an edited message of the user, on a new branch. */
  edit(message: Message, words: string): Promise<void> {
    return this.attempt({ session: message.session, edit: message.id, message: words }, this.placeOf(message), words);
  }

  /** Requests another answer, on a new branch. */
  regenerate(answer: Message): Promise<void> {
    const question = this.questionOf(answer);
    const keep = question ? this.placeOf(question) + 1 : 0;
    return this.attempt({ session: answer.session, regenerate: answer.id }, keep);
  }

  answerAgain(question: Message): Promise<void> {
    return this.attempt({ session: question.session, regenerate: question.id }, this.placeOf(question) + 1);
  }

  async switchTo(version: string): Promise<void> {
    if (this.id !== null && this.turn.value === null) {
      await switchBranch(this.id, version);
      await this.refresh();
    }
  }

  protected setCreated(id: string): void {
    if (this.id === null) {
      this.id = id;
      adopt(id, this.draft);
      this.onCreated(id);
    }
  }

  private async attempt(question: Ask, keep: number, words?: string): Promise<void> {
    const problem = await this.run(question, keep, words ?? null);
    if (problem !== null && !isAbort(problem)) {
      const again = () => this.attempt(question, keep, words);
      this.failure.value = { reason: `Not sent: ${explain(problem)}`, words, again };
    }
  }
}
