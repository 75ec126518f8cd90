/** The chunks of a document with their place in it; more are loaded on demand. */
import { useEffect, useState } from "preact/hooks";
import { listChunks } from "../api/memory";
import { explain } from "../api/problem";
import type { Chunk, DocumentInfo } from "../api/types";
import { Button } from "../ui/button";
import { Drawer } from "../ui/dialog";
import { Failed } from "../ui/failed";
import { count, number } from "../ui/format";
import { Loading } from "../ui/loading";
import { nameOf } from "./document-row";

export function ChunkDrawer({ document, onClose }: { document: DocumentInfo | null; onClose: () => void }) {
  return (
    <Drawer side="right" title={document ? nameOf(document) : "Document"} open={document !== null} onClose={onClose}>
      {document && <Chunks key={`${document.id} ${document.version}`} document={document} />}
    </Drawer>
  );
}

function Chunks({ document }: { document: DocumentInfo }) {
  const [chunks, setChunks] = useState<Chunk[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [loading, setLoading] = useState(true);
  const [problem, setProblem] = useState("");
  const more = async () => {
    setLoading(true);
    setProblem("");
    try {
      const page = await listChunks(document.id, next);
      setChunks((there) => [...there, ...page.items]);
      setNext(page.next);
    } catch (error) {
      setProblem(explain(error));
    }
    setLoading(false);
  };
  useEffect(() => void more(), []);
  return (
    <div class="chunks" tabIndex={0} role="region" aria-label="Pieces">
      <p class="hint">
        Cut into {count(document.chunks, "piece")} of {number(document.tokens)} tokens altogether. Each is found by itself.
      </p>
      <ol>
        {chunks.map((chunk, at) => (
          <li key={chunk.id} class="chunk">
            <p class="chunk-head">
              <span>{chunk.place || `Piece ${at + 1}`}</span>
              <span class="number">{count(chunk.tokens, "token")}</span>
            </p>
            <p class="chunk-text" dir="auto">{chunk.text}</p>
          </li>
        ))}
      </ol>
      {problem && <Failed problem={problem} again={() => void more()} />}
      {loading && <Loading />}
      {!loading && next !== null && <Button onClick={() => void more()}>Show more</Button>}
    </div>
  );
}
