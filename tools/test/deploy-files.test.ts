import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { DCLinter } from 'dclint';
import { validate as validateDockerfile } from 'dockerfile-utils';
import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as networkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import { parseAllDocuments } from 'yaml';
import { DEPLOY, deployFile } from '../../apps/petstore/test/support/deploy-files.ts';
import { unknownMembers } from '../src/known-members.ts';

// The files of deploy/ by the tools of those whose formats they are in.

test('the Dockerfile has no mistake that can be told without building it', async () => {
  const problems = validateDockerfile(await deployFile('docker/Dockerfile'));
  assert.deepEqual(problems, []);
});

test('the Compose file is what the Compose specification asks for', () => {
  const linter = new DCLinter({
    // Compose gives what it builds this name.
    rules: { 'no-build-and-image': 0 },
    quiet: true,
    debug: false,
    exclude: [],
  });
  // The types of its results lead to files that the package lacks.
  const results: { messages: { type: string }[] }[] = linter.lintFiles(
    [join(DEPLOY, 'docker/compose.yaml')],
    false,
  );
  assert.equal(results.length, 1);
  const errors = results.flatMap(({ messages }) => messages.filter(({ type }) => type === 'error'));
  assert.deepEqual(errors, []);
});

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A compiled schema, with what it found wrong the last time. */
interface Schema {
  (resource: unknown): boolean;
  errors?: readonly object[];
}

const SCHEMAS: Record<string, Schema> = {
  Deployment: deployment,
  NetworkPolicy: networkPolicy,
  PodDisruptionBudget: disruptionBudget,
  Service: service,
};

const MANIFESTS = [
  'kubernetes/petstore.yaml',
  'cluster/kubernetes/petstore.yaml',
  'cluster/kubernetes/edges.yaml',
];

async function resourcesOf(manifest: string): Promise<Resource[]> {
  const documents = parseAllDocuments(await deployFile(manifest));
  return documents.map((document) => document.toJS() as Resource);
}

/** What is wrong with a resource, by its schema. */
function mistakes(resource: Resource): readonly object[] | undefined {
  const validate = SCHEMAS[resource.kind];
  assert.ok(validate, `no schema for ${resource.kind}`);
  return validate(resource) ? [] : validate.errors;
}

function strangers(resource: Resource): string[] {
  return unknownMembers(resource, (document) => mistakes(document as Resource));
}

for (const manifest of MANIFESTS) {
  test(`each resource of ${manifest} is what the schema of Kubernetes asks for, without a member that it does not know`, async () => {
    const resources = await resourcesOf(manifest);
    assert.deepEqual(resources.map(({ kind }) => kind).sort(), Object.keys(SCHEMAS).sort());
    for (const resource of resources) {
      assert.deepEqual(mistakes(resource), [], resource.kind);
      assert.deepEqual(strangers(resource), [], resource.kind);
    }
  });
}

test('a misspelt member, a wrong type and a missing one are found', async () => {
  const resources = await resourcesOf('kubernetes/petstore.yaml');
  const { spec, ...rest } = resources.find(({ kind }) => kind === 'Deployment') as Resource & {
    spec: object;
  };
  assert.deepEqual(strangers({ ...rest, spec: { ...spec, replica: 2 } } as Resource), [
    '/spec/replica',
  ]);
  assert.notDeepEqual(mistakes({ ...rest, spec: { ...spec, replicas: 'two' } } as Resource), []);
  assert.notDeepEqual(mistakes({ ...rest, spec: {} } as Resource), []);
});
