import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '@petstore/service/log.ts';

/** How often the log reports that spans are lost, in milliseconds. */
const REPORT_INTERVAL_MS = 60_000;

/** The same exporter, which also logs what it could not send: at once, then once a minute. */
export function reportingExporter(exporter: OTLPTraceExporter, log: Log): SpanExporter {
  let lost = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        // 0 is success (ExportResultCode).
        if (result.code !== 0) {
          lost += spans.length;
          if (performance.now() - reportedAt > REPORT_INTERVAL_MS) {
            const cause = result.error?.message;
            log.warn({ lostSpans: lost, cause }, 'the collector of traces did not take them');
            reportedAt = performance.now();
            lost = 0;
          }
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
