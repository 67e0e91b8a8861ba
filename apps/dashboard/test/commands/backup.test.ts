import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { verifyBackup } from '@petstore/service/sqlite/verify-backup.ts';
import { FILE } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms, finished, startProgram } from '@petstore/test-support/program.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeOf } from '@petstore/test-support/within.ts';
import { findKey, openSecrets } from '../../server/src/commands/backup/secret-key.ts';
import { DASHBOARD_DATABASE } from '../../server/src/store/backup/dashboard-database.ts';
import { HELD_NOTICE } from '../../server/src/store/backup/settle-restored.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { authority } from '../edge/support/certificates.ts';
import { DASHBOARD, dashboard, getFromEdge, killAtOnce } from '../support/dashboard-program.ts';
import { fillEarlierDatabase } from '../support/earlier-database.ts';
import { titledDocument } from '../support/large-document.ts';
import {
  DOMAIN,
  databaseIn,
  onDatabase,
  SITE,
  walkedInstallation,
} from './support/walked-installation.ts';

coverNoPrograms();

/** A folder with an installation that was stopped, and a backup that was made beside it while it worked. */
let folder: string;
let backup: string;
let keyFile: string;
let walked: Awaited<ReturnType<typeof walkedInstallation>>;
/** What the backup printed. */
let facts: Record<string, unknown>;
/** The cookie of a session that was open at the backup. */
let cookie: string;

const hidden = 'the hook of the test';

before(async () => {
  folder = await temporaryFolder(FILE);
  backup = join(folder, 'b.db');
  keyFile = join(folder, 'apart.key');
  walked = await walkedInstallation(FILE, folder);
  const { queue, deployed } = walked;
  const hook = { url: `https://example.com/${hidden.replaceAll(' ', '-')}` };
  cookie = await walked.signIn();
  const asked = { ...hook, events: ['deploy.succeeded'] };
  const made = await walked.call('POST', '/projects/petstore/webhooks', asked, cookie);
  assert.equal(made.status, 201, JSON.stringify(made.value));
  await deployed((await queue(titledDocument('before', 2))).id);
  // Builds, their contents and their audit entries are written while the backup runs.
  const writing = Array.from({ length: 2 }, (_, at) => queue(titledDocument(`more ${at}`, 8)));
  const queued = await Promise.all(writing);
  const args = ['backup', '--json', '--key-file', keyFile, backup];
  const { code, stdout, stderr } = await dashboard(folder, args);
  assert.deepEqual([code, stderr], [0, '']);
  facts = JSON.parse(stdout);
  for (const { id } of queued) assert.equal((await deployed(id)).state, 'succeeded');
  const after = await queue(titledDocument('after', 2));
  assert.ok((await deployed(after.id)).live);
  await killAtOnce(walked.running);
});

const run = (where: string, ...args: string[]) => dashboard(where, args);

/** A folder with a copy of the backup, and of the key where it is wished. */
async function elsewhere(t: Parameters<typeof temporaryFolder>[0], withKey: boolean) {
  const where = await temporaryFolder(t);
  await copyFile(backup, join(where, 'b.db'));
  await mkdir(join(where, 'data'), { mode: 0o700 });
  if (withKey) await copyFile(keyFile, join(where, 'data/secret.key'));
  return where;
}

test('a backup beside a service that builds is one file for its owner, sound, and without the key', async (t) => {
  assert.equal((await stat(backup)).mode & 0o777, 0o600);
  assert.equal((await stat(keyFile)).mode & 0o777, 0o600);
  const bytes = await readFile(backup);
  assert.equal(bytes[18], 1, 'it needs no log');
  const key = (await readFile(keyFile, 'utf8')).trim();
  assert.equal(key, (await readFile(join(folder, 'data/secret.key'), 'utf8')).trim());
  assert.ok(!bytes.includes(key) && !bytes.includes(Buffer.from(key, 'base64')));
  const { accounts, projects, domains, certificates, secrets, blobs, ...rest } = facts;
  assert.deepEqual([accounts, projects, domains, certificates, secrets], [1, 1, 1, 1, 2]);
  assert.ok(Number(blobs) > 5, `${blobs}`);
  assert.match(String(rest.lastChange), /^\d{4}-.*Z$/);
  assert.equal(rest.bytes, bytes.length);

  const where = await elsewhere(t, true);
  const told = await run(where, 'verify', '--sha256', String(rest.sha256), 'b.db');
  assert.deepEqual([told.code, told.stderr], [0, '']);
  assert.match(told.stdout, /^b\.db is sound: 1 account, 1 project, .* opens its secrets\.\n$/);
  await writeFile(join(where, 'data/secret.key'), `${Buffer.alloc(32).toString('base64')}\n`);
  const other = await run(where, 'verify', 'b.db');
  assert.equal(other.code, 1);
  assert.match(
    other.stderr,
    /^dashboard: The secrets in b\.db were sealed with the key [0-9a-f]{8}/,
  );
  const named = await run(where, 'verify', '--json', '--key-file', keyFile, 'b.db');
  assert.equal(JSON.parse(named.stdout).secretsOpened, 2);
  assert.deepEqual((await readdir(where)).sort(), ['b.db', 'data'], 'nothing else is left');
});

