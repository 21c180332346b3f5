// servers.test.ts runs this file as a process. The process starts servers, prints their pids, and waits until the test
// kills it.
import './own-servers.ts';
import { startServers } from '../servers.ts';

const servers = await startServers({ dataDir: process.argv[2]!, log: () => {} });
console.log(`pids ${Object.values(servers.servers).map(server => server?.pid)}`);
process.stdin.resume();
