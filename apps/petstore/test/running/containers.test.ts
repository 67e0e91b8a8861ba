import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { parse } from 'yaml';
import { DEPLOY, deployFile, SLOWEST_STOP_SECONDS } from '../support/deploy-files.ts';
import { startService } from '../support/service.ts';

test('the Dockerfile copies what there is, and every package whose manifest the lockfile needs', async () => {
  const dockerfile = await deployFile('docker/Dockerfile');
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, sources = '']) => sources.split(' '),
  );
  for (const source of copied) {
    assert.equal(globSync(source, { cwd: ROOT }).length, 1, `${source} is not there`);
  }
  for (const folder of ['apps', 'packages']) {
    for (const name of await readdir(join(ROOT, folder))) {
      assert.ok(copied.includes(`${folder}/${name}/package.json`), `${folder}/${name} is missing`);
    }
  }
});

test('the build is sent no file but those that were let in', async () => {
  const lines = (await deployFile('docker/Dockerfile.dockerignore')).split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(rules[0], '**');
  assert.ok(rules.slice(1).every((rule) => rule.startsWith('!')));
  const allowed = rules.slice(1).flatMap((rule) => globSync(rule.slice(1), { cwd: ROOT }));
  for (const needed of ['package-lock.json', 'LICENSE', 'packages/service/src']) {
    assert.ok(allowed.includes(needed), needed);
  }
  assert.ok(!allowed.some((path) => /data|secret|\.git/.test(path)));
});

test("the image's health check is well when the service is ready, and ill when nothing answers", async (t) => {
  const dockerfile = await deployFile('docker/Dockerfile');
  const [, json = ''] = /HEALTHCHECK[^[]*CMD (\[.*\])/.exec(dockerfile) ?? [];
  const [command, ...args] = JSON.parse(json) as string[];
  assert.equal(command, 'node');
  const { app, port } = await startService(t);
  const check = () => runProgram(process.execPath, args, DEPLOY, { PETSTORE_PORT: `${port}` });
  assert.deepEqual(await check(), { code: 0, stdout: '', stderr: '' });
  await app.close();
  assert.equal((await check()).code, 1);
});

test('Compose kills only after the time that the service has to stop, and keeps secrets in files', async () => {
  const compose = parse(await deployFile('docker/compose.yaml')) as {
    services: Record<string, { stop_grace_period: string; secrets: string[] }>;
    secrets: Record<string, { file: string }>;
  };
  const { services, secrets } = compose;
  assert.ok(Number.parseInt(services.petstore?.stop_grace_period ?? '', 10) > SLOWEST_STOP_SECONDS);
  const used = Object.values(services).flatMap((service) => service.secrets);
  assert.deepEqual(used.sort(), Object.keys(secrets).sort());
  for (const { file } of Object.values(secrets)) assert.match(file, /^\.\/secrets\//);
});
