import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { test } from 'node:test';
import { isOutage } from '@recording-request/kit/outage';
import { unreachableServer } from './unreachable.ts';

/** Returns the error of a lookup whose DNS server does not exist. */
async function failedLookup(look: (resolver: Resolver) => Promise<unknown>): Promise<Error> {
  const resolver = new Resolver({ timeout: 200, tries: 1 });
  resolver.setServers(['127.0.0.1:9']);
  return await look(resolver).then(
    () => assert.fail('the name was found'),
    error => error,
  );
}

test('a failed lookup of a mongodb+srv address names MongoDB, and the start is retried', async () => {
  for (const look of [
    (resolver: Resolver) => resolver.resolveSrv('_mongodb._tcp.cluster.invalid'),
    (resolver: Resolver) => resolver.resolveTxt('cluster.invalid'),
  ]) {
    const error = await failedLookup(look);
    assert.equal(unreachableServer(error), 'MongoDB', error.message);
    assert.ok(isOutage(error), error.message);
  }
  for (const code of ['ENOTFOUND', 'ESERVFAIL', 'ETIMEOUT', 'EREFUSED', 'ENODATA'])
    assert.ok(
      isOutage(Object.assign(new Error(`querySrv ${code} _mongodb._tcp.a`), { code, syscall: 'querySrv' })),
      code,
    );
});

test('the errors of drivers name their servers', () => {
  const named = (name: string) => unreachableServer(Object.assign(new Error('away'), { name }));
  assert.equal(named('MongoServerSelectionError'), 'MongoDB');
  assert.equal(named('KafkaJSConnectionError'), 'Kafka');
  assert.equal(
    unreachableServer(Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' })),
    'The object store',
  );
});
