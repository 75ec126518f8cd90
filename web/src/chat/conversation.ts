/** One conversation as the page has it: the messages of its active path as far as they are loaded, and the turn that is going on. */
import { signal } from "@preact/signals";
import { ask } from "../api/chat";
import { explain, fromBody, isAbort, Problem } from "../api/problem";
import { alternatives, getSession, listMessages, messagesAround, switchBranch } from "../api/sessions";
import { listReceipts } from "../api/memory";
import type { Answer, Ask, Change, Message, ReceiptLine, Session, Source } from "../api/types";
import { put } from "../state/sessions";
import { memoryMode } from "../state/preferences";
import { Frames } from "../ui/frames";
import { after, newTurn, type Turn } from "./turn";

const PAGE = 40;
const RECEIPTS = 200;
/** How long to wait for the server to have saved the part of a stopped answer, in milliseconds. */
const PATIENCE = [50, 150, 400, 1000, 2000];

type Given = Pick<Answer, "used" | "tokens">;

export class Conversation {
  readonly session = signal<Session | null>(null);
  readonly messages = signal<Message[]>([]);
  readonly versions = signal(new Map<string, string[]>());
  /** What the answers were given, by the ids of their receipts. */
  readonly given = signal(new Map<string, Given>());
  /** What the answers that came in while the page was open name, by their ids. */
  readonly cited = signal(new Map<string, Source[]>());
  readonly turn = signal<Turn | null>(null);
  readonly loading = signal(true);
  /** Why it cannot be shown. */
  readonly missing = signal<string | null>(null);
  /** Why the last turn failed. */
  readonly failure = signal<string | null>(null);
  /** The cursors of the pages above and below what is loaded. */
  readonly older = signal<string | null>(null);
  readonly newer = signal<string | null>(null);

  /** Called when a new conversation has got its id. */
  onBegun: (id: string) => void = () => undefined;

  private controller: AbortController | null = null;
  private fetching = false;

