/** A text with the searched words highlighted. */
import { useMemo } from "preact/hooks";

const WORD = /[\p{L}\p{N}]+/gu;
const ENDING = /(?:ing|ed|es|s)$/;
const MIN_STEM_LENGTH = 3;

/** Returns the words of a query without operators and excluded words: after:2026 "my sister" -work → my, sister. */
export function wordsOf(query: string): string[] {
  const said = query.replace(/(^|\s)(?:-\S+|(?:role|tag|session|before|after):\S*)/g, " ");
  return [...new Set(said.toLowerCase().match(WORD) ?? [])].filter((word) => word.length > 1);
}

export function MarkedWords({ text, words }: { text: string; words: string[] }) {
  const pieces = useMemo(() => split(text, words), [text, words]);
  return (
    <>
      {pieces.map(([piece, marked], at) => (marked ? <mark key={at}>{piece}</mark> : piece))}
    </>
  );
}

function split(text: string, words: string[]): [string, boolean][] {
  const stems = new Set(words.map(stem));
  const pieces: [string, boolean][] = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    if (stems.has(stem(match[0].toLowerCase()))) {
      pieces.push([text.slice(end, match.index), false], [match[0], true]);
      end = match.index + match[0].length;
    }
  }
  return [...pieces, [text.slice(end), false]];
}

/** The server stems properly; this is close enough to highlight "moved" for "moving". */
function stem(word: string): string {
  const cut = word.replace(ENDING, "");
  return cut.length >= MIN_STEM_LENGTH ? cut.replace(/e$/, "") : word;
}
