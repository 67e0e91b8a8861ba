import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import '@petstore/test-support/clean-up.ts';
import { parseAllDocuments } from 'yaml';
import { deployFile, SLOWEST_STOP_SECONDS } from '../support/deploy-files.ts';

/** What is asked here of a Deployment; that it is one, `tools/test/deploy-files.test.ts` checks. */
interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly enableServiceLinks?: boolean;
        readonly terminationGracePeriodSeconds?: number;
        readonly containers: readonly {
          readonly lifecycle?: {
            readonly preStop?: { readonly exec?: { readonly command?: string[] } };
          };
        }[];
      };
    };
  };
}

/** What is asked here of a NetworkPolicy. */
interface NetworkPolicy {
  readonly kind: string;
  readonly spec: {
    readonly egress?: readonly {
      readonly to?: readonly {
        readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
      }[];
      readonly ports?: readonly { readonly protocol: string; readonly port: number }[];
    }[];
  };
}

/** Whether the ranges of addresses, as `10.0.0.0/8`, have one. `::/0` has no IPv4 address. */
function has(ranges: readonly string[], address: string): boolean {
  const familyOf = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4');
  const family = familyOf(address);
  const list = new BlockList();
  for (const range of ranges.filter((one) => familyOf(one) === family)) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list.check(address, family);
}

const PUBLIC = ['203.0.113.7', '2001:db8::7'];
const PRIVATE = [
  ...['10.1.2.3', '100.64.0.1', '169.254.169.254', '172.31.0.1', '192.168.0.1'],
  ...['fd00::1', 'fe80::1'],
];

for (const manifest of ['kubernetes/petstore.yaml', 'cluster/kubernetes/petstore.yaml']) {
  test(`a pod of ${manifest} is killed only after the time for its successor and for its own stop`, async () => {
    const documents = parseAllDocuments(await deployFile(manifest));
    const resources = documents.map((document) => document.toJS() as Deployment);
    const pod = resources.find(({ kind }) => kind === 'Deployment')?.spec.template.spec;
    const [container] = pod?.containers ?? [];
    const preStop = Number(container?.lifecycle?.preStop?.exec?.command?.[1]);
    assert.ok(preStop > 0);
    assert.ok(Number(pod?.terminationGracePeriodSeconds) > preStop + SLOWEST_STOP_SECONDS);
    // Links would put PETSTORE_PORT=tcp://… into the environment.
    assert.equal(pod?.enableServiceLinks, false);
  });

  test(`a pod of ${manifest} reaches receivers of webhooks, and no private network of theirs`, async () => {
    const documents = parseAllDocuments(await deployFile(manifest));
    const resources = documents.map((document) => document.toJS() as NetworkPolicy);
    const policy = resources.find(({ kind }) => kind === 'NetworkPolicy');
    const blocks = (policy?.spec.egress ?? [])
      .filter(({ ports = [] }) => ports.some(({ port }) => port === 443))
      .flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
    const isReached = (address: string) =>
      blocks.some(({ cidr, except = [] }) => has([cidr], address) && !has(except, address));
    assert.deepEqual(PUBLIC.filter(isReached), PUBLIC);
    assert.deepEqual(PRIVATE.filter(isReached), []);
  });
}
