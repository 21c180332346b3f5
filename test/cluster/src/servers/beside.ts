import type { Manifest } from '@recording-request/k8s/manifests';
import type { Brokers } from '@recording-request/stack/servers/kafka-brokers';
import type { MongoSet } from '@recording-request/stack/servers/mongo-set';
import type { LoginManager, Logins } from './logins.ts';

/** The kind of servers: one of each without logins, or several with logins, as in production. */
export type ServersKind = 'one' | 'several';

/** The servers beside the cluster. */
export interface Beside extends AsyncDisposable {
  /** The variables that the checker and its clients use to reach the servers: MONGO_URL, KAFKA_BROKERS and so on. */
  env: Record<string, string>;
  /**
   * The variables that the product uses to reach these servers: its settings, and the keys of the Secret that its
   * services share.
   */
  productEnv: Record<string, string>;
  /** Additional Secrets of the product. */
  secrets: Manifest[];
  /** Makes each workload among these objects read the keys of a separate Secret. */
  withOwnSecrets(objects: Manifest[]): Manifest[];
  several: Several | undefined;
}

/** Three members of MongoDB and three brokers, and the logins for these and for the object store. */
export interface Several {
  mongo: MongoSet;
  kafka: Brokers;
  desk: LoginManager;
  /** The logins that the installed product uses. */
  logins: Logins;
}
