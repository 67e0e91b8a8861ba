import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { DEFAULT_PORT } from '../../src/config.ts';
import { HEARTBEAT_MS } from '../../src/events/streams/event-streams.ts';
import { DEPLOY, deployFile } from '../support/deploy-files.ts';
import { startService } from '../support/service.ts';
import { allVariables } from '../support/variables.ts';

const FILES = [
  'cluster/balancer/haproxy.cfg',
  'cluster/kubernetes/petstore.yaml',
  'cluster/service/petstore.env',
  'cluster/service/pgbouncer.ini',
  'docker/Dockerfile',
  'docker/compose.yaml',
  'kubernetes/petstore.yaml',
  'proxy/Caddyfile',
  'proxy/nginx.conf',
  'systemd/environment',
  'systemd/petstore.service',
  'systemd/petstore.service.d/postgresql.conf',
  'systemd/petstore.service.d/workers.conf',
  'systemd/petstore.sysusers',
];

/**
 * `.dockerignore` holds no setting of the service, those of the dashboard stand in its own tests, and what runs the machines of a cluster beside it is what
 * `npm run test:cluster` runs; the others are of telemetry, and its tests read them.
 */
const TESTED_ELSEWHERE = [
  'cluster/README.md',
  'cluster/balancer/keepalived.conf',
  'cluster/database/etcd.env',
  'cluster/database/patroni.yaml',
  'cluster/kubernetes/database.yaml',
  'cluster/kubernetes/edges.yaml',
  'cluster/machine.env',
  'cluster/service/dashboard-http@.socket',
  'cluster/service/dashboard-https@.socket',
  'cluster/service/dashboard-web@.socket',
  'cluster/service/dashboard.env',
  'cluster/service/dashboard.sysusers',
  'cluster/service/dashboard@.service',
  'cluster/service/dashboard@.service.d/sockets.conf',
  'cluster/service/dashboard@edge.service.d/workers.conf',
  'docker/Dockerfile.dockerignore',
  'grafana/dashboard.json',
  'grafana/petstore.json',
  'prometheus/alerts.yaml',
  'prometheus/dashboard-alerts.yaml',
];

test('each file by which the service is run stands in a test', () => {
  // In `ci` is what publishes documents from other repositories.
  const exclude = ['docker/secrets', 'ci'];
  const files = globSync('**/*', { cwd: DEPLOY, withFileTypes: true, exclude })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(DEPLOY.length + 1));
  assert.deepEqual(files.sort(), [...FILES, ...TESTED_ELSEWHERE].sort());
});

test('every variable that these files set is one that the service reads', async () => {
  const variables = await allVariables();
  let found = 0;
  for (const file of FILES) {
    for (const [name] of (await deployFile(file)).matchAll(/\b(?:PETSTORE|OTEL)_[A-Z0-9_]+/g)) {
      found += 1;
      assert.ok(variables.has(name), `${file} names ${name}`);
    }
  }
  assert.ok(found > 0);
});

test('every port in these files is the one that the service listens on', async () => {
  const ports: [string, RegExp][] = [
    ['docker/Dockerfile', /^EXPOSE (\d+)$/m],
    ['docker/Dockerfile', /PETSTORE_PORT \|\| (\d+)/],
    ['docker/compose.yaml', /^ +- 127\.0\.0\.1:8080:(\d+)$/m],
    ['kubernetes/petstore.yaml', /containerPort: (\d+)/],
    ['cluster/kubernetes/petstore.yaml', /containerPort: (\d+)/],
    ['kubernetes/petstore.yaml', /protocol: TCP\n +port: (8\d+)/],
    ['proxy/nginx.conf', /server 127\.0\.0\.1:(\d+);/],
    ['proxy/Caddyfile', /reverse_proxy 127\.0\.0\.1:(\d+) /],
    ['systemd/environment', /^PETSTORE_PORT=(\d+)$/m],
  ];
  for (const [file, pattern] of ports) {
    const [, port] = pattern.exec(await deployFile(file)) ?? [];
    assert.equal(port, `${DEFAULT_PORT}`, `${file}: ${pattern}`);
  }
});

test('no proxy of these files cuts a stream between two signs of its life', async () => {
  const haproxy = await deployFile('cluster/balancer/haproxy.cfg');
  const [, reads = ''] = haproxy.split(/^backend reads$/m);
  const [backend = ''] = reads.split(/^backend /m);
  const ofStreams = /set-timeout server (\d+)s if \{ path \/v1\/events \}/.exec(backend);
  const ofReads = /timeout server (\d+)s/.exec(backend);
  const nginx = /proxy_read_timeout (\d+)s/.exec(await deployFile('proxy/nginx.conf'));
  const seconds = [ofStreams ?? ofReads, nginx].map((found) => Number(found?.[1]));
  // The sign may be a second late, and the network, too.
  for (const time of seconds) assert.ok(time * 1_000 > HEARTBEAT_MS + 5_000, `${seconds} s`);
});

test('every path that these files ask of the service is answered', async (t) => {
  const { origin } = await startService(t);
  const paths = new Set<string>();
  for (const file of [
    'docker/Dockerfile',
    'kubernetes/petstore.yaml',
    'cluster/kubernetes/petstore.yaml',
  ]) {
    const text = await deployFile(file);
    for (const [path] of text.matchAll(/(?<=path: )\/\S+|(?<=\})\/\w+(?=`)/g)) paths.add(path);
  }
  assert.deepEqual([...paths].sort(), ['/livez', '/readyz', '/readyz/reads']);
  for (const path of paths) assert.equal((await fetch(`${origin}${path}`)).status, 200, path);
});
