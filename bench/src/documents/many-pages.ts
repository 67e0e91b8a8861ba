import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// A folder of guides as a large company has it: areas with chapters, pages with tables, code, lists, notes, images, and
// links among them. The same numbers give the same folder.

/** Among so many files one is an image, and of the others all but the configuration are pages. */
const FILES_PER_IMAGE = 100;

const AREAS = [
  'guides',
  'concepts',
  'tutorials',
  'integrations',
  'administration',
  'reference-notes',
];
const CHAPTERS_PER_AREA = 25;

/** A pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Writes a folder with so many files, whose document is to be at `openapi`. Gives the path of one page in it. */
export function writeManyPages(folder: string, files: number, openapi?: string): string {
  const images = Math.floor(files / FILES_PER_IMAGE);
  const pages = Array.from({ length: files - images - 1 }, (_, at) => pathOf(at));
  const document = openapi === undefined ? '' : `openapi: ${openapi}\n`;
  write(folder, 'docs.yaml', `title: Many pages\n${document}`);
  for (let at = 0; at < images; at += 1) {
    // Each of them another one, behind the end of the picture.
    write(folder, imageOf(at), Buffer.concat([PNG, Buffer.from(`image ${at}`)]));
  }
  for (const [at, path] of pages.entries()) write(folder, path, pageText(at, pages, images));
  return pages[Math.floor(pages.length / 2)] ?? '';
}

function pathOf(at: number): string {
  if (at === 0) return 'index.md';
  const area = AREAS[at % AREAS.length] ?? '';
  const chapter = Math.floor(at / AREAS.length) % CHAPTERS_PER_AREA;
  return `${area}/chapter-${chapter + 1}/page-${at}.md`;
}

const imageOf = (at: number) => `images/screen-${at}.png`;

function write(folder: string, path: string, content: string | Uint8Array): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Between one and five kB: a title, sections of prose, and in each of these something else. */
function pageText(at: number, pages: readonly string[], images: number): string {
  const next = randomNumbers(at);
  const words = wordsBy(next);
  const depth = (pages[at] ?? '').split('/').length - 1;
  const rooted = (path: string) => `${'../'.repeat(depth)}${path}`;
  const link = () => rooted(pages[next(pages.length)] ?? 'index.md');
  const parts = [`# ${titled(words(4))}`, sentences(words, next, 3)];
  const sections = 2 + next(4);
  for (let section = 0; section < sections; section += 1) {
    parts.push(`## ${titled(words(3))}`, sentences(words, next, 2 + next(5)));
    parts.push(`See [${words(2)}](${link()}) and [${words(3)}](${link()}).`);
    parts.push(extra(next, words, rooted(imageOf(next(Math.max(1, images)))), images > 0));
  }
  return `${parts.join('\n\n')}\n`;
}

function extra(next: Next, words: Words, image: string, hasImages: boolean): string {
  const kind = next(6);
  if (kind === 0) return table(next, words);
  if (kind === 1) return `\`\`\`ts\n${code(next, words)}\n\`\`\``;
  if (kind === 2)
    return `\`\`\`bash\ncurl https://api.example.com/v1/${words(1)} \\\n  -H 'Authorization: Bearer TOKEN'\n\`\`\``;
  if (kind === 3) return `:::note\n${sentences(words, next, 2)}\n:::`;
  if (kind === 4 && hasImages) return `![${titled(words(3))}](${image})`;
  return Array.from({ length: 3 + next(4) }, () => `- **${words(1)}**: ${words(6 + next(8))}`).join(
    '\n',
  );
}

function table(next: Next, words: Words): string {
  const rows = Array.from(
    { length: 3 + next(6) },
    () => `| \`${words(1)}\` | ${words(2)} | ${words(6)} |`,
  );
  return ['| Name | Kind | What it is |', '| --- | --- | --- |', ...rows].join('\n');
}

function code(next: Next, words: Words): string {
  const lines = Array.from({ length: 2 + next(6) }, () => {
    const name = words(1);
    return `const ${name} = await client.${words(1)}.create({ ${words(1)}: '${words(2)}', limit: ${next(100)} });`;
  });
  return [`import { Client } from '@example/client';`, '', ...lines].join('\n');
}

function sentences(words: Words, next: Next, count: number): string {
  return Array.from({ length: count }, () => `${titled(words(8 + next(12)))}.`).join(' ');
}

const titled = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

type Next = (below: number) => number;
type Words = (count: number) => string;

const SYLLABLES = 'ac con de ex fer in lo mo per re sta ter un ver wor bi cal du gen hi'.split(' ');

/** Words of which few are in most texts and most are in few, as those of a language. */
function wordsBy(next: Next): Words {
  const word = () => {
    const rank = Math.floor(WORDS * (next(1_000_000) / 1_000_000) ** 3);
    const [first, second, third] = [rank % 20, Math.floor(rank / 20) % 20, Math.floor(rank / 400)];
    return [first, second, third].map((at) => SYLLABLES[at] ?? '').join('');
  };
  return (count) => Array.from({ length: count }, word).join(' ');
}

/** How many words there are. */
const WORDS = 8_000;

/** Mulberry32: whole numbers from 0 on, the same for the same seed. */
function randomNumbers(seed: number): Next {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}
