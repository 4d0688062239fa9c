import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from './logger.ts'
import type { TraceSettings } from './trace-settings.ts'
import { within } from './within.ts'

/** How long stopping waits for the last spans to be taken. */
const FLUSH_MS = 3000

/**
 * Exports the spans of this process from now on. Loaded only where that is configured. Where a program brought an SDK of
 * its own, spans go there instead, and the log says so.
 */
export async function startTraceExport(
  settings: TraceSettings,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<{ stop(): Promise<void> }> {
  const exporter = telling(await exporterOf(settings), log)
  const provider = new TracerProvider({
    resource: resourceFromAttributes(settings.resource),
    sampler: samplerOf(settings.sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  if (!trace.setGlobalTracerProvider(provider)) {
    log.warn('an SDK of OpenTelemetry is set up in this process already; traces go where it sends them')
    return { stop: async () => {} }
  }
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  // No baggage: what a caller puts there is none of the business of whom an action calls.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  log.info('traces are exported')
  return {
    async stop() {
      await within(FLUSH_MS, provider.shutdown())
      for (const api of [trace, context, propagation]) api.disable()
    },
  }
}

/** Only the one that is wanted is loaded. */
async function exporterOf({ protocol, url, headers }: TraceSettings): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'))
  return new OTLPTraceExporter({ url, headers })
}

/** Says once that spans are lost, and once that they no longer are. */
function telling(exporter: SpanExporter, log: Pick<Logger, 'info' | 'warn'>): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS
        if (failed && !isFailing) {
          log.warn(
            { err: result.error },
            'traces could not be exported and are lost until they can; see that the collector at OTEL_EXPORTER_OTLP_ENDPOINT is up',
          )
        }
        if (!failed && isFailing) log.info('traces are exported again')
        isFailing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

function samplerOf({ kind, ratio }: TraceSettings['sampler']): Sampler {
  const root = kind.endsWith('always_off')
    ? new AlwaysOffSampler()
    : kind.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler()
  return kind.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}