test('the copy of the key is where the command says, or it fails', async (t) => {
  const where = await elsewhere(t, true);
  const database = join(folder, 'data/dashboard.db');
  await symlink('nowhere.key', join(where, 'linked.key'));
  const { code, stdout, stderr } = await dashboard(
    where,
    ['backup', '--key-file', 'linked.key', 'made.db'],
    { DASHBOARD_DATABASE_URL: `sqlite:${database}` },
  );
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(
    stderr,
    /^dashboard: linked\.key is a symbolic link\. Name a new file for the key\./,
  );
  assert.deepEqual((await readdir(where)).sort(), ['b.db', 'data', 'linked.key']);
});

test('what is damaged in a backup is named, wherever it is', async (t) => {
  const where = await elsewhere(t, true);
  const key = findKey({ secretKey: undefined, dataDir: join(where, 'data') });
  assert.ok(key);
  const cases: [string, (db: DatabaseSync) => void, RegExp][] = [
    [
      'a content of another letter',
      (db) => db.exec("UPDATE blobs SET bytes = bytes || 'x' WHERE rowid = 1"),
      /the content [0-9a-f]{64} has changed since it was stored/,
    ],
    [
      'a site without one of its contents',
      (db) =>
        db.exec(
          'DELETE FROM artifact_blobs WHERE rowid = 1; DELETE FROM blobs WHERE hash NOT IN (SELECT blob_hash FROM artifact_blobs)',
        ),
      /the site [0-9a-f]{64} lacks its content [0-9a-f]{64}/,
    ],
    [
      'a manifest with another content for a page',
      (db) =>
        db.exec(
          `UPDATE artifacts SET manifest = json_set(manifest, '$.files."/".hash', json_extract(manifest, '$.files."/404.html".hash'))`,
        ),
      /the manifest of the site [0-9a-f]{64} \(petstore, deploy #\d+\) has changed since it was stored/,
    ],
    [
      'a manifest with a redirect to elsewhere',
      (db) =>
        db.exec(
          `UPDATE artifacts SET manifest = json_set(manifest, '$.redirects', json('{"/login":"https://elsewhere.example"}'))`,
        ),
      /the manifest of the site [0-9a-f]{64} \(petstore, deploy #\d+\) has changed since it was stored/,
    ],
    [
      'a manifest with another policy',
      (db) =>
        db.exec(
          `UPDATE artifacts SET manifest = json_set(manifest, '$.contentSecurityPolicy', 'script-src *')`,
        ),
      /has changed since it was stored/,
    ],
    [
      'a live deploy that is gone',
      (db) => db.exec("UPDATE projects SET live_deploy_id = 'gone'"),
      /petstore shows the deploy gone, which is not there/,
    ],
    [
      'a row without what it refers to',
      (db) => db.exec('PRAGMA foreign_keys = OFF; DELETE FROM users'),
      /a row of \w+ refers to one that is not there/,
    ],
    [
      'a secret that was cut',
      (db) => db.exec('UPDATE webhooks SET sealed_secret = substr(sealed_secret, 1, 60)'),
      /the secret sealed for "webhook [^"]+" is damaged/,
    ],
    [
      'secrets of two keys',
      (db) => db.exec("UPDATE webhooks SET sealed_secret = 'v1.00000000.AAAA'"),
      /its secrets are sealed with different keys/,
    ],
    [
      'a manifest that is none',
      (db) => db.exec("UPDATE artifacts SET manifest = 'null'"),
      /is damaged.*\(Cannot destructure property 'files'/,
    ],
    [
      'a file of a site that is none',
      (db) => db.exec(`UPDATE artifacts SET manifest = '{"files":{"/":5}}'`),
      /is damaged/,
    ],
    [
      'a time that is none',
      (db) => db.exec('UPDATE audit_log SET at = 8e20'),
      /is damaged.*\(Invalid time value\)/,
    ],
    [
      'a table with a name of its own',
      (db) => db.exec(`CREATE TABLE "x""; y" (sealed_a TEXT); INSERT INTO "x""; y" VALUES ('b')`),
      /a value of x"; y\.sealed_a is not sealed/,
    ],
    ['a table that is gone', (db) => db.exec('DROP TABLE audit_log'), /it lacks audit_log\./],
    [
      'one of a newer version',
      (db) => db.exec("INSERT INTO kysely_migration VALUES ('9999_later', '2026')"),
      /was written by a newer dashboard \(schema 9999_later/,
    ],
    [
      'one of another program',
      (db) => db.exec('DROP TABLE kysely_migration'),
      /another program's SQLite database\. Name a file that `dashboard backup` made\./,
    ],
  ];
  for (const [what, damage, message] of cases) {
    await copyFile(backup, join(where, 'b.db'));
    const db = new DatabaseSync(join(where, 'b.db'));
    db.exec('PRAGMA foreign_keys = OFF');
    damage(db);
    db.close();
    // As the command does, without a program for each.
    const verified = verifyBackup(DASHBOARD_DATABASE, join(where, 'b.db'), undefined).then(
      (sound) => openSecrets(sound, sound.file, key),
    );
    await assert.rejects(verified, { name: 'UserError', message }, what);
  }
  const refused = await run(where, 'restore', 'b.db');
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /^dashboard: [^\n]+another program's[^\n]+\n$/);
  assert.deepEqual(await readdir(join(where, 'data')), ['secret.key']);
});

test('a backup that would run statements of somebody else is refused', async (t) => {
  const where = await elsewhere(t, true);
  const becomesOwner = "UPDATE users SET role = 'owner'";
  for (const [foreign, commands, statement] of [
    [
      'trigger evil',
      ['verify', 'restore'],
      `CREATE TRIGGER evil AFTER INSERT ON audit_log BEGIN ${becomesOwner}; END`,
    ],
    [
      'view role_grants',
      ['restore'],
      "DROP VIEW role_grants; CREATE VIEW role_grants AS SELECT id AS project_id, 'usr' AS user_id, 'owner' AS role FROM projects",
    ],
  ] as const) {
    await copyFile(backup, join(where, 'b.db'));
    const db = new DatabaseSync(join(where, 'b.db'));
    db.exec(statement);
    db.close();
    for (const command of commands) {
      const { code, stdout, stderr } = await run(where, command, 'b.db');
      assert.deepEqual([code, stdout], [1, ''], `${command} ${foreign}`);
      assert.match(stderr, new RegExp(`^dashboard: b\\.db has the ${foreign}, which no dashboard`));
    }
    assert.deepEqual(await readdir(join(where, 'data')), ['secret.key']);
  }
});

test('restored in its place it serves what was live then, and does nothing twice', async (t) => {
  const where = await temporaryFolder(t);
  await mkdir(join(where, 'data'), { mode: 0o700 });
  await copyFile(databaseIn(folder), databaseIn(where));
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(databaseIn(folder) + suffix))
      await copyFile(databaseIn(folder) + suffix, databaseIn(where) + suffix);
  }
  await copyFile(keyFile, join(where, 'data/secret.key'));
  const waiting = join(where, 'w.db');
  await copyFile(backup, waiting);
  await onDatabase(waiting, async (db) => {
    const row = await db.selectFrom('notices').selectAll().executeTakeFirstOrThrow();
    const due = { next_attempt_at: 0, delivered_at: null, leased_until: null };
    await db
      .insertInto('notices')
      .values({ ...row, ...due, id: 'waits' })
      .execute();
    await db
      .insertInto('issuances')
      .values({
        domain_id: `dom_${DOMAIN}`,
        hostname: DOMAIN,
        kind: 'renewal',
        step: 'order',
        step_at: 0,
        requested_at: 0,
        directory_url: 'https://ca.example/directory',
        order_url: null,
        sealed_key: null,
        failures: 3,
        next_attempt_at: 1,
        last_problem: null,
        leased_by: null,
        leased_until: null,
      })
      .execute();
  });

  await walked.start(where);
  const beside = await run(where, 'restore', '--force', waiting);
  assert.equal(beside.code, 1);
  assert.match(beside.stderr, /is open in another process, such as dashboard serve/);
  assert.equal((await walked.call('GET', '/projects', undefined, cookie)).status, 200);
  await killAtOnce(walked.running);
  const unforced = await run(where, 'restore', waiting);
  assert.match(unforced.stderr, /dashboard\.db exists already\. Replace it with --force/);

  const { code, stdout, stderr } = await run(where, 'restore', '--json', '--force', waiting);
  assert.deepEqual([code, stderr], [0, '']);
  const restored = JSON.parse(stdout);
  assert.ok(existsSync(restored.former), 'the former database is kept');
  assert.deepEqual(
    [restored.sessionsEnded, restored.certificatesDelayed],
    [1, 1],
    JSON.stringify(restored),
  );
  assert.ok(restored.noticesHeld >= 1);
  await onDatabase(databaseIn(where), async (db) => {
    const notice = db.selectFrom('notices').selectAll().where('id', '=', 'waits');
    const held = await notice.executeTakeFirstOrThrow();
    assert.deepEqual([held.next_attempt_at, held.last_error], [null, HELD_NOTICE]);
    const issuance = await db.selectFrom('issuances').selectAll().executeTakeFirstOrThrow();
    assert.ok((issuance.next_attempt_at ?? 0) > Date.now() + 3_500_000);
  });

  await walked.start(where);
  assert.equal((await walked.call('GET', '/projects', undefined, cookie)).status, 401);
  const list = await walked.must<{ items: { title: string; id: string }[] }>(
    'GET',
    '/projects/petstore/deploys',
  );
  // Deploys that waited in the backup are built now, each once, and nothing of after the backup is there.
  for (const { id } of list.items) {
    assert.equal((await walked.deployed(id)).state, 'succeeded');
  }
  const page = await getFromEdge(walked.running.edgePort, SITE, '/openapi.json');
  assert.match(JSON.parse(page.text).info.title, /^(before|more \d)$/);
  const names = await handshake(walked.running.httpsPort);
  assert.equal(names, `DNS:${DOMAIN}`);
  const audit = await walked.must<{ items: { action: string; target: string }[] }>('GET', '/audit');
  const entry = audit.items.find(({ action }) => action === 'installation.restore');
  assert.equal(entry?.target, waiting);
  await killAtOnce(walked.running);
});

/** The names of the certificate that a server shows for the domain, which has to be trusted. */
async function handshake(port: number): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port, servername: DOMAIN, ca: [authority.root] });
  await new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve).once('error', reject);
  });
  const names = socket.getPeerCertificate().subjectaltname;
  socket.destroy();
  return names;
}

