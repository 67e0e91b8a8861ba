import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as networkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import { parseAllDocuments } from 'yaml';
import { deployFile, SLOWEST_STOP_SECONDS } from '../support/deploy-files.ts';
import { unknownMembers } from '../support/known-members.ts';

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

let resources: Resource[];

before(async () => {
  const documents = parseAllDocuments(await deployFile('kubernetes/petstore.yaml'));
  resources = documents.map((document) => document.toJS() as Resource);
});

/** What is wrong with a resource, by its schema. */
function mistakes(resource: Resource): readonly object[] | undefined {
  const validate = SCHEMAS[resource.kind];
  assert.ok(validate, `no schema for ${resource.kind}`);
  return validate(resource) ? [] : validate.errors;
}

function strangers(resource: Resource): string[] {
  return unknownMembers(resource, (document) => mistakes(document as Resource));
}

test('each resource is what the schema of Kubernetes asks for, without a member that it does not know', () => {
  assert.deepEqual(resources.map(({ kind }) => kind).sort(), Object.keys(SCHEMAS).sort());
  for (const resource of resources) {
    assert.deepEqual(mistakes(resource), [], resource.kind);
    assert.deepEqual(strangers(resource), [], resource.kind);
  }
});

test('a misspelt member, a wrong type and a missing one are found', () => {
  const { spec, ...rest } = deploymentOf(resources);
  assert.deepEqual(strangers({ ...rest, spec: { ...spec, replica: 2 } } as Resource), [
    '/spec/replica',
  ]);
  assert.notDeepEqual(mistakes({ ...rest, spec: { ...spec, replicas: 'two' } } as Resource), []);
  assert.notDeepEqual(mistakes({ ...rest, spec: {} } as Resource), []);
});

test('a pod is killed only after the time for its successor and for its own stop', () => {
  const pod = deploymentOf(resources).spec?.template.spec;
  const [container] = pod?.containers ?? [];
  const preStop = Number(container?.lifecycle?.preStop?.exec?.command?.[1]);
  assert.ok(preStop > 0);
  assert.ok(Number(pod?.terminationGracePeriodSeconds) > preStop + SLOWEST_STOP_SECONDS);
  // Links would put PETSTORE_PORT=tcp://… into the environment.
  assert.equal(pod?.enableServiceLinks, false);
});

function deploymentOf(resources: readonly Resource[]): IDeployment {
  return resources.find(({ kind }) => kind === 'Deployment') as IDeployment;
}
