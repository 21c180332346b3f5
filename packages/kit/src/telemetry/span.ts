import { SpanStatusCode, trace } from '@opentelemetry/api';
import { subjectAttributes } from './subject.ts';

/** Runs a step in a span with the ids that `about` has: a part of what is running, or a trace of its own where nothing is, as in a sweeper. */
export async function inSpan<T>(name: string, about: object, run: () => Promise<T>): Promise<T> {
  // Fetched each time: one fetched while the module loads may precede the setup of telemetry.
  const tracer = trace.getTracer('recording-request');
  return await tracer.startActiveSpan(name, { attributes: subjectAttributes(about) }, async span => {
    try {
      return await run();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
      throw error;
    } finally {
      span.end();
    }
  });
}
