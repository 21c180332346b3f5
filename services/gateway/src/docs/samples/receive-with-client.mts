// npm install @recording-request/client
// WEBHOOK_SECRET=whsec_… node receive-with-client.mts
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { SignatureError, unwrap } from '@recording-request/client';

const { PORT = '8000', WEBHOOK_SECRET: secret = '' } = process.env;
if (!secret) {
  console.error('Set WEBHOOK_SECRET to the webhookSecret of the project.');
  process.exit(1);
}

createServer(async (request, response) => {
  try {
    if (!(Number(request.headers['content-length']) < 20_000_000)) return void response.writeHead(413).end();
    const event = await unwrap(await buffer(request), request.headers, secret); // The bytes before parsing.
    console.log(`received ${event.id} ${event.type}`);
    if (event.type === 'submission.completed') console.log(event.data.submission.submissionId); // Typed by event.type.
    response.writeHead(204).end();
  } catch (error) {
    const isRefused = error instanceof SignatureError;
    console.log(isRefused ? `refused: ${error.message}` : error);
    response.writeHead(isRefused ? 401 : 500).end();
  }
}).listen(Number(PORT));
