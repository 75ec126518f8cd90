/** What the signals of a score are called for people. */
import { words } from "./format";

const LABELS: Record<string, string> = {
  words: "same words",
  nearby_words: "same words, or next to them",
  conversation_words: "words of its conversation",
  meaning: "close in meaning",
  nearby_meaning: "close in meaning, or next to it",
  conversation_meaning: "meaning of its conversation",
  answers: "follows a similar question",
  is_question: "is a question",
  time: "from the time asked about",
  recent: "recent",
  user: "from the role asked about",
  assistant: "from the role asked about",
  speaker: "said by whom you name",
  phrase: "has the phrase",
  importance: "important",
  closeness: "close in meaning as a whole",
  usefulness: "likely to be useful",
  stated: "said by a person",
  statement: "a lasting statement",
};

/** signalLabel("meaning") is "close in meaning". A signal that is not known here keeps its name. */
export function signalLabel(name: string): string {
  return LABELS[name] ?? words(name);
}
