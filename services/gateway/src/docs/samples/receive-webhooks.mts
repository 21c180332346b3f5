// WEBHOOK_SECRET=whsec_… node receive-webhooks.mts
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { eventOf } from './verify-webhook.mts';

const { PORT = '8000', WEBHOOK_SECRET: secret = '' } = process.env;
if (!secret) {
  console.error('Set WEBHOOK_SECRET to the webhookSecret of the project.');
  process.exit(1);
}
const kept = new Map<string, unknown>(); // Use a table with the id as its key: an event can come twice.

createServer(async (request, response) => {
  try {
    if (!(Number(request.headers['content-length']) < 20_000_000)) return void response.writeHead(413).end();
    const event = eventOf(await buffer(request), request.headers, secret); // The bytes before parsing.
    if (event) kept.set(event.id, event);
    console.log(event ? `kept ${event.id} ${event.type}` : 'refused: the signature is wrong or too old');
    response.writeHead(event ? 204 : 401).end(); // Answer at once; process the stored event later.
  } catch (error) {
    console.error(error);
    response.writeHead(500).end(); // The event will be sent again.
  }
}).listen(Number(PORT));
