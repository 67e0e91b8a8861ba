import { sample } from 'openapi-sampler';
import { isObject, type OpenApiDocument } from '../../openapi/openapi-types.ts';
import { resolveReference } from '../../openapi/references.ts';
import { type SampleOptions, sampleSchema } from './sample-schema.ts';
import { shortened } from './shortened.ts';

export interface Sample {
  /** With the option `isXml` the text of an XML document. */
  readonly value: unknown;
  /** Whether the schema has more members than the sample. */
  readonly isCut: boolean;
}

/** In letters: more than is shown of any. */
export const MAX_VALUE = 40_000;

const NONE: Sample = { value: undefined, isCut: false };

const known = new WeakMap<object, Map<string, Sample>>();

/** A possible value of a schema, made from its examples and types. Its `value` is undefined where none can be made. */
export function sampleOf(
  document: OpenApiDocument,
  schema: unknown,
  options: SampleOptions,
): Sample {
  const found = resolveReference(document, schema);
  if (!isObject(found)) return NONE;
  const { direction, isXml, choice, isSent } = options;
  const key = `${direction} ${isXml} ${choice} ${isSent}`;
  const samples = known.get(found) ?? new Map<string, Sample>();
  known.set(found, samples);
  const made = samples.get(key) ?? makeSample(document, schema, options);
  samples.set(key, made);
  return made;
}

/** A value of a schema as an XML document. */
export function xmlOf(
  document: OpenApiDocument,
  schema: unknown,
  value: unknown,
  direction: SampleOptions['direction'],
): string | undefined {
  const bounded = sampleSchema(document, schema, { direction, isXml: true });
  const text = run({ ...bounded?.schema, example: value }, true);
  return typeof text === 'string' ? text.trim() : undefined;
}

function makeSample(document: OpenApiDocument, schema: unknown, options: SampleOptions): Sample {
  const bounded = sampleSchema(document, schema, options);
  if (bounded === undefined) return NONE;
  const whole = run(bounded.schema, options.isXml === true);
  const value = shortened(whole, MAX_VALUE);
  return { value, isCut: bounded.isCut || value !== whole };
}

function run(schema: object, isXml: boolean): unknown {
  try {
    return sample(schema, {
      quiet: true,
      enablePatterns: true,
      maxSampleDepth: 40,
      format: isXml ? 'xml' : 'json',
    });
  } catch {
    // There is no example then, which is no reason to stop a build.
    return undefined;
  }
}
