import { count, formatBytes } from '@petstore/service/text.ts';
import type { BuildLog } from '@petstore/site/build-log.ts';
import {
  type BuiltSite,
  type RedirectTarget,
  type SiteFile,
  sizeOf,
} from '@petstore/site/site/site-files.ts';
import {
  type Artifact,
  artifactHash,
  contentsOf,
  type Manifest,
  type ManifestEntry,
} from '../../artifact.ts';
import type { PackFiles } from './pack-files.ts';

/** Packs the files of a site while they are made, so that few of them are in memory at once. */
export class ArtifactMaker {
  readonly #pack: PackFiles;
  readonly #paths = new Set<string>();
  readonly #entries = new Map<string, ManifestEntry>();
  readonly #underWay: Promise<void>[] = [];

  constructor(pack: PackFiles) {
    this.#pack = pack;
  }

  /** Begins to pack files of the site. Throws for two files with the same path, which is a defect. */
  begin(files: readonly SiteFile[]): void {
    for (const { path } of files) {
      if (this.#paths.has(path)) throw new Error(`Two files are at ${path}.`);
      this.#paths.add(path);
    }
    this.#underWay.push(this.#add(files));
  }

  async #add(files: readonly SiteFile[]): Promise<void> {
    const packed = await this.#pack(files);
    for (const [at, entry] of packed.entries())
      this.#entries.set((files[at] as SiteFile).path, entry);
  }

  /** Packs the other files of the site, and describes it. Throws SiteLimitError. */
  async finish(site: BuiltSite, log: BuildLog): Promise<Artifact> {
    // While some are packed, which another thread does, the next ones are made.
    for (const files of portions(site.files)) {
      this.begin(files);
      if (this.#underWay.length > PORTIONS_AHEAD) await this.#underWay.shift();
    }
    await Promise.all(this.#underWay);
    return artifactOf(site, this.#entries, log);
  }
}

function artifactOf(
  site: BuiltSite,
  entries: ReadonlyMap<string, ManifestEntry>,
  log: BuildLog,
): Artifact {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const { title, contentSecurityPolicy, accent } = site;
  const redirects = sortedRedirects(site.redirects);
  const prefixes = sortedRedirects(site.redirectPrefixes);
  const manifest: Manifest = {
    ...{ version: 1, title, files: Object.fromEntries(sorted), contentSecurityPolicy },
    ...(accent && { accent }),
    ...(redirects.length > 0 && { redirects: Object.fromEntries(redirects) }),
    ...(prefixes.length > 0 && { redirectPrefixes: Object.fromEntries(prefixes) }),
  };
  const stored = contentsOf(manifest).values();
  const bytes = stored.reduce((sum, size) => sum + size, 0);
  log({ message: `Made ${count(entries.size, 'file')}: ${formatBytes(bytes)} compressed` });
  return { hash: artifactHash(manifest), manifest };
}

/** So that neither thread waits for the other when a portion takes long. */
const PORTIONS_AHEAD = 10;

/** Enough that their way to another thread costs little, and so few that they take little memory. */
const PORTION = { files: 64, bytes: 2_000_000 } as const;

function* portions(files: Iterable<SiteFile>): Generator<SiteFile[]> {
  let portion: SiteFile[] = [];
  let bytes = 0;
  for (const file of files) {
    portion.push(file);
    bytes += sizeOf(file);
    if (portion.length < PORTION.files && bytes < PORTION.bytes) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}

/** A path of the site or an address with https, in ASCII. `//` and `/\` would lead from a path to another host. */
const LOCATION = /^(?:\/(?!\/)|https:\/\/)[\x21-\x5b\x5d-\x7e]*$/;

/** Behind these comes the rest of a path, which must not become a part of the host. */
const FOLDER = /^(?:https:\/\/[^/?#]+)?\/(?:[^?#]*\/)?$/;

/** The redirects by path. Throws for one that no response can have, which is a defect. */
function sortedRedirects(
  redirects: BuiltSite['redirects'] = {},
): [from: string, target: RedirectTarget][] {
  const sorted = Object.entries(redirects).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [from, target] of sorted) {
    const { to, keepsRest = false } = typeof target === 'string' ? { to: target } : target;
    if (!LOCATION.test(to) || (keepsRest && !FOLDER.test(to)))
      throw new Error(`The redirect from ${from} leads to ${to}.`);
  }
  return sorted;
}
