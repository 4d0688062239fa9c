import { context, ROOT_CONTEXT, type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Outcome } from '../domain/outcome.ts'

// Without an SDK all of this does nothing. Asked for each time: a tracer is of the provider that was there when it was made.
const tracer = () => trace.getTracer('cuelight')

/** Begins work that a pass took up. */
export type Begin = <T>(work: () => T) => T

/**
 * Runs a pass. What it takes up is begun within a span of the pass, and belongs to it however much longer it goes on; a
 * pass that takes nothing up has none, since that would be one a second, of nothing.
 */
export async function inPass<T>(pass: (begin: Begin) => Promise<T>): Promise<T> {
  const startTime = Date.now()
  let span = null as Span | null
  try {
    return await pass((work) => {
      span ??= tracer().startSpan('runner pass', { root: true, startTime })
      return context.with(trace.setSpan(ROOT_CONTEXT, span), work)
    })
  } finally {
    span?.end()
  }
}

/**
 * Makes a call of a module within a span, which says how it went and nothing of what was said: that is in the run log.
 * The attributes are asked for only where somebody records them.
 */
export function calledInSpan(
  name: string,
  attributes: () => Record<string, string | number>,
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  return tracer().startActiveSpan(name, async (span) => {
    try {
      if (!span.isRecording()) return await call()
      span.setAttributes(attributes())
      const outcome = await call()
      span.setAttribute('cuelight.outcome', outcome.kind)
      if (outcome.kind === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
      return outcome
    } finally {
      span.end()
    }
  })
}