  constructor(
    public id: string | null,
    readonly temporary: boolean,
  ) {
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

  private async showEnd(id: string): Promise<void> {
    const [page] = await Promise.all([listMessages(id, { limit: PAGE, order: "desc" }), this.loadMarks(id)]);
    this.messages.value = page.items.toReversed();
    this.older.value = page.next;
    this.newer.value = null;
  }

  private async showAround(id: string, message: string): Promise<void> {
    let page = await around(id, message);
    if (page === null) {
      // It is on another branch, which is the one to show, then.
      this.session.value = await switchBranch(id, message);
      page = await messagesAround(id, message, PAGE);
    }
    this.messages.value = page.items;
    this.older.value = page.previous;
    this.newer.value = page.next;
    await this.loadMarks(id);
  }

  /** What stands next to the messages: their other versions, and what they were given. */
  private async loadMarks(id: string): Promise<void> {
    const [others, receipts] = await Promise.all([alternatives(id), receiptsOf(id)]);
    this.versions.value = new Map(others.items.map((item) => [item.message, item.versions]));
    this.given.value = new Map([...this.given.value, ...receipts.map((receipt) => [receipt.id, receipt] as const)]);
  }

  has(message: string): boolean {
    return this.messages.value.some((one) => one.id === message);
  }

  loadOlder(): Promise<void> {
    return this.loadPage(this.older.value, "desc", (page) => {
      this.messages.value = [...page.items.toReversed(), ...this.messages.value];
      this.older.value = page.next;
    });
  }

  loadNewer(): Promise<void> {
    return this.loadPage(this.newer.value, "asc", (page) => {
      this.messages.value = [...this.messages.value, ...page.items];
      this.newer.value = page.next;
    });
  }

  private async loadPage(
    cursor: string | null,
    order: "asc" | "desc",
    take: (page: { items: Message[]; next: string | null }) => void,
  ): Promise<void> {
    if (cursor === null || this.fetching || this.id === null) {
      return;
    }
    this.fetching = true;
    try {
      take(await listMessages(this.id, { limit: PAGE, order, cursor }));
    } finally {
      this.fetching = false;
    }
  }

  /** Reads the end of it anew, keeping what was loaded above. */
  async refresh(): Promise<void> {
    const id = this.id;
    if (id === null) {
      return;
    }
    const [page, session] = await Promise.all([
      listMessages(id, { limit: PAGE, order: "desc" }),
      getSession(id),
      this.loadMarks(id),
    ]);
    const newest = page.items.toReversed();
    const before = newest[0] ? earlier(this.messages.value, newest[0]) : [];
    if (before.length === 0) {
      this.older.value = page.next;
    }
    this.messages.value = [...before, ...newest];
    this.newer.value = null;
    this.session.value = session;
    put(session);
  }

  say(text: string): Promise<void> {
    return this.run({ message: text }, this.messages.value.length, text);
  }

  /** Says a message of the user's differently, on a new branch. */
  edit(message: Message, text: string): Promise<void> {
    return this.run({ edit: message.id, message: text }, this.placeOf(message), text);
  }

  /** Wants another answer, on a new branch. */
  regenerate(message: Message): Promise<void> {
    const place = this.placeOf(message);
    const question = this.messages.value.slice(0, place).findLastIndex((one) => one.role === "user");
    return this.run({ regenerate: message.id }, question + 1, null);
  }

  /** Tries once more to answer something that was said. */
  answerAgain(message: Message): Promise<void> {
    return this.run({ regenerate: message.id }, this.placeOf(message) + 1, null);
  }

  /** Takes over a message as it is now. */
  replace(message: Message): void {
    this.messages.value = this.messages.value.map((one) => (one.id === message.id ? message : one));
  }

  private placeOf(message: Message): number {
    return this.messages.value.findIndex((one) => one.id === message.id);
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

  private async run(question: Ask, keep: number, said: string | null): Promise<void> {
    if (this.turn.value !== null) {
      return;
    }
    if (this.newer.value !== null && question.message !== undefined && question.edit === undefined) {
      await this.refresh();
      keep = this.messages.value.length;
    }
    this.failure.value = null;
    this.messages.value = this.messages.value.slice(0, keep);
    this.turn.value = newTurn(said);
    const controller = (this.controller = new AbortController());
    try {
      await this.listen(question, controller.signal);
    } catch (error) {
      this.failure.value = isAbort(error) ? null : explain(error);
    }
    await this.settle(controller.signal.aborted);
  }

  private async listen(question: Ask, signal: AbortSignal): Promise<void> {
    const inFrames = new Frames<Turn>((turn) => (this.turn.value = turn));
    let turn = this.turn.value!;
    const order = { ...question, ...this.where(), memory: memoryMode.value };
    try {
      for await (const event of ask(order, signal)) {
        if (event.name === "error") {
          throw fromBody(event.data);
        }
        turn = after(turn, event);
        inFrames.show(turn);
        if (event.name === "turn.started") {
          this.begun(event.data.session);
        } else if (event.name === "turn.completed" && event.data.message !== null) {
          this.answered(event.data, event.data.message);
        }
      }
    } finally {
      inFrames.flush();
    }
  }

  private answered(answer: Answer, message: Message): void {
    const named = answer.sources.filter((source) => source.named);
    this.cited.value = new Map(this.cited.value).set(message.id, named);
    if (answer.receipt_id !== null) {
      this.given.value = new Map(this.given.value).set(answer.receipt_id, answer);
    }
  }

  private where(): Ask {
    return this.id === null ? { temporary: this.temporary } : { session: this.id };
  }

  private begun(id: string): void {
    if (this.id === null) {
      this.id = id;
      this.onBegun(id);
    }
  }

  /** After a turn the server's word counts. A part that was stopped is saved a moment after we went away. */
  private async settle(stopped: boolean): Promise<void> {
    const partial = stopped && this.turn.value?.text ? PATIENCE : [0];
    try {
      for (const wait of partial) {
        await new Promise((resolve) => setTimeout(resolve, wait));
        await this.refresh();
        if (this.messages.value.at(-1)?.role === "assistant") {
          break;
        }
      }
    } catch (error) {
      this.failure.value ??= explain(error);
    } finally {
      this.turn.value = null;
    }
  }

  /** What another client did. */
  follow(change: Change): void {
    if (change.session !== this.id || this.turn.value !== null) {
      return;
    }
    if (change.kind === "message" && change.message !== null && change.message.parent === this.messages.value.at(-1)?.seq) {
      this.messages.value = [...this.messages.value, change.message];
    } else if (this.newer.value === null && !(change.message_id !== null && change.kind === "message" && this.has(change.message_id))) {
      void this.refresh().catch(() => undefined);
    }
  }
}

/** The messages of `known` before `first`, if they and it belong together without a gap. */
function earlier(known: Message[], first: Message): Message[] {
  const place = known.findIndex((message) => message.id === first.id);
  if (place >= 0) {
    return known.slice(0, place);
  }
  const end = known.findIndex((message) => message.seq === first.parent);
  return end >= 0 ? known.slice(0, end + 1) : [];
}

/** A temporary conversation has none that could be listed. */
async function receiptsOf(id: string): Promise<ReceiptLine[]> {
  try {
    return (await listReceipts(id, RECEIPTS)).items;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) {
      return [];
    }
    throw error;
  }
}

async function around(id: string, message: string) {
  try {
    const page = await messagesAround(id, message, PAGE);
    return page.items.some((one) => one.id === message) ? page : null;
  } catch (error) {
    if (error instanceof Problem && error.status >= 400 && error.status < 500) {
      return null;
    }
    throw error;
  }
}
