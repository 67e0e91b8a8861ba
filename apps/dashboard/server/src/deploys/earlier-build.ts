import { hash } from 'node:crypto';
import type { BuildLine, BuildLog } from '@petstore/site/build-log.ts';
import {
  type Changelog,
  changelogText,
  EMPTY_CHANGELOG,
} from '@petstore/site/changelog/changelog.ts';
import { datesOf, type PageDates } from '@petstore/site/site/page-dates.ts';
import { redateSitemap } from '@petstore/site/site/sitemap.ts';
import type { Deps } from '../deps.ts';
import {
  type BuildRecord,
  findBuild,
  missingBlobs,
  type StoredArtifact,
} from '../store/artifacts.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Db } from '../store/schema.ts';
import { artifactHash, contentsOf, type Manifest } from './artifact.ts';
import { builtDocuments, findShown, isSame } from './changes/compare-with-shown.ts';
import { shownChangelog } from './changes/shown-changelog.ts';
import { readSitemaps } from './publication.ts';

// The result of a build is used again for a build of the same files: its artifact is in the store by the key of what it
// was made of, for as long as a deploy keeps it.

/** An artifact for a deploy, and those of its contents that are not stored yet. */
export interface MadeArtifact {
  readonly artifact: StoredArtifact;
  /** The hashes of those that may not be stored. */
  readonly missing: () => Promise<ReadonlySet<string>>;
  readonly contents: (wanted: ReadonlySet<string>) => AsyncIterable<Blob> | Iterable<Blob>;
}

type Blob = readonly [hash: string, bytes: Uint8Array];

interface StoredBuild {
  readonly manifest: Manifest;
  readonly lines: readonly BuildLine[];
  /** By path. */
  readonly sitemaps: ReadonlyMap<string, string>;
}

/** What a build is made of and says, and whether that was built before. `dates`: those of the new deploy. */
export function buildMemory(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  deploy: DeployRow,
  dates: PageDates | undefined,
) {
  let key: string | undefined;
  let changelog: Changelog | undefined;
  let found: StoredBuild | undefined;
  const lines: BuildLine[] = [];
  return {
    /** Takes a line of the build. Those before its key are said anew by each build. */
    add(line: BuildLine): void {
      if (key !== undefined) lines.push(line);
    },
    /**
     * Whether the result of a build with this key is stored, with the changelog that the deploy will have, and will be
     * until a deploy refers to it.
     */
    async isKnown(asked: string): Promise<boolean> {
      key = asked;
      // Whether a site has a changelog, its files say.
      found = await findStored(db, wholeKey(asked, undefined), now());
      if (found) return true;
      const live = await findShown(db, deploy);
      changelog = live ? await shownChangelog(db, live) : EMPTY_CHANGELOG;
      const stored = await findStored(db, wholeKey(asked, changelog), now());
      // Other documents than those that are live change something, and what, has to be found out.
      if (stored && (!live || isSame(live.manifest, builtDocuments(stored.manifest))))
        found = stored;
      else changelog = undefined;
      return found !== undefined;
    },
    /** Takes the changelog that a build is made with. */
    made(given: Changelog): void {
      changelog = given;
    },
    /** The result of the earlier build, whose lines go to the log. */
    recall(log: BuildLog): MadeArtifact {
      if (!found) throw new Error('There is no earlier build.');
      for (const line of found.lines) log(line);
      return dates ? redated(found, dates) : storedArtifact(found.manifest, new Map());
    },
    /** What to store with the artifact; undefined where the build had no key. */
    record(): BuildRecord | undefined {
      if (key === undefined) return undefined;
      return { key: wholeKey(key, changelog), lines: [...lines] };
    },
  };
}

/** The key of a build with a changelog; undefined: its site has none. */
const wholeKey = (key: string, changelog: Changelog | undefined): string =>
  changelog ? `${key} ${hash('sha256', changelogText(changelog), 'hex')}` : key;

/** undefined also where some of its contents are gone: it is being removed. */
async function findStored(db: Db, key: string, now: number): Promise<StoredBuild | undefined> {
  const build = await findBuild(db, key);
  if (!build) return undefined;
  const missing = await missingBlobs(db, [...contentsOf(build.manifest).keys()], now);
  if (missing.size > 0) return undefined;
  return { ...build, sitemaps: await readSitemaps(db, build.manifest) };
}

/** The dates of pages depend on what is live, and on the time of the deploy: nothing else does. */
function redated({ manifest, sitemaps }: StoredBuild, dates: PageDates): MadeArtifact {
  const lastModified = datesOf(dates, (markdown) => manifest.files[markdown]?.hash);
  const files = { ...manifest.files };
  const made = new Map<string, Uint8Array>();
  for (const [path, xml] of sitemaps) {
    const bytes = Buffer.from(redateSitemap(xml, lastModified));
    const content = hash('sha256', bytes, 'hex');
    const entry = files[path];
    if (!entry) continue;
    files[path] = { ...entry, hash: content, size: bytes.length };
    made.set(content, bytes);
  }
  return storedArtifact({ ...manifest, files }, made);
}

function storedArtifact(manifest: Manifest, made: ReadonlyMap<string, Uint8Array>): MadeArtifact {
  const artifact = { hash: artifactHash(manifest), manifest, blobs: contentsOf(manifest) };
  return {
    artifact,
    // The others were looked for when the key was, and are kept for long enough since.
    missing: async () => new Set(made.keys()),
    contents(wanted) {
      const lost = [...wanted].find((content) => !made.has(content));
      if (lost !== undefined) throw new Error(`The content ${lost} of an earlier build is gone.`);
      return [...made].filter(([content]) => wanted.has(content));
    },
  };
}
