import { startReceiver } from '@recording-request/harness/webhook-receiver';
import type { Sent } from '../alert.ts';

/** The receiver of Alertmanager's notifications, after grouping and silencing. */
export interface Pager extends AsyncDisposable {
  /** The URL for Alertmanager's receivers. */
  url: string;
  /** The notifications in order of arrival; a firing alert may repeat. */
  readonly sent: Sent[];
}

/** The format of Alertmanager's webhook. */
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
