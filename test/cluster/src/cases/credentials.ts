import type { ClusterCase } from '../cluster-case.ts';
import { restartAll } from '../product/product.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

const SERVERS = 3;

export const credentials: ClusterCase = {
  name: 'credentials',
  promise:
    'the users of MongoDB, Kafka and the object store are replaced by others under load, and those of before are refused: no request fails',
  servers: 'several',
  async run(harness, plan) {
    const { product, noted, violated } = harness;
    const { desk, logins: old } = harness.several!;
    const replace = async () => {
      const began = Date.now();
      const fresh = await desk.add();
      await product.in(['patch', 'secret', 'recording-request', '--patch', JSON.stringify({ stringData: fresh })]);
      await restartAll(product);
      await desk.remove(old);
      harness.several!.logins = fresh;
      const refusing = await desk.refusing(old);
      const seconds = Math.round((Date.now() - began) / 1000);
      noted(`replaced in ${seconds} s; those of before are refused by ${refusing.join(', ')}`);
      if (refusing.length < SERVERS) violated('a server still takes a user that was removed');
      const wrong = await desk.refusing(fresh);
      if (wrong.length > 0) violated(`the new user is refused by ${wrong.join(', ')}`);
      await harness.load(plan.clips, plan.random.fork('after'));
    };
    await withoutFailures(harness, () => whileContributing(harness, plan, replace));
  },
};
