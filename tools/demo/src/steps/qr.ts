import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@recording-request/fixtures/run';
import { expectAnswer, send } from '@recording-request/harness/http-client';
import { check } from '../check.ts';
import type { Owner } from '../owner.ts';
import type { Show } from '../show.ts';
import type { Projects } from './create-projects.ts';

/** Checks that a phone's scanner reads the shared link from the QR code. */
export async function checkQr({ play, resultsDir, signal }: Show, owner: Owner, { stories }: Projects): Promise<void> {
  await play('QR code is the shared link', async note => {
    const { sharedLink, dashboardUrl } = stories.created;
    const answer = await owner.get(sharedLink!.qrCodePngUrl);
    expectAnswer(answer, 200, 'image/png');
    const path = join(resultsDir, 'qr.png');
    await writeFile(path, answer.bytes);
    const read = (await run('zbarimg', ['--quiet', '--raw', path])).trim();
    check('zbarimg to read the shared link', read === sharedLink!.recipientUrl, read);
    const again = await send(`${dashboardUrl}/shared-link/qr.png`, { signal });
    expectAnswer(again, 200);
    check('the dashboard token to get the same QR code', again.bytes.equals(answer.bytes), 'another picture');
    note(`${answer.bytes.length} bytes, read by zbarimg`);
  });
}
