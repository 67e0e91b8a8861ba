import { withoutPassword } from '@petstore/service/database-url.ts';
import { type Env, mustBe, oneOf, text } from '@petstore/service/environment.ts';

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
const SAMPLERS = [
  ...['always_on', 'always_off', 'traceidratio'],
  ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
];

/** Where traces are sent, and which. The names and defaults of the variables are OpenTelemetry's. */
export interface TracingConfig {
  /** Where spans are sent, as OTLP over HTTP in JSON. */
  readonly url: string;
  readonly serviceName: string;
  /** The share of the traces begun here that is kept, 0 to 1. */
  readonly ratio: number;
  /** Whether a trace that a client began is kept exactly if the client keeps it. */
  readonly isParentBased: boolean;
}

/**
 * Reads OpenTelemetry's variables; undefined where no endpoint is set or all of it is switched off. Throws
 * a UserError that names the variable, what it must be, and what it was.
 */
export function readTracingConfig(env: Env): TracingConfig | undefined {
  const url = tracesUrl(env);
  const serviceName = text(env, 'OTEL_SERVICE_NAME') ?? 'petstore';
  const sampler = oneOf(env, 'OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on');
  const ratio = samplerRatio(env);
  const isDisabled = oneOf(env, 'OTEL_SDK_DISABLED', ['true', 'false'], 'false') === 'true';
  if (url === undefined || isDisabled) return undefined;
  const isParentBased = sampler.startsWith('parentbased_');
  if (sampler.endsWith('traceidratio')) return { url, serviceName, ratio, isParentBased };
  return { url, serviceName, ratio: sampler.endsWith('always_on') ? 1 : 0, isParentBased };
}

function tracesUrl(env: Env): string | undefined {
  const name = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  const exact = httpUrl(env, name);
  const base = httpUrl(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  return exact ?? (base && `${base.replace(/\/$/, '')}/v1/traces`);
}

function httpUrl(env: Env, name: string): string | undefined {
  const raw = text(env, name);
  if (raw === undefined) return undefined;
  const wanted = 'an http or https address, such as http://127.0.0.1:4318';
  if (!URL.canParse(raw) || !/^https?:$/.test(new URL(raw).protocol))
    throw mustBe(name, wanted, withoutPassword(raw));
  return raw;
}

function samplerRatio(env: Env): number {
  const name = 'OTEL_TRACES_SAMPLER_ARG';
  const raw = text(env, name);
  if (raw === undefined) return 1;
  const ratio = /^[0-9]*\.?[0-9]+$/.test(raw) ? Number(raw) : Number.NaN;
  if (!(ratio <= 1)) throw mustBe(name, 'a number from 0 to 1', raw);
  return ratio;
}
