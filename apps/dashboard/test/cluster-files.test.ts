import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDocument, variablesOf } from '@petstore/test-support/documents.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { readConfig } from '../server/src/config.ts';
import { DASHBOARD, dashboard } from './support/dashboard-program.ts';

const FOLDER = 'deploy/cluster';

/** The settings of a machine, with what machine.env holds for it. */
async function settingsOfMachine() {
  const facts: Record<string, string> = {
    ADDRESS: '10.0.0.21',
    DASHBOARD_DATABASE_PASSWORD: 'secret',
    DASHBOARD_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  };
  const text = await readDocument(`${FOLDER}/service/dashboard.env`);
  const filled = text.replace(/\$\{(\w+)\}/g, (_, name) => facts[name] ?? assert.fail(name));
  const lines = [...filled.matchAll(/^([A-Z_]+)=(.*)$/gm)];
  return Object.fromEntries(lines.map(([, name, value]) => [name, value]));
}

test('the settings of the cluster are those that the dashboard reads, and it takes them', async () => {
  const settings = await settingsOfMachine();
  const known = variablesOf(readConfig);
  for (const name of Object.keys(settings)) assert.ok(known.has(name), name);
  const { host, edge, secretKey, trustedProxies } = readConfig(settings);
  assert.deepEqual([host, edge.host], ['10.0.0.21', '10.0.0.21']);
  assert.equal(secretKey?.length, 32);
  assert.deepEqual([...trustedProxies], ['10.0.0.31', '10.0.0.32']);
});

test('the balancers lead to the ports on which the dashboard and the edges listen', async () => {
  const { port, edge } = readConfig(await settingsOfMachine());
  const haproxy = await readDocument(`${FOLDER}/balancer/haproxy.cfg`);
  for (const [section, wanted] of [
    ['dashboard', port],
    ['sites', edge.httpPort],
    ['sites-tls', edge.httpsPort],
  ]) {
    const [, body = ''] =
      new RegExp(`^listen ${section}\n(.*?)(?=^\\w|$(?![^]))`, 'ms').exec(haproxy) ?? [];
    const ports = [...body.matchAll(/^ {2}server \w+ [\d.]+:(\d+)$/gm)].map(([, found]) =>
      Number(found),
    );
    assert.ok(ports.length >= 2, `${section}`);
    assert.deepEqual(new Set(ports), new Set([wanted]), `${section}`);
  }
});

test('the unit starts a program that is there, by commands that it has', async () => {
  const unit = await readDocument(`${FOLDER}/service/dashboard@.service`);
  const [, program = ''] =
    /^ExecStart=\/usr\/bin\/node \/opt\/dashboard\/(\S+) %i$/m.exec(unit) ?? [];
  assert.equal(join(ROOT, program), DASHBOARD);
  const instances = [...unit.matchAll(/enable --now dashboard@(\w+)/g)].map(
    ([, name = '']) => name,
  );
  assert.deepEqual(instances, ['serve', 'edge']);
  for (const name of instances) {
    assert.equal((await dashboard(ROOT, [name, '--help'])).code, 0, name);
  }
});

test('the sockets that systemd keeps are at the ports of the settings, by names that the programs know', async () => {
  const { port, edge } = readConfig(await settingsOfMachine());
  const ports = { web: port, http: edge.httpPort, https: edge.httpsPort };
  const commands = await readDocument(`${FOLDER}/service/dashboard@.service.d/sockets.conf`);
  for (const [unit, wanted] of Object.entries(ports)) {
    const text = await readDocument(`${FOLDER}/service/dashboard-${unit}@.socket`);
    assert.match(text, new RegExp(`^ListenStream=\\$\\{ADDRESS\\}:${wanted}$`, 'm'));
    const name = unit === 'web' ? 'dashboard' : unit;
    assert.match(text, new RegExp(`^FileDescriptorName=${name}$`, 'm'));
    assert.match(text, /^Service=dashboard@%i\.service$/m);
    assert.match(commands, new RegExp(`\\b${unit}\\b`));
  }
  const workers = await readDocument(`${FOLDER}/service/dashboard@edge.service.d/workers.conf`);
  const [, program = '', args = ''] =
    /^ExecStart=\/usr\/bin\/node \/opt\/dashboard\/(\S+) (.+)$/m.exec(workers) ?? [];
  assert.equal(join(ROOT, program), DASHBOARD);
  assert.equal((await dashboard(ROOT, [...args.split(' '), '--help'])).code, 0);
});

test('the edges of Kubernetes have settings that the dashboard reads, its ports and its program', async () => {
  const manifest = await readDocument(`${FOLDER}/kubernetes/edges.yaml`);
  const known = variablesOf(readConfig);
  const names = [...manifest.matchAll(/^ +- name: ([A-Z_]+)$/gm)].map(([, name = '']) => name);
  assert.ok(names.length > 5);
  for (const name of names) assert.ok(known.has(name), name);
  const { edge } = readConfig({});
  const ports = [...manifest.matchAll(/containerPort: (\d+)/g)].map(([, port]) => Number(port));
  assert.deepEqual(ports, [edge.httpPort, edge.httpsPort]);
  const [, program = ''] = /command: \[node, \/opt\/dashboard\/(\S+), edge\]/.exec(manifest) ?? [];
  assert.equal(join(ROOT, program), DASHBOARD);
});
