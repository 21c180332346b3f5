import type { Random } from '@recording-request/stack/random';
import type { Http } from '../http.ts';
import type { Pipeline } from '../measure/pipeline.ts';
import type { Tally, Timed } from '../measure/tally.ts';
import type { Place } from '../system.ts';

/** The number of an owner's reads for each clip, about as many as an open dashboard makes. */
export const READS_PER_CLIP = 6;
/** The range that a player requests first. */
const RANGE_BYTES = 256 * 1024;

const KINDS = ['owner: list', 'owner: project', 'owner: video range', 'owner: thumbnail'] as const satisfies Timed[];

/** Makes one random read of an owner; `intendedAt` is its planned time, by performance.now(). */
export async function readSomething(
  { http, pipeline, places }: { http: Http; pipeline: Pipeline; places: readonly Place[] },
  { tally, random, intendedAt }: { tally: Tally; random: Random; intendedAt: number },
): Promise<void> {
  const kind = random.pick(KINDS);
  const clip = pipeline.clips.length > 0 ? random.pick(pipeline.clips) : undefined;
  const wanted = kind === 'owner: video range' || kind === 'owner: thumbnail';
  if (wanted && !clip) return;
  const place = wanted ? places.find(({ projectId }) => projectId === clip!.projectId)! : random.pick(places);
  const project = `/api/projects/${place.projectId}`;
  const path = {
    'owner: list': `${project}/submissions?limit=40`,
    'owner: project': project,
    'owner: video range': new URL(clip?.videoUrl ?? 'http://none').pathname,
    'owner: thumbnail': new URL(clip?.thumbnailUrl ?? 'http://none').pathname,
  }[kind];
  const range: Record<string, string> = kind === 'owner: video range' ? { range: `bytes=0-${RANGE_BYTES - 1}` } : {};
  const headers = { authorization: `Bearer ${place.token}`, ...range };
  const answer = await http.ask(tally, kind, place.address, path, { headers });
  if (answer && answer.status < 400) tally.took(kind, performance.now() - intendedAt);
}
