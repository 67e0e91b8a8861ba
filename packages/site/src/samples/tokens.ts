// Colours for code, without knowing the languages in full: strings, numbers, comments, keywords. It is small because
// pages load it for the languages that a reader chooses.

/** A part of a text, with the class of its colour; undefined for none. */
export type Token = readonly [text: string, kind: TokenKind | undefined];

export type TokenKind = 'attr' | 'string' | 'number' | 'literal' | 'comment' | 'keyword' | 'title';

/** The class of a kind, as the styles of guides name them. */
export const codeClass = (kind: TokenKind): string => `hljs-${kind}`;

/** A longer text is shown without colours: it is data, and each coloured part is an element of the page. */
const MAX_HIGHLIGHTED = 12_000;

const NUMBER = String.raw`-?\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b`;
const LITERAL = String.raw`\b(?:true|false|null|nil|None|True|False|undefined)\b`;
// What has no end goes on to the end of the text: looking for one at each beginning would take a square of the time.
const DOUBLE = String.raw`"(?:[^"\\]|\\[^])*(?:"|$)`;
const SINGLE = String.raw`'(?:[^'\\\n]|\\[^])*'`;
const TRIPLE = '"""[^]*?(?:"""|$)';
const BACKTICKS = '`[^`]*(?:`|$)';
const KEYWORDS = String.raw`\b(?:as|async|await|class|catch|const|def|defer|do|else|end|fn|for|from|func|fun|function|guard|if|import|in|let|match|mut|new|package|print|println|puts|require|return|throw|try|use|using|val|var|void|with|namespace|public|static)\b`;

/** In the order in which they are tried at a place. */
type Rules = readonly (readonly [kind: TokenKind, pattern: string])[];

const JSON_RULES: Rules = [
  ['attr', String.raw`${DOUBLE}(?=\s*:)`],
  ['string', DOUBLE],
  ['number', NUMBER],
  ['literal', LITERAL],
];

const XML_RULES: Rules = [
  ['comment', '<!--[^]*?(?:-->|$)'],
  ['title', String.raw`</?[\w:.-]+|/?>`],
  ['attr', String.raw`(?<![\w:.-])[\w:.-]+(?==")`],
  ['string', '"[^"<]*"'],
];

/** A command's words. Strings of a shell have no escapes within single quotes. */
const SHELL_RULES: Rules = [
  ['comment', String.raw`(?<=^|\s)#[^\n]*`],
  ['string', `'[^']*(?:'|$)|${DOUBLE}`],
  ['keyword', String.raw`(?<=^|\n|\| |\$ )(?:curl|http|https|wget|npm|npx|pip|brew)\b`],
  ['attr', String.raw`(?<=\s)--?[A-Za-z][\w-]*`],
];

const YAML_RULES: Rules = [
  ['comment', String.raw`(?<=^|\s)#[^\n]*`],
  ['attr', String.raw`(?<=^|\n)[ -]*[\w.$][\w.$ -]*(?=:(?:\s|$))`],
  ['string', `${DOUBLE}|${SINGLE}`],
  ['number', NUMBER],
  ['literal', LITERAL],
];

/** `name: value` and `a=1&b=2`. */
const TEXT_RULES: Rules = [['attr', String.raw`(?<=^|\n)[\w.[\]-]+(?=: )|(?<=^|&)[^=&\s]+(?==)`]];

const SLASHES: Rules = [['comment', String.raw`(?<=^|\s)//[^\n]*|/\*[^]*?(?:\*/|$)`]];
const HASHES: Rules = [['comment', String.raw`(?<=^|\s)#[^\n]*`]];

const CODE: Rules = [
  ['string', `${TRIPLE}|${DOUBLE}|${SINGLE}|${BACKTICKS}`],
  ['keyword', KEYWORDS],
  ['literal', LITERAL],
  ['number', NUMBER],
  ['title', String.raw`\b[A-Za-z_]\w*(?=\()`],
];

const HASH_LANGUAGES = new Set(['python', 'ruby', 'powershell', 'php', 'r', 'elixir', 'perl']);

function rulesOf(language: string): Rules {
  if (language === 'json') return JSON_RULES;
  if (language === 'xml' || language === 'html') return XML_RULES;
  if (/^(?:sh|shell|bash|curl|zsh|console)$/.test(language)) return SHELL_RULES;
  if (language === 'yaml') return YAML_RULES;
  if (language === 'text' || language === 'http') return TEXT_RULES;
  return [...(HASH_LANGUAGES.has(language) ? HASHES : SLASHES), ...CODE];
}

const patterns = new Map<Rules, RegExp>();
const byLanguage = new Map<string, Rules>();

/** The parts of a text, in their order. Together they are the text. */
export function tokensOf(text: string, language: string): Token[] {
  if (text.length > MAX_HIGHLIGHTED) return [[text, undefined]];
  const rules = byLanguage.get(language) ?? rulesOf(language);
  if (byLanguage.size < 100) byLanguage.set(language, rules);
  const pattern =
    patterns.get(rules) ?? new RegExp(rules.map(([, one]) => `(${one})`).join('|'), 'g');
  patterns.set(rules, pattern);
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) tokens.push([text.slice(end, match.index), undefined]);
    const at = match.slice(1).findIndex((group) => group !== undefined);
    tokens.push([match[0], rules[at]?.[0]]);
    end = match.index + match[0].length;
  }
  if (end < text.length) tokens.push([text.slice(end), undefined]);
  return tokens;
}
