"""An existing ChromaDB as the vector index of a store. Chroma runs in this process, so no network is needed.

pip install 'keepsaid[chroma]'
python examples/chroma_index.py
"""

from __future__ import annotations

import chromadb

import keepsaid
from keepsaid.index.chroma import ChromaIndexFactory
from keepsaid.testing import HashEmbedder


def main() -> None:
    client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))
    chroma = ChromaIndexFactory(client)
    # A real program uses the default embedder; this one only compares words, but needs no download.
    with keepsaid.open("memory://", embedder=HashEmbedder(), index=chroma) as memory:
        chat = memory.chat(owner="ana")
        for words in ("My sister moved to Lisbon in May.", "The office code is 4711.", "I like green tea."):
            chat.add("user", words)
        memory.maintain()
        print(memory.search("Where does my sister live?", owner="ana", mode="meaning")[0].message.text)
        for collection in client.list_collections():
            print(f"In Chroma: {collection.count()} vectors of {collection.metadata['owner']}, and no texts")

        memory.erase(owner="ana")
        chroma.tidy()
        print(f"After erasing: {len(client.list_collections())} collections")


if __name__ == "__main__":
    main()
