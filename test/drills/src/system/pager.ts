import { startReceiver } from '@recording-request/harness/webhook-receiver';
import type { Sent } from '../alert.ts';

/** The pager: what Alertmanager sends, after it has grouped and left out what another alert explains. */
export interface Pager extends AsyncDisposable {
  /** For Alertmanager's receivers. */
  url: string;
  /** In the order in which it came: an alert that goes on firing may come again. */
  readonly sent: Sent[];
}

/** As Alertmanager posts it. */
interface Notification {
  alerts: { status: string; labels: Record<string, string> }[];
}

export async function openPager(): Promise<Pager> {
  const sent: Sent[] = [];
  const receiver = await startReceiver();
  receiver.respond = ({ body, at }, response) => {
    response.writeHead(200).end();
    const { alerts } = JSON.parse(body.toString('utf8')) as Notification;
    for (const { status, labels } of alerts)
      if (status === 'firing')
        sent.push({ alert: labels.alertname ?? '', severity: labels.severity ?? '', labels, at });
  };
  return { url: receiver.url, sent, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}
