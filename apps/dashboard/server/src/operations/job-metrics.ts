import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import { authorityAt, authorityName } from '../certificates/authorities.ts';
import type { AcmeConfig } from '../config-acme.ts';
import { VERDICT_CODES } from '../domains/verdict.ts';

const BUILD_OUTCOMES = ['succeeded', 'failed', 'interrupted'] as const;
export type BuildOutcome = (typeof BUILD_OUTCOMES)[number];

const CERTIFICATE_OUTCOMES = ['issued', 'failed', 'deferred'] as const;
export type CertificateOutcome = (typeof CERTIFICATE_OUTCOMES)[number];

const DELIVERY_OUTCOMES = ['delivered', 'failed'] as const;

/** Histogram bounds of builds, in seconds. */
const BUILD_BOUNDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** What the jobs of this process did. Every series is there from the start: a rate needs one that was seen before it grew. */
export class JobMetrics {
  readonly #acme: AcmeConfig;
  readonly #builds;
  readonly #checks;
  readonly #attempts;
  readonly #deliveries;
  #running = 0;

  constructor(metrics: Metrics, acme: AcmeConfig) {
    this.#acme = acme;
    metrics.gauge('dashboard_builds_running', 'Builds under way.', () => this.#running);
    this.#builds = metrics.histogram(
      'dashboard_build_duration_seconds',
      'Time of builds, by how they ended; an interrupted one is begun anew.',
      BUILD_BOUNDS,
    );
    for (const outcome of BUILD_OUTCOMES) this.#builds.with({ outcome });
    this.#checks = metrics.counter('dashboard_dns_checks_total', 'DNS checks by their verdict.');
    for (const verdict of VERDICT_CODES) this.#checks.with({ verdict });
    this.#attempts = metrics.counter(
      'dashboard_certificate_attempts_total',
      'Attempts at certificates of custom domains, by authority and outcome.',
    );
    for (const { directoryUrl } of acme.authorities) {
      for (const outcome of CERTIFICATE_OUTCOMES)
        this.#attempts.with({ authority: authorityName(directoryUrl), outcome });
    }
    this.#deliveries = metrics.counter(
      'dashboard_notice_deliveries_total',
      'Attempts to deliver a notice, by its kind and outcome.',
    );
    for (const kind of ['webhook', 'email'])
      for (const outcome of DELIVERY_OUTCOMES) this.#deliveries.with({ kind, outcome });
  }

  /** A build begins. The returned function says how it ended. */
  build(): (outcome: BuildOutcome) => void {
    const begun = performance.now();
    this.#running++;
    return (outcome) => {
      this.#running--;
      this.#builds.with({ outcome }).observe((performance.now() - begun) / 1_000);
    };
  }

  dnsCheck(verdict: string): void {
    this.#checks.with({ verdict }).add();
  }

  certificateAttempt(directoryUrl: string, outcome: CertificateOutcome): void {
    this.#attempts.with({ authority: authorityLabel(this.#acme, directoryUrl), outcome }).add();
  }

  delivery(kind: 'webhook' | 'email', outcome: (typeof DELIVERY_OUTCOMES)[number]): void {
    this.#deliveries.with({ kind, outcome }).add();
  }
}

/** One that is not configured any more is `other`. */
export function authorityLabel(acme: AcmeConfig, directoryUrl: string): string {
  return authorityAt(acme, directoryUrl) ? authorityName(directoryUrl) : 'other';
}
