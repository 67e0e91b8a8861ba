import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { dashboard, serveDashboard } from '../support/dashboard-program.ts';
import { PASSWORD, visitorOf } from '../support/service.ts';

test('every way to set a password costs at least what OWASP asks for', async (t) => {
  const folder = await temporaryFolder(t);
  const { url } = await serveDashboard(t, folder);
  const visitor = visitorOf(url);
  const account = { email: 'ann@example.com', password: PASSWORD, name: 'Ann' };
  assert.equal((await visitor.call('POST', '/api/sign-up', account)).status, 202);
  for (const command of ['create', 'set-password']) {
    const args = ['users', command, '--email', 'bob@example.com', '--password-stdin'];
    assert.equal((await dashboard(folder, args, {}, PASSWORD)).code, 0);
    assertCosts(folder, ['ann@example.com', 'bob@example.com']);
  }
  assert.equal((await visitor.call('POST', '/api/session', account)).status, 200);
  const change = { current: PASSWORD, next: `${PASSWORD}!` };
  assert.equal((await visitor.call('POST', '/api/account/password', change)).status, 204);
  assertCosts(folder, ['ann@example.com', 'bob@example.com']);
});

function assertCosts(folder: string, emails: readonly string[]): void {
  const database = new DatabaseSync(join(folder, 'data/dashboard.db'), { readOnly: true });
  const users = database.prepare('SELECT email, password_hash FROM users ORDER BY email').all();
  database.close();
  assert.deepEqual(
    users.map(({ email }) => email),
    emails,
  );
  for (const { password_hash } of users) {
    const [, ...numbers] =
      /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$/.exec(`${password_hash}`) ?? [];
    const [memoryKib = 0, passes = 0] = numbers.map(Number);
    assert.ok(memoryKib >= 19_456 && passes >= 2, `${password_hash}`);
  }
}
