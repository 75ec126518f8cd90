"""Keepsaid in one minute: save conversations, search them, build a prompt from them, and erase them."""

import tempfile
from pathlib import Path

import keepsaid


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chat.db"

        print(f"A new store: {file.name}\n")
        with keepsaid.open(file) as memory:
            chat = memory.chat(owner="ann", title="Family", tags=["private"])
            chat.add("user", "My sister moved to Lisbon in May. Remember that she is allergic to nuts.")
            chat.add("assistant", "Noted! I will keep her allergy in mind.", metadata={"model": "demo", "duration_ms": 812})
            question = chat.add("user", "What should I bring her?")
            chat.add("assistant", "A bottle of wine.")
            chat.edit(question.id, "What should I bring her for tea?")
            chat.add("assistant", "Pastéis de nata: no nuts in them.")

        print("Opened again, as another program would:")
        with keepsaid.open(file) as memory:
            chat = memory.chat(owner="ann", session=memory.sessions(owner="ann").items[0].id)
            for message in chat.messages():
                print(f"  {message.seq:2}  {message.role:9}  {message.text}")
            info = chat.info()
            print(f"\n  {info.message_count} messages, {info.token_count} tokens, {len(chat.branches())} branches,", end=" ")
            print(f"kept until {info.expires_at:%d %B %Y}" if info.expires_at else "kept forever")

            memory.maintain()  # a background worker does the same a little later
            print(f"\nSearched by keywords{' and by meaning' if memory.embedder else ''}:")
            for question in ("sisters allergies", "where does my sibling live?"):
                print(f"  {question}")
                for hit in memory.search(question, owner="ann", limit=2):
                    print(f"    {hit.score:.2f}  {hit.passage}\n          {hit.reason}")
            print(f"  …and by another owner: {memory.search('sisters allergies', owner='bob')}")

            print("\nThe prompt for a turn of a new conversation, within 500 tokens:")
            fresh = memory.chat(owner="ann", system_prompt="You are a helpful assistant.")
            context = fresh.context("Is my sister allergic to anything?", budget=500)
            for line in context.messages[-1]["content"].splitlines():
                print(f"  | {line}")
            print(f"  {context.tokens} tokens: {context.sections}")
            print(f"  replayed byte for byte: {memory.replay(context.receipt_id or '').messages == context.messages}")

            receipt = memory.erase(owner="ann")
            print(f"\nErased: {receipt.messages} messages; verified in {', '.join(receipt.verified)}.")
            print(f"Left in the file: {b'Lisbon' in file.read_bytes()}")


if __name__ == "__main__":
    main()
