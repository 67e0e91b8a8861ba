/** The robots.txt of a site (RFC 9309), as it is for one crawler. */
export interface Robots {
  /** Whether the crawler may fetch a path, which may have a query. */
  isAllowed(path: string): boolean;
  /** The addresses of sitemaps, as they are written. */
  readonly sitemaps: readonly string[];
}

interface Rule {
  readonly isAllowed: boolean;
  readonly pattern: string;
}

/** RFC 9309, section 2.5: at least 500 KiB have to be read. */
export const MAX_ROBOTS_BYTES = 512_000;

const MAX_RULES = 2_000;
const MAX_SITEMAPS = 10;

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
        const rule = { isAllowed: key.toLowerCase() === 'allow', pattern };
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

/** RFC 9309, section 2.2.2: the longest match counts, and `Allow` where two are as long. */
function isAllowedBy(rules: readonly Rule[], path: string): boolean {
  let best: Rule | undefined;
  for (const rule of rules) {
    if (!matches(normalized(rule.pattern), path)) continue;
    const isLonger = best === undefined || rule.pattern.length > best.pattern.length;
    const isEqual = best?.pattern.length === rule.pattern.length;
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
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...pieces] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = isWhole ? pieces.pop() : undefined;
  for (const piece of pieces) {
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  if (!isWhole) return true;
  if (last === undefined) return at === path.length;
  return path.endsWith(last) && path.length - last.length >= at;
}