test('a restore on a new machine says which key it needs, and takes it along', async (t) => {
  const where = await elsewhere(t, false);
  const missing = await run(where, 'restore', 'b.db');
  assert.equal(missing.code, 1);
  assert.match(
    missing.stderr,
    new RegExp(`has 2 secrets that are sealed with the key ${facts.secretKey}, and there is none`),
  );
  assert.deepEqual(await readdir(join(where, 'data')), []);
  const wrong = join(where, 'wrong.key');
  await writeFile(wrong, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
  const refused = await run(where, 'restore', '--key-file', wrong, 'b.db');
  assert.match(refused.stderr, /were sealed with the key .*, and that of \S+wrong\.key is/);
  assert.deepEqual(await readdir(join(where, 'data')), []);

  const taken = await run(where, 'restore', '--key-file', keyFile, 'b.db');
  assert.equal(taken.code, 0, taken.stderr);
  assert.deepEqual((await readdir(join(where, 'data'))).sort(), ['dashboard.db', 'secret.key']);
  assert.equal((await stat(databaseIn(where))).mode & 0o777, 0o600);
  assert.equal(readFileSync(join(where, 'data/secret.key'), 'utf8'), readFileSync(keyFile, 'utf8'));
  const another = await run(where, 'restore', '--force', '--key-file', wrong, 'b.db');
  assert.match(another.stderr, /has another key .* Move it away, and keep it/);

  const lost = await elsewhere(t, false);
  const without = await run(lost, 'restore', '--without-key', 'b.db');
  assert.equal(without.code, 0, without.stderr);
});

test('a backup of an earlier schema is brought up to date when it is put back', async (t) => {
  const where = await temporaryFolder(t);
  const url = `sqlite:${databaseIn(where)}`;
  await fillEarlierDatabase(url, '0012_deploy_documents', async () => {});
  assert.equal((await run(where, 'backup', 'b.db')).code, 0);
  assert.match((await run(where, 'verify', 'b.db')).stdout, /schema 0012_deploy_documents/);
  const restored = await run(where, 'restore', '--force', '--discard-former', 'b.db');
  assert.equal(restored.code, 0, restored.stderr);
  await onDatabase(databaseIn(where), async (db) => {
    const entries = await db.selectFrom('audit_log').select('action').execute();
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['installation.restore'],
    );
  });
});

