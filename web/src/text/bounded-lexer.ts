/** Parses Markdown within limits: no message can block the page, or nest too deeply to be rendered. */
import { Lexer, type Token, Tokenizer, type TokensList } from "marked";

/** Milliseconds that parsing one text may take. Ordinary answers take a few. */
const MAX_TIME = 200;
/** The most nested quotes, lists and emphases. */
const MAX_DEPTH = 48;
/** The most steps that look for checkboxes: marked scans the lines again for each, without checking the time. */
const MAX_STEPS = 4_000_000;
const CHECKBOX = /\[[ xX]\] /g;

class LimitReached extends Error {}

/** Checks the time before every block and every inline token. */
class TimedTokenizer extends Tokenizer {
  private readonly deadline = performance.now() + MAX_TIME;

  override space(src: string) {
    this.checkTime();
    return super.space(src);
  }

  override escape(src: string) {
    this.checkTime();
    return super.escape(src);
  }

  private checkTime(): void {
    if (performance.now() > this.deadline) {
      throw new LimitReached();
    }
  }
}

class BoundedLexer extends Lexer {
  private depth = 0;

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList {
    return this.deeper(() => super.blockTokens(src, tokens, lastParagraphClipped) as TokensList);
  }

  override inlineTokens(src: string, tokens?: Token[]): Token[] {
    return this.deeper(() => super.inlineTokens(src, tokens));
  }

  private deeper<Result>(read: () => Result): Result {
    if (this.depth === MAX_DEPTH) {
      throw new LimitReached();
    }
    this.depth += 1;
    const result = read();
    this.depth -= 1;
    return result;
  }
}

/** Returns the tokens of a text, or null if it exceeds the limits: it is then shown as plain text. */
export function readMarkdown(text: string): Token[] | null {
  const boxes = text.match(CHECKBOX)?.length ?? 0;
  if (boxes > 0 && boxes * text.split("\n").length > MAX_STEPS) {
    return null;
  }
  try {
    return new BoundedLexer({ gfm: true, breaks: true, tokenizer: new TimedTokenizer() }).lex(text);
  } catch (error) {
    if (error instanceof LimitReached) {
      return null;
    }
    throw error;
  }
}
