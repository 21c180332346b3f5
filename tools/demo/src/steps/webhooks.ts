import { createHmac, timingSafeEqual } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WebhookBodyJson } from '@recording-request/contract/webhook';
import { waitFor } from '@recording-request/stack/wait';
import type { ReceivedEvent } from '@recording-request/stack/webhook-sink';
import { Webhook } from 'standardwebhooks';
import { check, checkEqual } from '../check.ts';
import type { Show } from '../show.ts';
import type { Project, Projects } from './create-projects.ts';
import type { Settled } from './settle.ts';

export interface Delivered {
  event: ReceivedEvent;
  body: WebhookBodyJson;
}

const LIMIT_MS = 60_000;
const COMPLETED = 'submission.completed';
const TRANSCRIBED = 'submission.transcript.completed';

/**
 * Checks that the owner's receiver got one event for each landed clip and for each transcript, and no other event.
 * Every signature must verify.
 */
export async function checkWebhooks(show: Show, projects: Projects, clips: Settled[]): Promise<Delivered[]> {
  const { play, sink, signal, resultsDir } = show;
  return play('webhooks delivered and signed', async note => {
    const wanted = clips.flatMap(({ submission }) => {
      const { submissionId, transcriptStatus } = submission;
      return [
        `${COMPLETED} ${submissionId}`,
        ...(transcriptStatus === 'completed' ? [`${TRANSCRIBED} ${submissionId}`] : []),
      ];
    });
    const delivered = await waitFor(
      `${wanted.length} webhooks`,
      async () => {
        const all = sink.events.map(read);
        const got = new Set(all.map(nameOf));
        const missing = wanted.filter(name => !got.has(name));
        check('every event to be delivered', missing.length === 0, `all but ${missing.join(', ')}`);
        return all;
      },
      { timeoutMs: LIMIT_MS, signal },
    );
    // Delivery is at least once, so a repeated delivery counts as the same event.
    const ids = new Set(delivered.map(({ body }) => body.id));
    checkEqual('the number of different events', ids.size, wanted.length);
    for (const one of delivered) checkDelivery(one, projects, clips);
    await writeFile(
      join(resultsDir, 'webhooks.json'),
      JSON.stringify(
        delivered.map(({ event, body }) => ({ ...event, body })),
        null,
        2,
      ),
    );
    const count = (type: string) => wanted.filter(name => name.startsWith(`${type} `)).length;
    note(`${count(COMPLETED)} × ${COMPLETED}, ${count(TRANSCRIBED)} × ${TRANSCRIBED}`);
    note('both signatures verify, on each; a changed byte is refused');
    return delivered;
  });
}

const read = (event: ReceivedEvent): Delivered => ({ event, body: JSON.parse(event.body.toString('utf8')) });
const nameOf = ({ body }: Delivered) => `${body.type} ${body.data.submission?.submissionId}`;

function checkDelivery({ event, body }: Delivered, projects: Projects, clips: Settled[]): void {
  const { headers } = event;
  checkEqual('service-event', headers['service-event'], body.type);
  checkEqual('service-event-id', headers['service-event-id'], body.id);
  checkEqual('webhook-id', headers['webhook-id'], body.id);
  check('a webhook of JSON', headers['content-type']?.startsWith('application/json'), headers['content-type']);
  const project = [projects.stories, projects.interview, projects.strict].find(
    ({ created }) => created.projectId === body.data.projectId,
  );
  check('a webhook of one of the three projects', project, body.data.projectId);
  checkEqual('projectName', body.data.projectName, project.created.projectName);
  checkSignatures(event, project);
  const sent = clips.find(({ submission }) => submission.submissionId === body.data.submission?.submissionId);
  check('a webhook of a clip that landed', sent, body.data.submission?.submissionId);
  if (body.type === TRANSCRIBED) {
    const { transcriptText } = body.data.submission!;
    checkEqual('the transcript in the webhook', transcriptText, sent.submission.transcriptText);
  }
}

function checkSignatures({ headers, body }: ReceivedEvent, { webhookSecret }: Project): void {
  const own = Buffer.from(`sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`);
  const got = Buffer.from(String(headers['service-signature'] ?? ''));
  check('service-signature to verify', own.length === got.length && timingSafeEqual(own, got), got.toString());
  const isBase64 = webhookSecret.startsWith('whsec_');
  const library = new Webhook(webhookSecret, isBase64 ? {} : { format: 'raw' });
  const verifies = (bytes: Buffer): boolean => {
    try {
      library.verify(bytes, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  check('webhook-signature to verify with the standardwebhooks library', verifies(body), headers['webhook-signature']);
  const changed = Buffer.from(body);
  changed[changed.length - 2]! ^= 1;
  check('the signature of a changed body to be refused', !verifies(changed), 'accepted');
}
