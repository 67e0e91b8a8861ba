import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { DEPLOY_LIMITS, type DeployLimits } from '../../../server/src/deploys/deploy-limits.ts';
import { type TarEntry, tarGzOf } from '../../support/archives.ts';
import { createProject, finished } from '../../support/project.ts';
import { json, startService } from '../../support/service.ts';
import { fetchFromSite } from '../../support/site.ts';

const CONFIG: TarEntry = { name: 'docs.yaml', content: 'title: Large\n' };

async function deployed(
  t: TestContext,
  files: readonly TarEntry[],
  limits: Partial<DeployLimits> = {},
) {
  const service = await startService(t, { deploys: { ...DEPLOY_LIMITS, ...limits } });
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'large');
  const archive = await tarGzOf([CONFIG, ...files]);
  const { id } = await json<Deploy>(
    await root.call('POST', '/api/projects/large/deploys', archive),
    202,
  );
  return { url, deploy: await finished(root, 'large', id) };
}

test('thousands of pages in folders are published, each with a list that does not grow with them', async (t) => {
  const fileOf = (at: number) => `area-${at % 6}/page-${at}.md`;
  const pages = Array.from({ length: 2_000 }, (_, at) => ({
    name: fileOf(at),
    content: `# Page ${at}\n\nSee [the next](../${fileOf((at + 1) % 2_000)}).\n`,
  }));
  const { url, deploy } = await deployed(t, pages);
  assert.deepEqual(deploy.errors, []);
  const page = await fetchFromSite(`${url}/area-3/page-1995`);
  assert.equal(page.status, 200);
  assert.match(page.body, /href="\/area-4\/page-1996"/);
  assert.match(page.body, /All 2,000 pages/);
  assert.ok(page.bytes.length < 30_000, `${page.bytes.length}`);
});

test('pages of more than twenty megabytes together are published', async (t) => {
  // A block of data is the fastest to render. It is random, since no archive may be a hundredth of its files.
  const random = randomBytes(1_500_000).toString('base64');
  const data = `# Data\n\n\`\`\`\n${random}\n\`\`\`\n`;
  const pages = Array.from({ length: 11 }, (_, at) => ({ name: `${at}.md`, content: data }));
  const { deploy } = await deployed(t, pages);
  assert.deepEqual(deploy.errors, []);
  assert.equal(deploy.state, 'succeeded');
});

test('pages that take longer than a build may are refused with the variable that bounds them', async (t) => {
  // Quadratic in every parser of emphasis; an hour at this length.
  const slow = { name: 'slow.md', content: '_a*'.repeat(300_000) };
  const { deploy } = await deployed(t, [slow], { buildSeconds: 3 });
  assert.equal(deploy.state, 'failed');
  assert.match(deploy.errors[0]?.message ?? '', /take[s]? too long .*DASHBOARD_BUILD_SECONDS/);
});
