import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QuotaUse } from '../../server/src/quotas/quota-use.ts';
import { dialogClosed, dialogOf } from '../support/dialog.ts';
import { sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { look, VIEWS } from '../support/look.ts';
import { said } from '../support/said.ts';
import { deploy } from '../support/uploads.ts';

const shared = sharedInstallation();

/** A wide one and a narrow one, of either theme. */
const SOME = [VIEWS[0], VIEWS[3]];

test('an operator bounds what projects hold where it is shown, and an owner sees it coming and makes room', async () => {
  const { origin, member } = shared();
  const root = await member();
  const ann = await member();
  const { page } = root;
  // Where there is nothing yet, nobody has searched for it.
  await page.goto(`${origin}/installation/quotas`);
  await page.getByText('There are no projects yet.').waitFor();
  for (const [owner, slug, name] of [
    [root, 'petstore', 'Petstore'],
    [ann, 'shop', 'Shop'],
  ] as const) {
    await owner.call('POST', '/projects', { name, slug });
    for (const title of ['One', 'Two', 'Three']) await deploy(owner, slug, title);
  }
  const usedBy = async (slug: string) => {
    const { items } = await root.call<{ items: { target: string; quotas: QuotaUse[] }[] }>(
      'GET',
      `/installation/quotas/projects?search=${slug}`,
    );
    return items[0]?.quotas.find(({ quota }) => quota === 'bytes');
  };

  // For a plan, with an error where it is typed.
  await page.goto(`${origin}/installation/quotas`);
  const defaults = page.getByRole('region', { name: 'For everybody and for plans' });
  await defaults.getByRole('button', { name: 'Change: Storage of Free' }).click();
  const field = defaults.getByRole('textbox', { name: 'Storage of Free' });
  assert.equal(await field.inputValue(), 'unlimited');
  for (const wrong of ['-1', 'a lot', '1.2345 GB', '9999 TB']) {
    await field.fill(wrong);
    await defaults.getByRole('button', { name: 'Save' }).click();
    await defaults.getByText('Write a number of bytes, such as 500 MB').waitFor();
  }
  await field.fill('2 GB');
  await field.press('Enter');
  await said(page, 'Storage of Free is saved.');
  await defaults.getByText('2.0 GB', { exact: true }).waitFor();
  assert.deepEqual((await usedBy('shop'))?.from, 'plan');

  // For one project, which is found by its name; 85 % of it is used by then.
  const holders = page.getByRole('region', { name: 'Who uses what' });
  await holders.getByRole('searchbox', { name: 'Search' }).fill('sHOp');
  await holders.getByRole('heading', { name: 'Petstore' }).waitFor({ state: 'detached' });
  const most = Math.round(((await usedBy('shop'))?.used ?? 0) / 0.85);
  await holders.getByRole('button', { name: 'Change: Storage of shop' }).click();
  await holders.getByRole('textbox', { name: 'Storage of shop' }).fill(`${most}`);
  await holders.getByRole('button', { name: 'Save' }).click();
  await holders.getByText('Exception', { exact: true }).waitFor();
  assert.deepEqual((await usedBy('shop'))?.most, most);
  await root.call('PUT', '/installation/quotas/projects/everybody', { most: 1 });
  await look(page, shared(), {
    ...{ name: 'quotas', path: '/installation/quotas', text: 'Exception' },
    open: async () => {
      await defaults.getByRole('button', { name: 'Change: Projects of Pro' }).click();
    },
  });

  // Its owner is told on the overview, and removes the oldest deploy's files.
  const { page: own, complaints } = ann;
  await own.goto(`${origin}/projects/shop`);
  await look(
    own,
    shared(),
    {
      name: 'quota-near',
      path: '/projects/shop',
      text: /^This project holds/,
    },
    SOME,
  );
  await own.getByRole('link', { name: 'Make room' }).click();
  await look(own, shared(), {
    ...{ name: 'plan-usage', path: '/projects/shop/settings/plan', text: /not shared/ },
  });
  const before = (await usedBy('shop'))?.used ?? 0;
  await own.getByRole('button', { name: 'Remove files of deploy #1' }).click();
  await dialogOf(own).getByRole('button', { name: 'Remove the files' }).click();
  await said(own, 'The files of deploy #1 are removed.');
  await dialogClosed(own);
  await own
    .getByRole('button', { name: 'Remove files of deploy #1' })
    .waitFor({ state: 'detached' });
  assert.ok(((await usedBy('shop'))?.used ?? 0) < before);

  // Who owns as many projects as they may is told before they type a name.
  await look(
    own,
    shared(),
    { name: 'new-project-full', path: '/new', text: 'You own 1 project, and may own 1.' },
    SOME,
  );
  await own.getByRole('textbox', { name: 'Name' }).fill('Another');
  await own.getByRole('button', { name: 'Create project' }).click();
  await own.getByText('An account may own 1 projects here, and yours owns 1.').waitFor();
  await look(
    own,
    shared(),
    { name: 'account-usage', path: '/account', text: 'Your projects' },
    SOME,
  );

  // The exception goes, and what holds for the plan holds again.
  await page.goto(`${origin}/installation/quotas`);
  await holders.getByRole('checkbox', { name: 'Only exceptions' }).check();
  await holders.getByRole('heading', { name: 'Petstore' }).waitFor({ state: 'detached' });
  await holders.getByRole('button', { name: 'Change: Storage of shop' }).click();
  await holders.getByRole('button', { name: 'Unset' }).click();
  await holders.getByText('No exceptions are set.').waitFor();
  assert.deepEqual((await usedBy('shop'))?.most, 2_000_000_000);

  // The audit log tells a quota that was unset from one that was set, and bytes as people read them.
  await page.goto(`${origin}/installation/audit?action=quota.set`);
  const entries = page.getByRole('listitem');
  await entries.filter({ hasText: 'Unset the quota bytes' }).waitFor();
  await entries.filter({ hasText: 'value: 2.0 GB' }).waitFor();
  assert.deepEqual(withoutRefusals([...root.complaints, ...complaints]), []);
});
