// npm install @recording-request/client
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { RecordingRequest } from '@recording-request/client';
import { saveTo } from '@recording-request/client/files';

const client = new RecordingRequest({ baseUrl: 'https://record.example', token: process.env.TOKEN });
