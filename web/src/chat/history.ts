/** The loaded messages of a conversation: a window on its active path that grows at both ends. */
import { batch, signal } from "@preact/signals";
import { listDocuments, listReceipts } from "../api/memory";
import { alternatives, getSession, listMessages } from "../api/sessions";
import type { DocumentInfo, Message, Messages, ReceiptLine, Session } from "../api/types";
import { put } from "../state/sessions";
import { earlier, pageAround } from "./places";

const PAGE = 40;
const RECEIPTS = 200;

type Given = Pick<ReceiptLine, "used" | "tokens">;

export class History {
  readonly session = signal<Session | null>(null);
  readonly messages = signal<Message[]>([]);
  /** The versions of messages with several, by the id of the shown one. */
  readonly versions = signal(new Map<string, string[]>());
  /** The receipts of the answers, by id. */
  readonly given = signal(new Map<string, Given>());
  /** The documents that answers may cite. */
  readonly documents = signal<DocumentInfo[]>([]);
  /** The cursors of the pages above and below the loaded messages. */
  readonly older = signal<string | null>(null);
  readonly newer = signal<string | null>(null);

  private fetching = false;
  /** How many loads of the end have begun, and which of them is shown: an older one must not replace a newer one. */
  private loads = 0;
  private shown = 0;
  private pending = 0;

  constructor(
    public id: string | null,
    readonly temporary: boolean,
  ) {}

  has(message: string): boolean {
    return this.messages.value.some((one) => one.id === message);
  }

  /** Returns the message that an answer replies to. */
  questionOf(answer: Message): Message | undefined {
    return this.messages.value.slice(0, this.placeOf(answer)).findLast((one) => one.role === "user");
  }

  /** Updates a message. */
  replace(message: Message): void {
    this.messages.value = this.messages.value.map((one) => (one.id === message.id ? message : one));
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

  /** Reloads the end, keeping what was loaded above. `unless` may reject the result; otherwise `along` runs in the same step
   * as the change. Returns whether the messages changed. */
  async refresh(
    unless: (newest: Message[]) => boolean = () => false,
    along: () => void = () => undefined,
  ): Promise<boolean> {
    const id = this.id;
    if (id === null) {
      along();
      return true;
    }
    const load = ++this.loads;
    const [page, session] = await this.counted(
      Promise.all([listMessages(id, { limit: PAGE, order: "desc" }), getSession(id), this.loadMarks(id)]),
    );
    const newest = page.items.toReversed();
    if (load < this.shown) {
      along(); // what is shown was loaded later
      return true;
    }
    if (unless(newest)) {
      return false;
    }
    this.shown = load;
    batch(() => {
      this.end(newest, page.next);
      this.session.value = session;
      put(session);
      along();
    });
    return true;
  }

  /** Whether the end is being loaded: the result may be older than a change that arrives now. */
  protected get isLoadingEnd(): boolean {
    return this.pending > 0;
  }

  private async counted<Value>(load: Promise<Value>): Promise<Value> {
    this.pending += 1;
    try {
      return await load;
    } finally {
      this.pending -= 1;
    }
  }

  private end(newest: Message[], next: string | null): void {
    const before = newest[0] ? earlier(this.messages.value, newest[0]) : [];
    if (before.length === 0) {
      this.older.value = next;
    }
    this.messages.value = [...before, ...newest];
    this.newer.value = null;
  }

  protected async showEnd(id: string): Promise<void> {
    const load = ++this.loads;
    const [page] = await this.counted(
      Promise.all([listMessages(id, { limit: PAGE, order: "desc" }), this.loadMarks(id)]),
    );
    if (load < this.shown) {
      return;
    }
    this.shown = load;
    this.messages.value = page.items.toReversed();
    this.older.value = page.next;
    this.newer.value = null;
  }

  /** Returns whether the message was found; otherwise the end is shown. */
  protected async showAround(id: string, message: string): Promise<boolean> {
    const page = await pageAround(id, message, PAGE);
    if (page === null) {
      await this.showEnd(id);
      return false;
    }
    this.messages.value = page.items;
    this.older.value = page.previous;
    this.newer.value = page.next;
    await this.loadMarks(id);
    return true;
  }

  protected placeOf(message: Message): number {
    return this.messages.value.findIndex((one) => one.id === message.id);
  }

  /** Loads what is shown next to messages: other versions, receipts, and documents. */
  private async loadMarks(id: string): Promise<void> {
    // Receipts of a temporary conversation cannot be listed.
    const kept = this.temporary || this.session.value?.temporary ? { items: [] } : listReceipts(id, RECEIPTS);
    const [others, receipts, documents] = await Promise.all([alternatives(id), kept, listDocuments(id)]);
    this.documents.value = documents.items;
    this.versions.value = new Map(others.items.map((item) => [item.message, item.versions]));
    this.given.value = new Map([...this.given.value, ...receipts.items.map((receipt) => [receipt.id, receipt] as const)]);
  }

  private async loadPage(cursor: string | null, order: "asc" | "desc", take: (page: Messages) => void): Promise<void> {
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
}
