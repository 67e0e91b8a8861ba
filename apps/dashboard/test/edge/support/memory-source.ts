import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Manifest, ManifestEntry } from '../../../server/src/deploys/artifact.ts';
import type {
  HostCertificate,
  Site,
  SiteSource,
} from '../../../server/src/edge/sites/site-source.ts';
import type { HourCounts, Sentence } from '../../../server/src/readers/counted.ts';

export interface TestFile {
  readonly type: string;
  readonly text: string | Buffer;
  /** Stored in its codings; `'besides'`: and without one, as earlier versions stored it. */
  readonly isCompressed?: boolean | 'besides';
  readonly isImmutable?: boolean;
  readonly isTemplate?: boolean;
}

/** Those of every site, unless it is deployed with others. */
export const REDIRECTS = {
  '/old': '/guides/start',
  '/old/ü b': '/guides/%C3%BC%20b?a=b#c',
  '/moved': 'https://docs.example.com/x',
  '/guides/start': '/',
};

export const POLICY = "default-src 'none'; frame-ancestors 'none'";

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

/** A store in memory that counts what it is asked and can be slow or away. */
export class MemorySource implements SiteSource {
  readonly sites = new Map<string, Site>();
  readonly manifests = new Map<string, Manifest>();
  readonly blobs = new Map<string, Uint8Array>();
  readonly asked = {
    findSite: 0,
    readManifest: 0,
    readBlob: 0,
    findServedCertificate: 0,
    findHttpChallenge: 0,
    findTlsChallenge: 0,
    changesAfter: 0,
  };
  readonly #changes: string[] = [];
  isAway = false;
  delayMs = 0;
  #held: Promise<void> | undefined;

  /** Puts files online at a host, as a deploy does, and says so in the feed of changes. */
  deploy(
    host: string,
    files: Record<string, TestFile>,
    site: Partial<Site> = {},
    redirects: Manifest['redirects'] | 'none' = REDIRECTS,
    redirectPrefixes?: Manifest['redirectPrefixes'],
  ): string {
    const entries = Object.entries(files).map(([path, file]) => [path, this.#store(file)]);
    const manifest: Manifest = {
      version: 1,
      title: host,
      files: Object.fromEntries(entries),
      contentSecurityPolicy: POLICY,
      ...(redirects !== 'none' && { redirects }),
      ...(redirectPrefixes && { redirectPrefixes }),
    };
    const artifactHash = sha256(JSON.stringify([manifest.files, redirects, redirectPrefixes]));
    this.manifests.set(artifactHash, manifest);
    const projectId = site.projectId ?? `project of ${host}`;
    const origin = `https://${host}`;
    const switches = { mcp: true, requestProxy: false };
    this.sites.set(host, {
      ...{ artifactHash, origin, isPreview: false },
      ...{ ...switches, ...site, projectId },
    });
    this.change(projectId);
    return artifactHash;
  }

  remove(host: string): string {
    const projectId = this.sites.get(host)?.projectId ?? '';
    this.sites.delete(host);
    this.change(projectId);
    return projectId;
  }

  change(projectId: string): void {
    this.#changes.push(projectId);
  }

  readonly certificates = new Map<string, HostCertificate>();
  /** By host, or by host and token with a space between. */
  readonly challenges = new Map<string, string>();

  /** What edges counted, in sums: `day kind name detail` of all hours. */
  readonly readers = new Map<string, number>();
  readonly sentences: Sentence[] = [];

  async addReaders({ hour, projects }: HourCounts): Promise<void> {
    if (this.isAway) throw new Error('the store is unavailable');
    for (const { counts, sentences } of projects.values()) {
      this.sentences.push(...sentences);
      for (const [kind, names] of counts)
        for (const [key, count] of names) {
          const at = `${new Date(hour).toISOString().slice(0, 13)} ${kind} ${key.replace('\0', ' ')}`;
          this.readers.set(at.trimEnd(), (this.readers.get(at.trimEnd()) ?? 0) + count);
        }
    }
  }

  platformCertificateOf(): undefined {
    return undefined;
  }

  async findPlatformCertificate(): Promise<undefined> {
    return undefined;
  }

  findServedCertificate(host: string): Promise<HostCertificate | undefined> {
    return this.#answer('findServedCertificate', () => this.certificates.get(host));
  }

  findHttpChallenge(host: string, token: string): Promise<string | undefined> {
    return this.#answer('findHttpChallenge', () => this.challenges.get(`${host} ${token}`));
  }

  findTlsChallenge(host: string): Promise<string | undefined> {
    return this.#answer('findTlsChallenge', () => this.challenges.get(host));
  }

  /** Starts counting anew. */
  forgetAsked(): void {
    for (const question of Object.keys(this.asked) as (keyof MemorySource['asked'])[]) {
      this.asked[question] = 0;
    }
  }

  findSite(host: string) {
    return this.#answer('findSite', () => this.sites.get(host));
  }

  readManifest(hash: string) {
    return this.#answer('readManifest', () => this.manifests.get(hash));
  }

  readBlob(hash: string) {
    return this.#answer('readBlob', () => this.blobs.get(hash));
  }

  changesAfter(position: string | undefined): ReturnType<SiteSource['changesAfter']> {
    return this.#answer('changesAfter', () => ({
      position: `${this.#changes.length}`,
      projectIds: [...new Set(this.#changes.slice(Number(position ?? 0)))],
    }));
  }

  /** Waits until it was asked for changes once more. */
  async nextPoll(): Promise<void> {
    const { changesAfter } = this.asked;
    while (this.asked.changesAfter === changesAfter) await sleep(1);
  }

  /** From now on answers are on their way, until the function that it returns is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return () => {
      this.#held = undefined;
      resolve();
    };
  }

  /** What is asked is looked up at once; the answer is on its way for the rest of the time. */
  async #answer<T>(question: keyof MemorySource['asked'], look: () => T): Promise<T> {
    this.asked[question]++;
    if (this.isAway) throw new Error('the store is unavailable');
    const found = look();
    if (this.delayMs > 0) await sleep(this.delayMs);
    await this.#held;
    return found;
  }

