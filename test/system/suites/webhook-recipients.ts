import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ok } from '@recording-request/harness/http-client';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { Webhook } from 'standardwebhooks';
import type { SeedData } from '../harness/seed.ts';

const SECRET = `whsec_${Buffer.from('the secret of the recipients').toString('base64')}`;
const COMPLETED = 'submission.completed';

/** Tests that events about a clip name the person of the clip's link. */
export function webhookRecipients({ ada, mute }: SeedData): void {
  describe('webhooks of a project with recipients', () => {
    test('submission.completed has the recipient, and a redelivery has the same bytes after the recipient changed', async () => {
      await using receiver = await startReceiver();
      const recipients = [{ name: 'Zoë Sample', reference: 'P-17' }];
      const { projectId, recipientUrls } = await ada.createProject({
        ...{ projectName: 'With recipients', count: 1, recipients, webhookUrl: receiver.url, webhookSecret: SECRET },
      });
      const link = recipientUrls[0]!;
      const responseSessionId = await beginResponse(link.recipientUrl);
      const submissionId = await sendClip(link.recipientUrl, mute, { responseSessionId });
      const isCompleted = ({ headers }: { headers: object }) =>
        (headers as Record<string, string>)['service-event'] === COMPLETED;
      const [first] = await receiver.waitFor(1, isCompleted);
      const event = new Webhook(SECRET).verify(first!.body, first!.headers as Record<string, string>) as {
        id: string;
        data: { submission: object };
      };
      assert.partialDeepStrictEqual(event.data.submission, {
        ...{ submissionId, metadata: {}, late: false },
        recipient: { name: 'Zoë Sample', reference: 'P-17', email: null, locale: null, verified: true },
      });

      const links = `/api/projects/${projectId}/links`;
      const json = { recipient: { name: 'Another Sample' } };
      ok(await ada.ask(`${links}/${link.tokenId}`, { method: 'PATCH', json }));
      ok(await ada.ask(`/api/projects/${projectId}/webhook-deliveries/${event.id}/redeliver`, { method: 'POST' }));
      const [, second] = await receiver.waitFor(2, isCompleted);
      assert.ok(second!.body.equals(first!.body));
      new Webhook(SECRET).verify(second!.body, second!.headers as Record<string, string>);
    });
  });
}
