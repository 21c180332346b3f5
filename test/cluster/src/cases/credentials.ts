import type { ClusterCase } from '../cluster-case.ts';
import { restartAll } from '../product/product.ts';
import { whileContributing, withoutFailures } from '../requests.ts';
import { tryServers } from '../servers/captured.ts';
import { ownSecret } from '../servers/logins.ts';

export const credentials: ClusterCase = {
  name: 'credentials',
  promise:
    'each service has its own users, with which a shell in its pod creates no token and deletes no clip; replacing the users of MongoDB, Kafka and the object store under load fails no request, and the servers refuse the old users',
  servers: 'several',
  async run(harness, plan) {
    const { product, noted, violated } = harness;
    const { desk, logins: old } = harness.several!;
    await tryServers(harness);
    const replace = async () => {
      const began = Date.now();
      const fresh = await desk.add();
      for (const [name, stringData] of Object.entries(fresh))
        await product.in(['patch', 'secret', ownSecret(name), '--patch', JSON.stringify({ stringData })]);
      await restartAll(product);
      await desk.remove(old);
      harness.several!.logins = fresh;
      const before = await desk.tried(old);
      const seconds = Math.round((Date.now() - began) / 1000);
      noted(`replaced in ${seconds} s; the old users are refused: ${before.refused.join(', ')}`);
      for (const who of before.taken) violated(`a server still accepts an old user: ${who}`);
      const { refused } = await desk.tried(fresh);
      for (const who of refused) violated(`a server refuses a new user: ${who}`);
      await harness.load(plan.clips, plan.random.fork('after'));
    };
    await withoutFailures(harness, () => whileContributing(harness, plan, replace));
  },
};