  #store({ type, text, isCompressed, isImmutable, isTemplate }: TestFile): ManifestEntry {
    const bytes = Buffer.from(text as string);
    return {
      ...(isCompressed === true ? named(bytes) : this.#keep(bytes)),
      type,
      ...(isCompressed && {
        codings: { br: this.#keep(brotliCompressSync(bytes)), gzip: this.#keep(gzipSync(bytes)) },
      }),
      ...(isCompressed === true && { compressedOnly: true }),
      ...(isImmutable && { immutable: true }),
      ...(isTemplate && { template: true }),
    };
  }

  #keep(bytes: Buffer): { hash: string; size: number } {
    const blob = named(bytes);
    this.blobs.set(blob.hash, bytes);
    return blob;
  }
}

const named = (bytes: Buffer) => ({ hash: sha256(bytes), size: bytes.length });

export const MARKDOWN = 'text/markdown; charset=utf-8';
export const HTML = 'text/html; charset=utf-8';

export const page = (text: string): TestFile => ({ type: HTML, text });

/** A small site with one of everything. */
export const SITE: Record<string, TestFile> = {
  '/': page('<h1>Start</h1>'),
  '/404.html': page('<h1>Not here</h1>'),
  '/guides/start': {
    type: HTML,
    text: `<h1>Guide</h1>${'<p>text</p>'.repeat(1_000)}`,
    isCompressed: true,
  },
  '/reference/pets': {
    type: HTML,
    text: `<h1>Pets</h1>${'<p>text</p>'.repeat(1_000)}`,
    isCompressed: 'besides',
  },
  '/reference/pets.md': {
    type: MARKDOWN,
    text: `# Pets${' text'.repeat(500)}`,
    isCompressed: true,
  },
  '/guides/ü b': page('<h1>Umlaut</h1>'),
  '/assets/app.1234.js': {
    type: 'text/javascript; charset=utf-8',
    text: 'let a;',
    isImmutable: true,
  },
  '/logo.svg': { type: 'image/svg+xml', text: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
  '/openapi.json': { type: 'application/json', text: '{"openapi":"3.1.0"}' },
  '/sitemap.xml': {
    type: 'application/xml; charset=utf-8',
    text: '<loc>{{origin}}/a</loc>'.repeat(500),
    isTemplate: true,
  },
  '/llms.txt': {
    type: 'text/plain; charset=utf-8',
    text: 'See {{origin}}/a and {{origin}}/b',
    isTemplate: true,
  },
  '/pets.md': { type: MARKDOWN, text: '# Pets' },
  '/robots.txt': { type: 'text/plain; charset=utf-8', text: 'User-agent: *\nAllow: /' },
  '/digits.bin': { type: 'application/octet-stream', text: '0123456789' },
  '/large.bin': { type: 'application/octet-stream', text: Buffer.alloc(3_000_000, 'x') },
  '/empty.txt': { type: 'text/plain; charset=utf-8', text: '' },
};
