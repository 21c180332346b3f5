// npm install @recording-request/client
// TOKEN=api_… node invite.mts PROJECT people.csv
import { readFile } from 'node:fs/promises';
import { RecordingRequest } from '@recording-request/client';

const client = new RecordingRequest({ baseUrl: 'https://record.example', token: process.env.TOKEN });
const [projectId = '', file = ''] = process.argv.slice(2);
const people = await readFile(file, 'utf8');

// Names every wrong cell, and creates nothing.
const { invalid } = await client.links.check(projectId, people);
for (const { line, field, reason } of invalid) console.error(`${file}:${line}: ${field}: ${reason}`);
if (invalid.length > 0) process.exit(1);

// Run the program again with a longer table: people who have a link are left out.
const { created, skipped } = await client.links.add(projectId, people, { onDuplicate: 'skip' });
console.log(`${created} invited, ${skipped.length} had a link.`);
for await (const { recipient, recipientUrl } of client.links.list(projectId, { state: 'invited' }))
  console.log([recipient?.name, recipient?.email, recipientUrl].join('\t'));
