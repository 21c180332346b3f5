import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/schema';
import { RESOURCES } from './resources/all.ts';
import { WEBHOOK_EVENT_SCHEMAS } from './resources/webhook-event.ts';
import { sampleSubject } from './sample-event.ts';
import { webhookBody } from './webhook.ts';
import { WEBHOOK_EVENTS } from './webhook-events.ts';

const context = Object.fromEntries(RESOURCES.map(schema => [`${(schema as { $id?: string }).$id}#`, schema]));

test('each event has a schema, and its sample fits only that one', () => {
  const project = { projectId: crypto.randomUUID(), projectName: 'P', sandbox: false };
  const at = new Date();
  for (const type of WEBHOOK_EVENTS) {
    const sample = { ...project, baseUrl: 'https://rec.example', at, id: () => crypto.randomUUID() };
    const body = webhookBody({ ...project, id: crypto.randomUUID(), createdAt: at }, sampleSubject(type, sample));
    const fitting = Object.entries(WEBHOOK_EVENT_SCHEMAS)
      .filter(([, schema]) => Check(context as never, schema as never, body))
      .map(([name]) => name);
    assert.deepEqual(fitting, [type], JSON.stringify(body));
  }
});
