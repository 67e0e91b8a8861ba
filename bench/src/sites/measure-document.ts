import { mkdirSync } from 'node:fs';
import type { Browser } from '../../../packages/test-support/src/browser.ts';
import { spreadsOf } from '../statistics.ts';
import { clickNext, open } from './browsing.ts';
import { checkTemplates } from './checks.ts';
import type { DashboardUnderTest } from './dashboard.ts';
import type { PublishedDocument } from './documents.ts';
import { middleStep, type Operation, type Step, spreadOver } from './operations.ts';
import { type Navigation, pageOf, readNavigation } from './own-site.ts';
import { writeSite } from './peer-files.ts';
import { PEERS } from './peers.ts';
import { measureRecall, type Recall, timeSearch } from './searching.ts';
import type { Figure, Maker, MeasuredDocument, PageFigures } from './site-results.ts';

/** How many operations are looked up by their summaries. */
const LOOKED_UP = 100;

export interface Setting {
  readonly browser: Browser;
  readonly dashboard: DashboardUnderTest;
  readonly peerPort: number;
  /** Where the server of the peers' pages finds them. */
  readonly peerFiles: string;
  /** For the work of those who make pages. */
  readonly folder: string;
  readonly runs: number;
}

/** A site of the document, wherever it is. */
interface Published {
  readonly maker: Maker;
  readonly origin: string;
  addressOf(operation: Operation): string;
}

/** Makes the pages of a document by everyone, and opens them in turns. Throws Error where one cannot be made. */
export async function measureDocument(
  document: PublishedDocument,
  setting: Setting,
): Promise<MeasuredDocument> {
  const { name, label, operations, bytes } = document;
  const step = middleStep(operations);
  if (!step) throw new Error(`${label} has no two neighbouring operations with parameters.`);
  const build = await deployTwice(document, setting.dashboard);
  console.log(`  built in ${build.seconds.toFixed(1)} s, ${Math.round(build.peakMiB)} MiB`);
  const site = setting.dashboard.siteOf(name);
  const navigation = await readNavigation(site);
  const own: Published = {
    ...{ maker: 'own', origin: site, addressOf: (one) => pageOf(navigation, one) },
  };
  const published = [own, ...(await publishPeers(document, setting))];
  const pages = await openInTurns(published, step, setting);
  const recall = await lookUp(setting.browser, own, operations, navigation);
  const violations = await checkTemplates(setting.browser, site);
  return {
    ...{ name, label, operations: operations.length, megabytes: bytes.length / 1e6 },
    ...{ runs: setting.runs, operation: step.from.summary },
    ...{ pages, build, recall, violations },
  };
}

async function deployTwice(
  { name, fileName, bytes }: PublishedDocument,
  dashboard: DashboardUnderTest,
): Promise<MeasuredDocument['build']> {
  const upload = { kind: 'document' as const, name: fileName, bytes };
  await dashboard.createProject(name);
  const { seconds, peakMiB, p99Ms } = await dashboard.watchDeploy(name, upload);
  const before = dashboard.countBlobs();
  await dashboard.deploy(name, upload);
  return { seconds, peakMiB, p99Ms, newBlobs: dashboard.countBlobs() - before };
}

async function publishPeers(
  document: PublishedDocument,
  { folder, peerFiles, peerPort }: Setting,
): Promise<Published[]> {
  const published: Published[] = [];
  for (const { name: maker, make, addressOf } of PEERS) {
    const own = `${folder}/${maker}-${document.name}`;
    mkdirSync(own);
    const host = `${document.name}.${maker}.localhost`;
    await writeSite(peerFiles, host, make(document, own));
    published.push({ maker, origin: `http://${host}:${peerPort}`, addressOf });
  }
  return published;
}

async function openInTurns(
  published: readonly Published[],
  step: Step,
  { browser, runs }: Setting,
): Promise<Partial<Record<Maker, PageFigures>>> {
  const samples = new Map<Maker, Record<Figure, number | undefined>[]>();
  for (let run = 0; run < runs; run++) {
    for (const one of published) {
      const sample = await openOnce(browser, one, step);
      samples.set(one.maker, [...(samples.get(one.maker) ?? []), sample]);
    }
  }
  return Object.fromEntries([...samples].map(([maker, own]) => [maker, spreadsOf(own)]));
}

async function openOnce(
  browser: Browser,
  { origin, addressOf }: Published,
  step: Step,
): Promise<Record<Figure, number | undefined>> {
  const { page, visit, close } = await open(browser, origin + addressOf(step.from), step.from);
  try {
    const nextMs = await clickNext(page, step, addressOf(step.to));
    const search = await timeSearch(page, step.from);
    return { ...visit, nextMs, searchFirstMs: search?.firstMs, searchLaterMs: search?.laterMs };
  } finally {
    await close();
  }
}

async function lookUp(
  browser: Browser,
  { origin }: Published,
  operations: readonly Operation[],
  navigation: Navigation,
): Promise<Recall | undefined> {
  const page = await browser.newPage();
  try {
    await page.goto(`${origin}/`, { timeout: 30_000 });
    return await measureRecall(page, spreadOver(operations, LOOKED_UP), navigation);
  } finally {
    await page.close();
  }
}
