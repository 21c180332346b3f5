// reminder-mail.mts
import type { WebhookEvent } from '@recording-request/client';

/**
 * Returns the mail for an event, for your mailer; undefined if the event is not a reminder, or its person has no
 * address.
 */
export function mailOf({ id, type, data }: WebhookEvent) {
  if (type !== 'link.reminder_due' || !data.link.recipient?.email) return undefined;
  const { recipient, recipientUrl, dueAt } = data.link;
  return {
    messageId: `<${id}@bakery.example>`, // A repeated event is the same mail.
    to: recipient.email,
    subject: data.number === 1 ? 'Your video is still missing' : 'A reminder: your video',
    text: `Record it here: ${recipientUrl}${dueAt ? ` (until ${dueAt})` : ''}\n\nNo more reminders: ${data.stopUrl}`,
    headers: { 'List-Unsubscribe': `<${data.stopUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  };
}
