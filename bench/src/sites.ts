import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { launchBrowser } from '../../packages/test-support/src/launch-browser.ts';
import { startSites } from './beside-nginx.ts';
import { emptyFolder } from './data.ts';
import { BenchError } from './failure.ts';
import { describeMachine } from './machine.ts';
import { BENCH, RESULTS } from './paths.ts';
import { publish, show } from './report.ts';
import { main, readOptions, subset } from './run.ts';
import { DashboardUnderTest } from './sites/dashboard.ts';
import { measureDeploys } from './sites/deploys.ts';
import { DOCUMENT_NAMES, installPackages, readDocuments } from './sites/documents.ts';
import { measureDocument } from './sites/measure-document.ts';
import type { MeasuredDocument, SitesComparison } from './sites/site-results.ts';

const HELP = `npm run bench:sites -- [options]

Publishes documents of companies with the dashboard, and makes pages of them with Redoc and Scalar. A browser with an
empty cache opens an operation in the middle of each, in turns: what is transferred, when it can be read, how long the
page is blocked, the next page, the search. Writes bench/results/sites.json, the chart and docs/performance.md. Takes
some twelve minutes, and installs the documents and the peers at the first run: 1.1 GB.

  --runs N           times that each page is opened (default 5)
  --only A,B         some documents, whose results take the place of their earlier ones: ${DOCUMENT_NAMES.join(', ')}
  --documents DIR    the documents of a folder in place of those; the results are shown alone
  --deploys N        deploys a document of 100 operations N times unchanged and N times changed, and nothing else
  --data DIR         folder for the database and the pages (default bench/data)
  --help             show this
`;

/** Pages ask hosts of others for fonts and pictures. None is reached, so that runs are alike. */
const NO_OTHER_HOST =
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost';

await main(async () => {
  const texts = ['only', 'documents', 'deploys', 'data'] as const;
  const { runs, only, documents: own, deploys, data } = readOptions(HELP, { runs: 5 }, texts);
  const folder = emptyFolder('sites', data);
  const machine = describeMachine('browser');
  const before = readResults();
  if (deploys !== undefined) {
    const kept = await measureDeploys(folder, Number(deploys));
    publish('sites', { machine, documents: [], ...before, kept });
    return;
  }
  installPackages();
  const names = own === undefined ? subset('--only', only, DOCUMENT_NAMES) : only?.split(',');
  const documents = readDocuments(names, own);
  if (documents.length === 0) throw new BenchError('No document is there to be published.');

  const peerFiles = `${folder}/peers`;
  mkdirSync(peerFiles);
  const browser = await launchBrowser({ args: [NO_OTHER_HOST] });
  const measured: MeasuredDocument[] = [];
  try {
    const dashboard = await DashboardUnderTest.start(`${folder}/dashboard`);
    const peers = await startSites(
      (port) => ({
        args: [`${BENCH}src/sites/peer-server.ts`],
        env: { BENCH_PORT: String(port), BENCH_DATA: peerFiles },
      }),
      (port) => `http://127.0.0.1:${port}`,
    );
    const setting = { browser, dashboard, peerPort: peers.port, peerFiles, folder, runs };
    for (const document of documents) {
      console.log(`${document.label}: ${document.operations.length} operations`);
      try {
        measured.push(await measureDocument(document, setting));
      } catch (error) {
        // The others are measured all the same.
        console.error(`${document.label} failed: ${(error as Error).message}`);
        process.exitCode = 1;
      }
    }
  } finally {
    await browser.close();
  }
  if (own !== undefined) show('sites', { machine, documents: measured });
  else publish('sites', { ...before, machine, documents: inPlace(before, measured) });
});

function readResults(): SitesComparison | undefined {
  const path = `${RESULTS}/sites.json`;
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** Documents in their order, those that were measured now in the place of earlier ones. */
function inPlace(
  before: SitesComparison | undefined,
  measured: readonly MeasuredDocument[],
): MeasuredDocument[] {
  const all = [...measured, ...(before?.documents ?? [])];
  return DOCUMENT_NAMES.flatMap((name) => all.find((one) => one.name === name) ?? []);
}
