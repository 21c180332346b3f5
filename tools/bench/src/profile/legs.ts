import { SPAN_KIND, type Span } from '@recording-request/demo/otlp-json';
import { quantile } from '../stats/interval.ts';

/** A step of a trace: the spans at the same place in the traces of all clips. */
interface Leg {
  label: string;
  starts: number[];
  lengths: number[];
}

const KINDS = Object.fromEntries(Object.entries(SPAN_KIND).map(([word, kind]) => [kind, word]));
const WIDTH = 9;

/**
 * Returns a line for each step of the traces, in the order of their starts: median start and median duration, in milliseconds. Starts
 * count from the clip's `from`, in milliseconds since 1970.
 */
export function legsReport(clips: readonly { spans: readonly Span[]; from: number }[]): string {
  const legs = new Map<string, Leg>();
  for (const { spans, from } of clips) {
    const times = new Map<string, number>();
    for (const span of [...spans].sort((one, other) => one.startMs - other.startMs)) {
      const label = `${'  '.repeat(depthOf(span, spans))}${span.service} ${KINDS[span.kind] ?? ''} ${span.name}`;
      const time = times.get(label) ?? 0;
      times.set(label, time + 1);
      const leg = legs.get(`${label} ${time}`) ?? { label, starts: [], lengths: [] };
      legs.set(`${label} ${time}`, leg);
      leg.starts.push(span.startMs - from);
      leg.lengths.push(span.endMs - span.startMs);
    }
  }
  const rows = [...legs.values()]
    .map(({ label, starts, lengths }) => ({ label, at: median(starts), ms: median(lengths), clips: starts.length }))
    .sort((one, other) => one.at - other.at);
  const cell = (value: number | string) => (typeof value === 'number' ? value.toFixed(1) : value).padStart(WIDTH);
  return [
    `${cell('begins')}${cell('ms')}${cell('clips')}  step`,
    ...rows.map(({ label, at, ms, clips: of }) => `${cell(at)}${cell(ms)}${cell(String(of))}  ${label}`),
    '',
  ].join('\n');
}

const median = (values: readonly number[]): number => quantile(values, 0.5);

function depthOf(span: Span, spans: readonly Span[]): number {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent ? 1 + depthOf(parent, spans) : 0;
}
