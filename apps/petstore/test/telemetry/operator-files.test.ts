import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { anchorsOf, readDocument } from '@petstore/test-support/documents.ts';
import { type Engine, onSharedEngines } from '@petstore/test-support/engines.ts';
import { metricNames } from '@petstore/test-support/promql.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { parse } from 'yaml';
import { metricsOnce, readMetrics } from '../support/metrics.ts';
import { serve } from '../support/program.ts';

interface Dashboard {
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly datasource?: { readonly uid: string };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly definition?: string }[] };
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: Record<'summary' | 'description' | 'runbook_url', string>;
    }[];
  }[];
}

const readDashboard = async (): Promise<Dashboard> =>
  JSON.parse(await readDocument('deploy/grafana/petstore.json'));

const readRules = async () => {
  const { groups }: Rules = parse(await readDocument('deploy/prometheus/alerts.yaml'));
  return groups.flatMap(({ rules }) => rules);
};

/** Every name that a service shows which has seen a request, and something that was none. */
async function namesShown(t: TestContext, engine: Engine): Promise<ReadonlySet<string>> {
  const url = await engine.createDatabase(t);
  const env = {
    PETSTORE_DATABASE_URL: url,
    // No standby, so it is left aside; its metrics are there all the same.
    ...(engine.name === 'PostgreSQL' && { PETSTORE_DATABASE_REPLICA_URL: url }),
  };
  const { origin } = await serve(t, await temporaryFolder(t), env, ['--workers', '2']);
  await fetch(`${origin}/livez`);
  await exchange(Number(new URL(origin).port), 'nonsense\r\n\r\n');
  // Of a worker that takes seconds to tell for the first time, nothing is shown.
  const request = { method: 'GET', route: '/livez', status: '200' };
  await metricsOnce(origin, 'petstore_http_requests_total', request, 1);
  const refused = { code: 'invalid_request' };
  await metricsOnce(origin, 'petstore_http_connections_refused_total', refused, 1);
  // Garbage has to be collected once before there is anything to tell about that; to read metrics makes some.
  let { names } = await readMetrics(origin);
  for (let read = 0; read < 500 && !names.has('nodejs_gc_duration_seconds_sum'); read++) {
    ({ names } = await readMetrics(origin));
  }
  return names;
}

test('the names in an expression are found', () => {
  const expression =
    'histogram_quantile(0.9, sum by (le, a) (rate(x_bucket{job=~"y",z="1"}[5m]))) / on (b) w_total > 0.5';
  assert.deepEqual(metricNames(expression), ['x_bucket', 'w_total']);
});

/** Of one engine alone, and so not shown by the other. */
const OF_SQLITE = /^petstore_(page_cache|writer|http_fast_path)_/;
const OF_POSTGRESQL = /^petstore_(database_(connections|waiting)|replica_)/;

onSharedEngines(
  'every metric that the dashboard and the alerts ask for is one that the service shows',
  async (t, engine) => {
    const names = await namesShown(t, engine);
    const { panels, templating } = await readDashboard();
    const expressions = [
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...templating.list.flatMap(({ definition = [] }) => definition),
      ...(await readRules()).map(({ expr }) => expr),
    ];
    const isOthers = engine.name === 'PostgreSQL' ? OF_SQLITE : OF_POSTGRESQL;
    let found = 0;
    for (const expression of expressions) {
      const wanted = metricNames(expression);
      assert.ok(wanted.length > 0, `no metric in ${expression}`);
      for (const name of wanted) {
        // `up` is what Prometheus itself makes of each scrape.
        if (name === 'up' || isOthers.test(name)) continue;
        assert.ok(names.has(name), `${name} is not at /metrics, but in ${expression}`);
        found++;
      }
    }
    assert.ok(found > 30);
  },
);

test('each panel asks the data source that the reader picks, and each alert says how grave it is and where to go', async () => {
  const { panels } = await readDashboard();
  for (const { type, title, datasource } of panels) {
    if (type !== 'row') assert.equal(datasource?.uid, `\${datasource}`, title);
  }
  const runbook = await readDocument('docs/runbook.md');
  const anchors = anchorsOf(runbook);
  for (const { alert, labels, annotations } of await readRules()) {
    assert.match(labels.severity, /^(page|ticket)$/, alert);
    assert.ok(annotations.summary && annotations.description, alert);
    const [, anchor = ''] = /^docs\/runbook\.md#(.+)$/.exec(annotations.runbook_url) ?? [];
    assert.ok(anchors.has(anchor), `${alert}: docs/runbook.md has no heading for #${anchor}`);
    assert.ok(runbook.includes(`\`${alert}\``), `docs/runbook.md lacks ${alert}`);
  }
});

onSharedEngines(
  'docs/operations.md lists every metric of the service, and neither it nor the runbook names another',
  async (t, engine) => {
    const operations = await readDocument('docs/operations.md');
    const names = await namesShown(t, engine);
    for (const name of names) {
      const family = name.replace(/_(bucket|sum|count)$/, '');
      if (!family.startsWith('petstore_')) continue;
      assert.ok(operations.includes(`\`${family}\``), `docs/operations.md lacks ${family}`);
    }
    const families = new Set([...names].map((name) => name.replace(/_(bucket|sum|count)$/, '')));
    const isOthers = engine.name === 'PostgreSQL' ? OF_SQLITE : OF_POSTGRESQL;
    // Statements of SQL name what is in the database.
    const both = (operations + (await readDocument('docs/runbook.md'))).replaceAll(
      /^```sql\n.*?^```/gms,
      '',
    );
    for (const [name] of both.matchAll(/\b(?:petstore|process|nodejs)_[a-z]\w*/g)) {
      const isShown = names.has(name) || families.has(name);
      assert.ok(isShown || isOthers.test(name), `${name} is not at /metrics`);
    }
  },
);
