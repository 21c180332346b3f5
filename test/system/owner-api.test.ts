/**
 * The owner's contract from outside: the six services as processes on real servers, spoken to by HTTP only. One file, as
 * the services take longer to start than a suite takes to run.
 */
import { after } from 'node:test';
import { setScene } from './stage/scene.ts';
import { prepareSchemathesis } from './stage/schemathesis.ts';
import { startSystem } from './stage/system.ts';
import { authorization, prepareAuthorization } from './suites/authorization.ts';
import { concurrency } from './suites/concurrency.ts';
import { descriptions } from './suites/descriptions.ts';
import { exports } from './suites/exports.ts';
import { media } from './suites/media.ts';
import { requests } from './suites/requests.ts';
import { resources } from './suites/resources.ts';

await using starting = new AsyncDisposableStack();
const system = await startSystem();
starting.defer(() => system.stop());
const scene = await setScene(system);
starting.defer(() => scene.close());
// Everything that takes time comes before the first test: a file whose tests have all ended is over.
const matrix = await prepareAuthorization(scene);
const runSchemathesis = await prepareSchemathesis(scene, line => process.stderr.write(`${line}\n`));
const started = starting.move();
after(() => started.disposeAsync());

resources(scene);
authorization(matrix);
requests(scene);
media(scene);
exports(scene);
concurrency(scene);
descriptions(scene, runSchemathesis);
