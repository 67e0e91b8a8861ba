/** The robots.txt of a site (RFC 9309), as it is for one crawler. */
export interface Robots {
  /** Whether the crawler may fetch a path, which may have a query. */
  isAllowed(path: string): boolean;
  /** The addresses of sitemaps, as they are written. */
  readonly sitemaps: readonly string[];
}

interface Rule {
  readonly isAllowed: boolean;
  /** In octets as they are written: the longer rule counts. */
  readonly length: number;
  /** What is between its `*`. The first piece is the beginning of a path. */
  readonly pieces: readonly string[];
  /** The last piece is the end of a path. */
  readonly isWhole: boolean;
}

/** RFC 9309, section 2.5: at least 500 KiB have to be read. */
export const MAX_ROBOTS_BYTES = 512_000;

const MAX_RULES = 2_000;

/** Of all rules together: each path of a site is compared with all of them. */
const MAX_PIECES = 20_000;
const MAX_SITEMAPS = 10;

/** With as many letters between its `*` a rule can be of no path that is asked for. */
const MAX_PATTERN = 4_000;

/** Where there is no robots.txt. */
export const NO_ROBOTS: Robots = { isAllowed: () => true, sitemaps: [] };

/** Where it cannot be read (RFC 9309, section 2.3.1.4): a server that fails is left alone. */
export const ALL_DISALLOWED: Robots = { isAllowed: () => false, sitemaps: [] };

/** Reads a robots.txt. `product`: the crawler's product token, in lower case. */
export function readRobots(text: string, product: string): Robots {
  const own: Rule[] = [];
  const ofAll: Rule[] = [];
  const sitemaps: string[] = [];
  let isNamed = false;
  let agents: string[] = [];
  let isInRules = false;
  let pieces = 0;
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const [, key = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(raw) ?? [];
    const pattern = value.trim();
    switch (key.toLowerCase()) {
      case 'user-agent':
        // Several lines in a row begin one group.
        if (isInRules) agents = [];
        isInRules = false;
        agents.push(pattern.toLowerCase());
        if (agents.includes(product)) isNamed = true;
        break;
      case 'allow':
      case 'disallow': {
        isInRules = true;
        if (pattern === '') break;
        const rule = readRule(pattern, key.toLowerCase() === 'allow');
        pieces += rule?.pieces.length ?? 0;
        if (!rule || pieces > MAX_PIECES) break;
        if (agents.includes(product) && own.length < MAX_RULES) own.push(rule);
        if (agents.includes('*') && ofAll.length < MAX_RULES) ofAll.push(rule);
        break;
      }
      case 'sitemap':
        if (sitemaps.length < MAX_SITEMAPS) sitemaps.push(pattern);
    }
  }
  // A group of its own counts alone (RFC 9309, section 2.2.1).
  const rules = isNamed ? own : ofAll;
  return { sitemaps, isAllowed: (path) => isAllowedBy(rules, normalized(path)) };
}

/** Read once, since each path is compared with all rules. undefined: it is longer than any path. */
function readRule(typed: string, isAllowed: boolean): Rule | undefined {
  const pattern = normalized(typed.replace(/\*{2,}/g, '*'));
  if (pattern.length > MAX_PATTERN) return undefined;
  const isWhole = pattern.endsWith('$');
  const pieces = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  return { isAllowed, length: pattern.length, pieces, isWhole };
}

/** RFC 9309, section 2.2.2: the longest match counts, and `Allow` where two are as long. */
function isAllowedBy(rules: readonly Rule[], path: string): boolean {
  let best: Rule | undefined;
  for (const rule of rules) {
    if (!matches(rule, path)) continue;
    const isLonger = best === undefined || rule.length > best.length;
    const isEqual = best?.length === rule.length;
    if (isLonger || (isEqual && rule.isAllowed)) best = rule;
  }
  return best?.isAllowed ?? true;
}

/** Encoded octets are compared in one spelling. */
function normalized(path: string): string {
  return path
    .replace(/[^\x21-\x7e]/gu, (letter) => encodeURIComponent(letter.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());
}

/** `*` stands for any characters, and a `$` at the end for the end. Each piece is searched once, from left to right. */
function matches({ pieces, isWhole }: Rule, path: string): boolean {
  const [first = ''] = pieces;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const searched = isWhole ? pieces.length - 1 : pieces.length;
  for (let i = 1; i < searched; i++) {
    const piece = pieces[i] ?? '';
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  if (!isWhole) return true;
  const last = pieces.length > 1 ? (pieces.at(-1) ?? '') : undefined;
  if (last === undefined) return at === path.length;
  return path.endsWith(last) && path.length - last.length >= at;
}
