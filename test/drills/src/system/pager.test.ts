import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPager } from './pager.ts';

test('records firing alerts with their labels, and no resolved ones', async () => {
  await using pager = await openPager();
  const labels = (alertname: string) => ({ alertname, severity: 'page', job: 'media' });
  const alerts = [
    { status: 'firing', labels: labels('DiskFull') },
    { status: 'resolved', labels: labels('ConsumerStuck') },
  ];
  const answer = await fetch(pager.url, { method: 'POST', body: JSON.stringify({ status: 'firing', alerts }) });
  assert.equal(answer.status, 200);
  assert.deepEqual(
    pager.sent.map(({ alert, severity, labels }) => [alert, severity, labels.job]),
    [['DiskFull', 'page', 'media']],
  );
});
