import { atLeast, atMost, type Verdict } from '../verdict.ts';
import type { Figure, MeasuredDocument, SitesComparison } from './site-results.ts';

const MEGABYTES_PER_MIB = 2 ** 20 / 1e6;

/** What the published site promises, each by the document that is furthest from it. */
export function siteVerdicts(sites: SitesComparison | undefined): Verdict[] {
  const documents = sites?.documents ?? [];
  const github = documents.find(({ name }) => name === 'github');
  const small = documents.find(({ name }) => name === 'train-travel');
  const figure = (document: MeasuredDocument | undefined, name: Figure) =>
    document?.pages.own?.[name]?.median;
  const worst = (name: Figure) => most(documents.map((one) => figure(one, name)));
  const [large, little] = [figure(github, 'readableMs'), figure(small, 'readableMs')];
  const recalls = documents.flatMap(({ recall }) =>
    recall ? [(100 * recall.first) / recall.asked] : [],
  );
  return [
    atMost('Site, an operation, everything transferred', worst('kB'), 60, ' kB'),
    atMost('Site, an operation, of it scripts', worst('scriptsKB'), 30, ' kB'),
    atMost('Site, an operation is readable after', worst('readableMs'), 200, ' ms'),
    atMost(
      'Site, the same: GitHub to Train Travel',
      large && little && large / little,
      1.3,
      ' times',
    ),
    atMost('Site, an operation, total blocking time', worst('blockedMs'), 50, ' ms'),
    atMost('Site, an operation, layout shift', worst('shift'), 0.01, ''),
    atMost('Site, the next page by a click', worst('nextMs'), 60, ' ms'),
    atMost('Site, GitHub, first results of a search', figure(github, 'searchFirstMs'), 150, ' ms'),
    atMost('Site, GitHub, results of a key after it', figure(github, 'searchLaterMs'), 30, ' ms'),
    atLeast(
      'Site, operations that are first by their summary, or share it with the first',
      recalls.length > 0 ? Math.min(...recalls) : undefined,
      95,
      ' %',
    ),
    atMost('Site, serious findings of axe', most(documents.map(foundByAxe)), 0, ''),
    atMost("Site, build of GitHub's document", github?.build.seconds, 15, ' s'),
    atMost(
      'Site, memory of that build',
      github && github.build.peakMiB * MEGABYTES_PER_MIB,
      1_000,
      ' MB',
    ),
    atMost("Site, service's answers meanwhile, p99", github?.build.p99Ms, 150, ' ms'),
    atMost('Site, new contents of a document deployed again', most(documents.map(newBlobs)), 0, ''),
    atMost(
      'Site, 1,000 deploys of a document of 100 operations',
      sites?.kept?.deploys === 1_000 ? sites.kept.sameMiB * MEGABYTES_PER_MIB : undefined,
      50,
      ' MB',
    ),
  ];
}

const foundByAxe = ({ violations }: MeasuredDocument) => violations.length;
const newBlobs = ({ build }: MeasuredDocument) => build.newBlobs;

function most(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}
