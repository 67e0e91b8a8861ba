import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorsOf, readDocument } from '@petstore/test-support/documents.ts';
import { engineOf, onSharedEngines } from '@petstore/test-support/engines.ts';
import { metricNames } from '@petstore/test-support/promql.ts';
import { parse } from 'yaml';
import { ask, readMetrics } from '../support/operator-port.ts';
import { startService } from '../support/service.ts';

interface Board {
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly datasource?: { readonly uid: string };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly definition?: string }[] };
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Record<'summary' | 'description' | 'runbook_url', string>;
}

const MANUAL = 'docs/running-the-dashboard.md';

const readBoard = async (): Promise<Board> =>
  JSON.parse(await readDocument('deploy/grafana/dashboard.json'));

const readRules = async (): Promise<Rule[]> => {
  const text = await readDocument('deploy/prometheus/dashboard-alerts.yaml');
  const { groups } = parse(text) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
};

/** Of one engine, of workers or of an event alone, and so not shown by every service. */
const NOT_ALWAYS = /^dashboard_(database_(connections_active|waiting)|edge_worker|issuances)/;

onSharedEngines(
  'every metric that the board, the alerts and the manual name is one that the service shows, and the manual has all',
  async (t) => {
    const isPostgres = engineOf(t).name === 'PostgreSQL';
    const service = await startService(t, {
      operator: { host: '127.0.0.1', port: 0, token: undefined },
    });
    const port = service.operatorPort as number;
    await ask(port, '/readyz');
    const { names } = await readMetrics(port);
    const isShown = (name: string) =>
      names.has(name) ||
      (NOT_ALWAYS.test(name) && !(isPostgres && name.startsWith('dashboard_database_')));
    const { panels, templating } = await readBoard();
    const expressions = [
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...templating.list.flatMap(({ definition = [] }) => definition),
      ...(await readRules()).map(({ expr }) => expr),
    ];
    let found = 0;
    for (const expression of expressions) {
      for (const name of metricNames(expression)) {
        if (name === 'up') continue;
        assert.ok(isShown(name), `${name} is not at /metrics, but in ${expression}`);
        found++;
      }
    }
    assert.ok(found > 30);
    const manual = await readDocument(MANUAL);
    const families = new Set([...names].map((name) => name.replace(/_(bucket|sum|count)$/, '')));
    for (const family of families) {
      if (!family.startsWith('dashboard_')) continue;
      assert.ok(manual.includes(`\`${family}\``), `${MANUAL} lacks ${family}`);
    }
    for (const [, name = ''] of manual.matchAll(/`(dashboard_[a-z]\w*)`/g)) {
      assert.ok(families.has(name) || isShown(name), `${name} is not at /metrics`);
    }
  },
);

test('each panel asks the data source that the reader picks, and each alert says how grave it is and where to go', async () => {
  for (const { type, title, datasource } of (await readBoard()).panels) {
    if (type !== 'row') assert.equal(datasource?.uid, `\${datasource}`, title);
  }
  const manual = await readDocument(MANUAL);
  const anchors = anchorsOf(manual);
  for (const { alert, labels, annotations } of await readRules()) {
    assert.match(labels.severity, /^(page|ticket)$/, alert);
    assert.ok(annotations.summary && annotations.description, alert);
    const [, document, anchor = ''] = /^(.+)#(.+)$/.exec(annotations.runbook_url) ?? [];
    assert.equal(document, MANUAL);
    assert.ok(anchors.has(anchor), `${alert}: ${MANUAL} has no heading for #${anchor}`);
    assert.ok(manual.includes(`\`${alert}\``), `${MANUAL} lacks ${alert}`);
  }
});
