import type { WebhookBodyJson } from '@recording-request/contract/webhook';
import type { Tally, Timed } from './tally.ts';

/** The stages after a clip's landing. Each event reports the end of a stage to the owner. */
const STAGES = new Map<string, Timed>([
  ['submission.completed', 'landed → webhook'],
  ['submission.media.completed', 'landed → processed'],
  ['submission.transcript.completed', 'landed → transcript'],
]);

/** The events that report the failure of a stage. */
const FAILURES = new Map([
  ['submission.media.failed', 'submission.media.completed'],
  ['submission.transcript.failed', 'submission.transcript.completed'],
]);

export interface Clip {
  projectId: string;
  videoUrl: string;
  thumbnailUrl: string;
}

interface Followed {
  received: Map<string, number>;
  landedAt: number | undefined;
  tally: Tally | undefined;
  done: PromiseWithResolvers<void>;
}

/** Follows clips from landing to completion, using the owners' webhooks. */
export interface Pipeline {
  /** Records an event that an owner received, at a time by Date.now(). */
  received(event: WebhookBodyJson, at: number): void;
  /** Records a landing that the contributor saw. Resolves at the last event of the clip. */
  landed(submissionId: string, at: number, tally: Tally): Promise<void>;
  /** Returns the number of landed but incomplete clips. */
  pending(): number;
  /** Returns for each stage the number of incomplete clips that wait for it. */
  waiting(): Record<string, number>;
  readonly finished: number;
  /** Complete clips for owners to read, the newest last. */
  readonly clips: readonly Clip[];
}

const CLIPS_KEPT = 500;

export function createPipeline(): Pipeline {
  const followed = new Map<string, Followed>();
  const clips: Clip[] = [];
  let finished = 0;
  const of = (submissionId: string): Followed => {
    const known = followed.get(submissionId);
    if (known) return known;
    const fresh = { received: new Map(), landedAt: undefined, tally: undefined, done: Promise.withResolvers<void>() };
    followed.set(submissionId, fresh);
    return fresh;
  };
  const landedOnes = () => [...followed.values()].filter(({ landedAt }) => landedAt !== undefined);
  const settle = (submissionId: string, clip: Followed) => {
    const { received, landedAt, tally } = clip;
    if (landedAt === undefined || received.size < STAGES.size) return;
    // The service may send the first event before the contributor has the HTTP response.
    for (const [type, stage] of STAGES) tally!.took(stage, Math.max(0, received.get(type)! - landedAt));
    finished += 1;
    followed.delete(submissionId);
    clip.done.resolve();
  };
  return {
    get finished() {
      return finished;
    },
    clips,
    received({ type, data: { projectId, submission } }, at) {
      const stage = FAILURES.get(type) ?? type;
      if (!submission || !STAGES.has(stage)) return;
      const { submissionId, videoUrl, thumbnailMiddleUrl } = submission;
      if (thumbnailMiddleUrl && type === 'submission.media.completed') {
        clips.push({ projectId, videoUrl, thumbnailUrl: thumbnailMiddleUrl });
        if (clips.length > CLIPS_KEPT) clips.shift();
      }
      const clip = of(submissionId);
      // Only the first delivery of an event counts.
      if (!clip.received.has(stage)) clip.received.set(stage, at);
      settle(submissionId, clip);
    },
    landed(submissionId, at, tally) {
      const clip = of(submissionId);
      Object.assign(clip, { landedAt: at, tally });
      settle(submissionId, clip);
      return clip.done.promise;
    },
    pending: () => landedOnes().length,
    waiting: () =>
      Object.fromEntries(
        [...STAGES].map(([type, stage]) => [
          stage.slice('landed → '.length),
          landedOnes().filter(({ received }) => !received.has(type)).length,
        ]),
      ),
  };
}
