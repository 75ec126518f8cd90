/** The documents that answers may use: add, view, remove. */
import "../style/pages.css";
import "../style/documents.css";
import { useState } from "preact/hooks";
import { listDocuments, removeDocument } from "../api/memory";
import type { DocumentInfo } from "../api/types";
import { hash, navigate } from "../router";
import { Page } from "../shell/page";
import { Confirm } from "../ui/confirm";
import { DropZone } from "../ui/drop-zone";
import { Empty } from "../ui/empty";
import { Failed } from "../ui/failed";
import { DocumentIcon } from "../ui/icons";
import { type Loaded, useLoaded } from "../ui/loaded";
import { Loading } from "../ui/loading";
import { Section } from "../ui/section";
import { toast } from "../ui/toast";
import { ChunkDrawer } from "./chunk-drawer";
import { DocumentRow, nameOf } from "./document-row";
import { UploadList } from "./upload-list";
import { send } from "./uploads";

const ACCEPTED = ".txt,.text,.log,.md,.markdown,.html,.htm,.pdf,text/*,application/pdf";

export default function DocumentsPage() {
  const found = useLoaded(listDocuments);
  const opened = found.value?.items.find((document) => document.id === hash.value) ?? null;
  return (
    <Page title="Documents">
      <Section title="Add documents">
        <DropZone label="Choose files" multiple accept={ACCEPTED} onFiles={(files) => send(files, found.again)}>
          or drop them here: text, Markdown, HTML, PDF. A file with the name of an existing document becomes its new version.
        </DropZone>
        <UploadList />
      </Section>
      <Section title="All documents">
        <List found={found} />
      </Section>
      <ChunkDrawer document={opened} onClose={() => navigate("/documents", { replace: true })} />
    </Page>
  );
}

function List({ found }: { found: Loaded<{ items: DocumentInfo[] }> }) {
  const [removing, setRemoving] = useState<DocumentInfo | null>(null);
  if (found.value === null) {
    return found.problem ? <Failed problem={found.problem} again={found.again} /> : <Loading />;
  }
  const remove = async () => {
    if (removing !== null) {
      await removeDocument(removing.id);
      toast(`Removed “${nameOf(removing)}”`);
      found.again();
    }
  };
  return (
    <>
      {found.problem && <Failed problem={found.problem} again={found.again} />}
      {found.value.items.length === 0 ? (
        <Empty icon={<DocumentIcon />} title="No documents yet">
          <p>Drop a file above. Search and answers then find its passages and their place in the document.</p>
        </Empty>
      ) : (
        <ul class="rows">
          {found.value.items.map((document) => (
            <DocumentRow key={document.id} document={document} remove={() => setRemoving(document)} />
          ))}
        </ul>
      )}
      <Confirm
        title="Remove this document?"
        action="Remove permanently"
        open={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={remove}
      >
        <p>“{removing && nameOf(removing)}” is removed with all its versions and pieces. It cannot be undone.</p>
      </Confirm>
    </>
  );
}
