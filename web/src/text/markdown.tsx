/** Markdown as nodes. marked only parses it: message text never becomes HTML, and nothing is fetched for it. */
import type { Token, Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { readMarkdown } from "./bounded-lexer";
import { CodeBlock } from "./code-block";
import { safeAddress } from "./links";

/** Headings in a message rank below those of the page. */
const FIRST_HEADING = 2;
const LAST_HEADING = 6;

export function Markdown({ text }: { text: string }) {
  const tokens = useTokens(text);
  return <div class="prose">{tokens === null ? verbatim(text) : nodes(tokens)}</div>;
}

/** Returns the tokens of a text; none if it continues a text that exceeded the limits, without another attempt. */
function useTokens(text: string): Token[] | null {
  const refused = useRef<string | null>(null);
  return useMemo(() => {
    if (refused.current !== null && text.startsWith(refused.current)) {
      return null;
    }
    const tokens = readMarkdown(text);
    refused.current = tokens === null ? text : null;
    return tokens;
  }, [text]);
}

function verbatim(text: string): VNode {
  return (
    <p class="verbatim" dir="auto">
      {text}
    </p>
  );
}

function nodes(tokens: Token[] = []): ComponentChildren {
  return tokens.map((token, at) => <Node key={at} token={token as MarkedToken} />);
}

type MarkedToken =
  | Tokens.Blockquote
  | Tokens.Br
  | Tokens.Checkbox
  | Tokens.Code
  | Tokens.Codespan
  | Tokens.Def
  | Tokens.Del
  | Tokens.Em
  | Tokens.Escape
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.HTML
  | Tokens.Image
  | Tokens.Link
  | Tokens.List
  | Tokens.ListItem
  | Tokens.Paragraph
  | Tokens.Space
  | Tokens.Strong
  | Tokens.Table
  | Tokens.Text;

type Shapes = { [Type in MarkedToken["type"]]: (token: Extract<MarkedToken, { type: Type }>) => ComponentChildren };

const SHAPES: Shapes = {
  blockquote: (token) => <blockquote dir="auto">{nodes(token.tokens)}</blockquote>,
  br: () => <br />,
  checkbox: (token) => (token.checked ? "☑ " : "☐ "),
  code: (token) => <CodeBlock text={token.text} language={token.lang ?? ""} />,
  codespan: (token) => <code>{token.text}</code>,
  def: () => null,
  del: (token) => <del>{nodes(token.tokens)}</del>,
  em: (token) => <em>{nodes(token.tokens)}</em>,
  escape: (token) => token.text,
  heading: (token) => heading(token),
  hr: () => <hr />,
  html: (token) => (token.block ? verbatim(token.raw.trimEnd()) : token.raw),
  image: (token) => link(token.href, `image: ${token.text || token.href}`),
  link: (token) => link(token.href, nodes(token.tokens)),
  list: (token) => list(token),
  list_item: (token) => <li dir="auto">{nodes(token.tokens)}</li>,
  paragraph: (token) => <p dir="auto">{nodes(token.tokens)}</p>,
  space: () => null,
  strong: (token) => <strong>{nodes(token.tokens)}</strong>,
  table: (token) => table(token),
  text: (token) => (token.tokens ? nodes(token.tokens) : token.text),
};

function Node({ token }: { token: MarkedToken }): VNode {
  const shape = SHAPES[token.type] as ((token: MarkedToken) => ComponentChildren) | undefined;
  return <>{shape ? shape(token) : token.raw}</>;
}

function heading(token: Tokens.Heading): VNode {
  const Level = `h${Math.min(token.depth + FIRST_HEADING - 1, LAST_HEADING)}` as "h2";
  return <Level dir="auto">{nodes(token.tokens)}</Level>;
}

function list(token: Tokens.List): VNode {
  return token.ordered ? <ol start={Number(token.start) || 1}>{nodes(token.items)}</ol> : <ul>{nodes(token.items)}</ul>;
}

function link(address: string, label: ComponentChildren): ComponentChildren {
  const safe = safeAddress(address);
  if (safe === null) {
    return label;
  }
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer">
      {label}
    </a>
  );
}

function table(token: Tokens.Table): VNode {
  const cells = (row: Tokens.TableCell[], Cell: "td" | "th") =>
    row.map((cell, at) => (
      <Cell key={at} dir="auto" class={cell.align ?? undefined}>
        {nodes(cell.tokens)}
      </Cell>
    ));
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>{cells(token.header, "th")}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>{cells(row, "td")}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
