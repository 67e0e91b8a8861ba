import { mkdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

export const HOSTS = 1_000;
/** What the hosts' names end in. */
export const HOST_SUFFIX = '.docs.localhost';
export const PAGE_BYTES = 10_240;

export const hostName = (at: number): string => `site${at}${HOST_SUFFIX}`;

export const tlsHostName = (at: number): string => `host${at}.example`;

/** Writes a folder for each host with its page, plain and as gzip, as nginx serves them. */
export function writeSites(folder: string): void {
  writePages(
    folder,
    Array.from({ length: HOSTS }, (_, at) => hostName(at)),
  );
}

export function writePages(folder: string, hosts: readonly string[]): void {
  for (const host of hosts) {
    mkdirSync(`${folder}/${host}`, { recursive: true });
    const page = pageOf(host);
    writeFileSync(`${folder}/${host}/page.html`, page);
    writeFileSync(`${folder}/${host}/page.html.gz`, gzipSync(page, { level: 9 }));
  }
}

/** A page as reference documentation has it: text that is compressed to about a fifth. */
function pageOf(host: string): string {
  let page = `<!doctype html>\n<html lang="en">\n<title>${host}</title>\n`;
  for (let at = 0; page.length < PAGE_BYTES; at++) {
    const name = ((at + 1) * 2_654_435_761).toString(36);
    page += `<tr><td><code>${name}</code></td><td>string</td><td>What ${name} is for.</td></tr>\n`;
  }
  return page.slice(0, PAGE_BYTES);
}
