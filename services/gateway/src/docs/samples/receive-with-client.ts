// npm install @recording-request/client
// WEBHOOK_SECRET=whsec_… node receive-with-client.ts
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { SignatureError, unwrap } from '@recording-request/client';

const { PORT = '8000', WEBHOOK_SECRET: secret = '' } = process.env;

createServer(async (request, response) => {
  try {
    if (!(Number(request.headers['content-length']) < 20_000_000)) return void response.writeHead(413).end();
    const event = await unwrap(await buffer(request), request.headers, secret); // The bytes before parsing.
    if (event.type === 'submission.completed') console.log(event.data.submission.submissionId); // Typed by event.type.
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof SignatureError ? 401 : 500).end();
  }
}).listen(Number(PORT));
