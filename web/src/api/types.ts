/** The nouns of the API under the names that the page calls them by; their shapes come from the OpenAPI document. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export interface Page<Item> {
  items: Item[];
  next: string | null;
}

export type Me = Schemas["Me"];
export type ProblemBody = Schemas["Problem"];

export type Session = Schemas["SessionShape"];
export type SessionChange = Schemas["SessionChanges"];
export type Status = Session["status"];
export type Alternatives = Schemas["Alternatives"];

export type Message = Schemas["MessageShape"];
export type Messages = Schemas["MessagePage"];
export type Role = Message["role"];
export type ToolCall = Schemas["ToolCallShape"];

export type Ask = Schemas["Say"] | Schemas["SayDifferently"] | Schemas["AnswerAgain"];
export type MemoryMode = NonNullable<Ask["memory"]>;
export type Source = Schemas["CitedShape"];
export type Answer = Schemas["AnswerShape"];

export type SearchOrder = Schemas["SearchOrder"];
export type Kind = NonNullable<SearchOrder["kinds"]>[number];
export type Hit = Schemas["HitShape"];
export type Found = Schemas["HitList"];

export type Entry = Schemas["EntryShape"];
export type Receipt = Schemas["ReceiptShape"];
export type ReceiptLine = Schemas["ReceiptLine"];

export type Fact = Schemas["FactShape"];
export type FactKind = Fact["kind"];
export type NewFact = Schemas["NewFact"];
export type NewFactState = Schemas["FactReworded"] | Schemas["FactPinned"] | Schemas["FactHidden"];
export type FactChange = Schemas["FactChangeShape"];
export type Profile = Schemas["ProfileShape"];
export type ProfileLine = Schemas["ProfileLineShape"];
export type Summary = Schemas["SummaryShape"];

export type DocumentInfo = Schemas["DocumentShape"];
export type Chunk = Schemas["ChunkShape"];

export type Job = Schemas["JobShape"];
export type ImportReport = Schemas["ImportShape"];
export type EraseOrder = Schemas["EraseSome"] | Schemas["EraseEverything"];
export type EraseReceipt = Schemas["EraseShape"];
export type RetentionReport = Schemas["RetentionShape"];
export type Stats = Schemas["StatsShape"];
export type Period = Schemas["PeriodShape"];

export type Key = Schemas["KeyShape"];
export type MadeKey = Schemas["MadeKey"];
export type NewKey = Schemas["NewOwnerKey"] | Schemas["NewServiceKey"];

/** What the change feed tells; the document does not describe its events. */
export interface Change {
  kind: "message" | "session" | "marked" | "erased" | "reset";
  session: string | null;
  message_id: string | null;
  message: Message | null;
}