test('kill -9 at any moment leaves a whole backup or none, and the old database or the new one', async (t) => {
  const where = await elsewhere(t, true);
  const restored = await run(where, 'restore', 'b.db');
  assert.equal(restored.code, 0, restored.stderr);
  const states = () =>
    [where, join(where, 'data')].flatMap((folder) =>
      readdirSync(folder).map((name) => {
        const { ctimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
        return `${name} ${ctimeMs}`;
      }),
    );
  /** Starts a program, and waits until it has touched a file. */
  const begun = async (...args: string[]) => {
    const before = new Set(states());
    const program = startProgram(t, process.execPath, [DASHBOARD, ...args], where, {});
    const isAtWork = () => states().some((state) => !before.has(state));
    while (!isAtWork() && program.child.exitCode === null) await sleep(2);
    return program;
  };
  const backup = ['backup', '--force', 'made.db'];
  const restore = ['restore', '--force', '--discard-former', 'b.db'];
  /** How long each is at work when it is left to, in milliseconds. */
  const workMs = new Map<string[], number>();
  for (const args of [backup, restore]) {
    const program = await begun(...args);
    workMs.set(args, await timeOf(() => finished(program)));
  }
  let killedAtWork = 0;
  /** Kills a program at any moment of its work, unless it ends before. */
  const killed = async (args: string[]) => {
    const program = await begun(...args);
    await sleep(Math.random() * (workMs.get(args) ?? 0));
    if (program.child.kill('SIGKILL')) killedAtWork++;
    await finished(program);
  };
  for (let round = 0; round < 3; round++) {
    await killed(backup);
    if (existsSync(join(where, 'made.db'))) {
      assert.equal((await run(where, 'verify', 'made.db')).code, 0);
    }
    await killed(restore);
    const database = new DatabaseSync(databaseIn(where));
    assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
    assert.equal(database.prepare('SELECT count(*) AS n FROM projects').get()?.n, 1);
    database.close();
  }
  assert.ok(killedAtWork > 0);
  assert.equal((await run(where, 'backup', '--force', 'made.db')).code, 0);
  const last = await run(where, 'restore', '--force', '--discard-former', 'made.db');
  assert.equal(last.code, 0, last.stderr);
  assert.deepEqual((await readdir(where)).sort(), ['b.db', 'data', 'made.db']);
});

test("on PostgreSQL each says PostgreSQL's own command line, and what to do after it", async (t) => {
  const where = await temporaryFolder(t);
  const url = 'postgres://me:s%40crt@db.example.com:5433/docs?sslmode=require';
  for (const [task, line] of [
    ['backup', 'pg_dump --format=custom --file=b.dump '],
    [
      'restore',
      'pg_restore --clean --if-exists --no-owner --single-transaction --dbname=postgresql://me@db.example.com:5433/docs?sslmode=require b.dump',
    ],
    ['verify', 'pg_restore --file=/dev/null b.dump'],
  ] as const) {
    const { code, stderr } = await dashboard(where, [task, 'b.dump'], {
      DASHBOARD_DATABASE_URL: url,
    });
    assert.equal(code, 1);
    assert.ok(stderr.replaceAll("'", '').includes(line), stderr);
    assert.equal(
      stderr.includes('Then run: dashboard restore --after-pg-restore'),
      task === 'restore',
    );
    assert.doesNotMatch(stderr, /s%40crt|s@crt/);
  }

  const real = await (await sharedServer()).createDatabase();
  const { db, close } = await openDatabase(real, 1);
  const user = { id: 'u', email: 'a@example.com', name: 'a', password_hash: '', created_at: 0 };
  await db
    .insertInto('users')
    .values({ ...user, role: 'owner' })
    .execute();
  const session = { id: 's', token_hash: 'h', user_id: 'u', ip: '', user_agent: '' };
  const times = { created_at: 0, last_seen_at: 0, expires_at: Date.now() + 1e9 };
  await db
    .insertInto('sessions')
    .values({ ...session, ...times })
    .execute();
  const args = ['restore', '--after-pg-restore'];
  const { code, stdout, stderr } = await dashboard(where, args, { DASHBOARD_DATABASE_URL: real });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^PostgreSQL at .* can go on\. 1 session ended, 0 notices held back/);
  assert.deepEqual(await db.selectFrom('sessions').selectAll().execute(), []);
  await close();
});
