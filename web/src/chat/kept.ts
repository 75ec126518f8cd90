/** A conversation synchronized with the server: loaded, reloaded, followed, and marked as deleted. */
import { batch, signal } from "@preact/signals";
import { explain, isMissing, isUnreached } from "../api/problem";
import { findInTrash, getSession } from "../api/sessions";
import type { Change, Message } from "../api/types";
import { put } from "../state/sessions";
import { History } from "./history";
import type { Turn } from "./turn";

/** An error, and how to retry. */
export interface Failure {
  reason: string;
  /** Unsent text that is not back in the field. */
  words?: string;
  again: () => Promise<void>;
}

export interface Missing {
  reason: string;
  unreached: boolean;
}

export abstract class Kept extends History {
  readonly turn = signal<Turn | null>(null);
  /** A turn whose end was lost with the connection: shown until its result can be loaded. */
  readonly cut = signal<Turn | null>(null);
  readonly loading = signal(false);
  /** Why the conversation cannot be shown. */
  readonly missing = signal<Missing | null>(null);
  readonly failure = signal<Failure | null>(null);
  /** Whether it was permanently deleted while open. */
  readonly erased = signal(false);
  /** Whether the message in the address does not exist. */
  readonly unfound = signal(false);

  private opening = Promise.resolve();
  /** The messages that were announced during a turn, most of them its own. */
  private readonly passed = new Set<string>();

  /** Retries the answer to a saved message. */
  abstract answerAgain(question: Message): Promise<void>;

  /** Loads the end, or the part around a message. What is shown stays if that fails. */
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

  /** Reloads it, if nothing else is running: after a lost connection, or after a change. */
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

  /** Handles a change by another client. */
  follow(change: Change): void {
    // Erased messages are no longer named.
    const here = change.session === this.id || change.session === null;
    const said = change.kind === "message" ? change.message : null;
    if (!here || (said !== null && this.newer.value !== null)) {
      return;
    }
    if (this.turn.value !== null) {
      if (said !== null) {
        this.passed.add(said.id);
      }
      return;
    }
    const next = said !== null && this.cut.value === null && said.parent === this.messages.value.at(-1)?.seq;
    if (next && !this.isLoadingEnd) {
      this.messages.value = [...this.messages.value, said];
    } else if (said === null || !this.has(said.id)) {
      void this.reload();
    }
  }

  /** Loads what other clients wrote during a turn, if the end that was loaded after it does not have it yet. */
  protected catchUp(): void {
    const unseen = [...this.passed].some((message) => !this.has(message));
    this.passed.clear();
    if (unseen) {
      void this.reload();
    }
  }

  /** Reloads the end, unless a turn begins meanwhile. */
  protected async renew(): Promise<void> {
    await this.refresh(
      () => this.turn.value !== null,
      () => this.cut.value !== null && this.heard(),
    );
  }

  /** Replaces an interrupted turn by the server's state. */
  private heard(): void {
    const last = this.messages.value.at(-1);
    this.cut.value = null;
    this.failure.value =
      last?.role === "user" ? { reason: "The answer was interrupted.", again: () => this.answerAgain(last) } : null;
  }

  /** Checks whether an error means that the conversation was deleted. */
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
