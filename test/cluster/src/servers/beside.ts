import type { Manifest } from '@recording-request/k8s/manifests';
import type { Brokers } from '@recording-request/stack/servers/kafka-brokers';
import type { MongoSet } from '@recording-request/stack/servers/mongo-set';
import type { LoginDesk, Logins } from './logins.ts';

/** Which servers an installation has: one of each, without logins, or several, as others run them. */
export type ServersKind = 'one' | 'several';

/** What runs beside the cluster. */
export interface Beside extends AsyncDisposable {
  /** MONGO_URL, KAFKA_BROKERS and so on, as the checker and its clients reach the servers. */
  env: Record<string, string>;
  /** The same as the product does: its settings, and the keys of the Secret that its services have in common. */
  productEnv: Record<string, string>;
  /** Secrets that the product has besides. */
  secrets: Manifest[];
  /** Has each workload among these objects take from its own Secret what is in there. */
  withOwnSecrets(objects: Manifest[]): Manifest[];
  several: Several | undefined;
}

/** Three members of MongoDB, three brokers, and those who may log in at them and at the object store. */
export interface Several {
  mongo: MongoSet;
  kafka: Brokers;
  desk: LoginDesk;
  /** With which the product was installed. */
  logins: Logins;
}
