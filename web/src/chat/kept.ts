/** A conversation that is kept in step with the server: loaded, read anew, followed, and known to be gone. */
import { batch, signal } from "@preact/signals";
import { explain, isMissing, isUnreached } from "../api/problem";
import { findInTrash, getSession } from "../api/sessions";
import type { Change, Message } from "../api/types";
import { put } from "../state/sessions";
import { History } from "./history";
import type { Turn } from "./turn";

/** What went wrong, and how to try it once more. */
export interface Failure {
  reason: string;
  /** Words that could not be sent, where they are not back in the field. */
  words?: string;
  again: () => Promise<void>;
}

export interface Missing {
  reason: string;
  unreached: boolean;
}

export abstract class Kept extends History {
  readonly turn = signal<Turn | null>(null);
  /** A turn whose end was not heard, because the server went away: shown until it can be read how it ended. */
  readonly cut = signal<Turn | null>(null);
  readonly loading = signal(false);
  /** Why it cannot be shown. */
  readonly missing = signal<Missing | null>(null);
  readonly failure = signal<Failure | null>(null);
  /** Whether it was deleted for good while it was open. */
  readonly erased = signal(false);
  /** Whether the message that the address names is not there. */
  readonly unfound = signal(false);

  private opening = Promise.resolve();

  /** Tries once more to answer something that was said. */
  abstract answerAgain(question: Message): Promise<void>;

  /** Loads the end of it, or the place where a message is. What is shown stays if that fails. */
  open(message: string | null): Promise<void> {
    return (this.opening = this.load(message));
  }

  private async load(message: string | null): Promise<void> {
    const id = this.id;
    if (id === null) {
      return;
    }
    try {
      this.session.value = await getSession(id);
      this.unfound.value = message !== null && !(await this.showAround(id, message));
      if (message === null) {
        await this.showEnd(id);
      }
      this.missing.value = null;
      this.failure.value = null;
    } catch (error) {
      this.unopened(error, message);
    } finally {
      this.loading.value = false;
    }
  }

  private unopened(error: unknown, message: string | null): void {
    const reason = explain(error);
    if (this.messages.value.length > 0) {
      this.failure.value = { reason, again: () => this.open(message) };
    } else {
      this.missing.value = { reason, unreached: isUnreached(error) };
    }
  }

  /** Reads it anew, if nothing else goes on: after a while without the server, or because something happened to it. */
  async reload(message: string | null = null): Promise<void> {
    await this.opening;
    if (this.id === null || this.turn.value !== null) {
      return;
    }
    if (this.missing.value !== null) {
      return this.open(message);
    }
    try {
      if (this.newer.value === null) {
        await this.renew();
      } else {
        this.session.value = await getSession(this.id);
      }
    } catch (error) {
      await this.check(error);
    }
  }

  /** What another client did. */
  follow(change: Change): void {
    // What was erased is not named any more.
    const here = change.session === this.id || change.session === null;
    const unseen = change.kind === "message" && this.newer.value !== null;
    if (!here || unseen || this.turn.value !== null) {
      return;
    }
    const said = change.kind === "message" ? change.message : null;
    if (said !== null && this.cut.value === null && said.parent === this.messages.value.at(-1)?.seq) {
      this.messages.value = [...this.messages.value, said];
    } else if (said === null || !this.has(said.id)) {
      void this.reload();
    }
  }

  /** Reads the end anew. A turn may begin meanwhile, which then has its own say. */
  protected async renew(): Promise<void> {
    await this.refresh(
      () => this.turn.value !== null,
      () => this.cut.value !== null && this.heard(),
    );
  }

  /** The server's word is there about a turn that was cut off. */
  private heard(): void {
    const last = this.messages.value.at(-1);
    this.cut.value = null;
    this.failure.value =
      last?.role === "user" ? { reason: "The answer broke off.", again: () => this.answerAgain(last) } : null;
  }

  /** Finds out whether an error means that the conversation is gone. */
  protected async check(error: unknown): Promise<void> {
    if (!isMissing(error) || this.id === null) {
      return;
    }
    const trashed = await findInTrash(this.id).catch(() => undefined);
    batch(() => {
      this.erased.value = trashed === null;
      this.failure.value = null;
      if (trashed) {
        this.session.value = trashed;
        put(trashed);
      }
    });
  }
}
