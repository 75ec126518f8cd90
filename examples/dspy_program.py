"""A DSPy program that remembers its conversation. The model is scripted, so no network is needed.

pip install 'keepsaid[dspy]'
python examples/dspy_program.py
"""

from __future__ import annotations

import dspy
from dspy.utils import DummyLM

import keepsaid
from keepsaid.adapters.dspy import KeepsaidConversation, history_of


def main() -> None:
    lm = DummyLM([{"answer": "Noted."}, {"answer": "In Lisbon, since May."}])
    with keepsaid.open("memory://", embedder="off") as memory, dspy.context(lm=lm):
        answering = dspy.Predict("memories, question, history: dspy.History -> answer")
        program = KeepsaidConversation(answering, memory, owner="ana", session="family", memories="memories")
        for question in ("My sister moved to Lisbon in May.", "Where does my sister live?"):
            print(f"{question} {program(question=question).answer}")

        print("\nThe second time, the model got:")
        for message in lm.history[-1]["messages"][1:-1]:
            print(f"  {message['role']}: {' '.join(message['content'].split())[:100]}")
        print(f"\nStored: {history_of(memory.chat(owner='ana', session='family')).messages}")


if __name__ == "__main__":
    main()
