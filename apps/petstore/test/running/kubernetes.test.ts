import assert from 'node:assert/strict';
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
}
