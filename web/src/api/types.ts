/** The API's types under the names that the page uses; they are generated from the OpenAPI document. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export interface Page<Item> {
  items: Item[];
  next: string | null;
}

export type Me = Schemas["CallerInfo"];
export type ProblemBody = Schemas["ProblemDocument"];

export type Session = Schemas["SessionResponse"];
export type SessionChange = Schemas["SessionChanges"];
export type Status = Session["status"];
export type Alternatives = Schemas["MessageVersionList"];

export type Message = Schemas["MessageResponse"];
export type Messages = Schemas["MessagePage"];
export type Role = Message["role"];
export type ToolCall = Schemas["ToolCallResponse"];

export type Ask = Schemas["NewTurn"] | Schemas["EditTurn"] | Schemas["RegenerateTurn"];
export type MemoryMode = NonNullable<Ask["memory"]>;
export type Source = Schemas["SourceResponse"];
export type Answer = Schemas["ChatResponse"];

export type SearchOrder = Schemas["MemorySearchRequest"];
export type Kind = NonNullable<SearchOrder["kinds"]>[number];
export type Hit = Schemas["SearchHitResponse"];
export type Found = Schemas["SearchHitList"];

export type Entry = Schemas["ReceiptEntryResponse"];
export type Receipt = Schemas["ReceiptResponse"];
export type ReceiptLine = Schemas["ReceiptSummary"];

export type Fact = Schemas["FactResponse"];
export type FactKind = Fact["kind"];
export type NewFact = Schemas["NewFact"];
export type NewFactState = Schemas["FactTextChange"] | Schemas["FactPinChange"] | Schemas["FactVisibilityChange"];
export type FactChange = Schemas["FactChangeResponse"];
export type Profile = Schemas["ProfileResponse"];
export type ProfileLine = Schemas["ProfileLineResponse"];
export type Summary = Schemas["SummaryResponse"];

export type DocumentInfo = Schemas["DocumentResponse"];
export type Chunk = Schemas["ChunkResponse"];

export type Job = Schemas["JobResponse"];
export type ImportReport = Schemas["ImportResponse"];
export type EraseOrder = Schemas["SessionEraseRequest"] | Schemas["FullEraseRequest"];
export type EraseReceipt = Schemas["EraseResponse"];
export type RetentionReport = Schemas["RetentionResponse"];
export type Stats = Schemas["StatsResponse"];
export type Period = Schemas["PeriodResponse"];

export type Key = Schemas["KeyResponse"];
export type MadeKey = Schemas["NewKeyResponse"];
export type NewKey = Schemas["NewOwnerKey"] | Schemas["NewServiceKey"];

/** An event of the change feed, which the OpenAPI document does not describe. */
export interface Change {
  kind: "message" | "session" | "marked" | "erased" | "reset";
  session: string | null;
  message_id: string | null;
  message: Message | null;
}
