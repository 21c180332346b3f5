import { connectKafka, type Kafka } from '@recording-request/events/kafka';
import { createFairSlots, type FairSlots } from '@recording-request/kit/fair-slots';
import type { Logger } from '@recording-request/kit/log';
import { openAll } from '@recording-request/kit/open-all';
import { createSecretBox, type SecretBox } from '@recording-request/kit/secret-box';
import { type Clock, followDatabase } from '@recording-request/kit-mongo/clock';
import { type Connection, connectMongo } from '@recording-request/kit-mongo/mongo';
import { type Internal, openInternal } from '@recording-request/kit-rpc/internal/internal';
import { type EventLinks, projectEventLinks } from './adapters/event-links.ts';
import { createSender, type Sender } from './adapters/http-sender.ts';
import { projectTargets, type Targets } from './adapters/targets.ts';
import { submissionTranscripts, type Transcripts } from './adapters/transcripts.ts';
import type { Config } from './config.ts';
import { createDispatcher, type Dispatcher } from './delivery/dispatch.ts';
import { type FeedWaits, startFeedWaits } from './delivery/feed-waits.ts';
import { openSending, type SendingState } from './delivery/sending-state.ts';
import { openStore, type Store } from './store/store.ts';

/** The dependencies of handlers, consumers and workflows. Disposing closes the connections. */
export interface Context extends AsyncDisposable {
  config: Config;
  log: Logger;
  /** Seals the personal data and texts that the database stores: `domain/sealing.ts`. */
  secrets: SecretBox;
  internal: Internal;
  /** The database's clock, so that all processes agree on when a delivery is due. */
  clock: Clock;
  connection: Connection;
  store: Store;
  kafka: Kafka;
  targets: Targets;
  transcripts: Transcripts;
  eventLinks: EventLinks;
  sender: Sender;
  sending: SendingState;
  dispatcher: Dispatcher;
  /** Limits lists by project, because a page of deliveries holds about 1 MB while it is built. */
  lists: FairSlots;
  /** Limits pages of feeds by owner, because such a page may hold several MB while it is built. */
  feedPages: FairSlots;
  /** The calls that wait for an event of a feed. */
  feedWaits: FeedWaits;
}

// The maximum number of concurrent lists. It leaves some of the 50 MongoDB connections for deliveries.
const LISTS_AT_ONCE = 16;
const LISTS_QUEUED = 256;
const FEED_PAGES_AT_ONCE = 8;
// Large, because all waiting calls may get an event in the same second.
const FEED_PAGES_QUEUED = 2_000;

/** Connects to MongoDB, Kafka and the projects and submissions services. Does not start the dispatcher. */
export async function openContext(config: Config, log: Logger): Promise<Context> {
  await using opening = new AsyncDisposableStack();
  const secrets = createSecretBox(config.secretsKey);
  const internal = opening.use(await openInternal(config, 'webhooks', log));
  const [{ connection, clock, store }, kafka] = await openAll(opening, [
    openDatabase(config, log),
    connectKafka(config, { clientId: 'webhooks', log }),
  ]);
  const projects = projectTargets(config.projectsGrpc, internal.peer('projects'));
  const targets = opening.adopt(projects, targets => targets.close());
  const submissions = submissionTranscripts(config.submissionsGrpc, internal.peer('submissions'));
  const transcripts = opening.adopt(submissions, each => each.close());
  const links = projectEventLinks(config.projectsGrpc, internal.peer('projects'));
  const eventLinks = opening.adopt(links, each => each.close());
  const sender = createSender({
    allowHttp: config.allowHttpUrls,
    allowPrivate: config.allowPrivateTargets,
    timeoutMs: config.attemptTimeoutMs,
    answerBytes: config.answerBytes,
    dnsServers: config.dnsServers,
  });
  opening.defer(() => sender.close());
  const sending = await openSending(store.sending, log);
  const dispatcher = createDispatcher({ config, log, secrets, clock, store, targets, sender, sending });
  const feedWaits = opening.adopt(startFeedWaits(store.feed, log), waits => waits.stop());
  const opened = opening.move();
  const dispose = () => opened.disposeAsync();
  const servers = { internal, clock, connection, store, kafka, targets, transcripts, eventLinks, sender };
  const lists = createFairSlots(LISTS_AT_ONCE, { queued: LISTS_QUEUED });
  const feedPages = createFairSlots(FEED_PAGES_AT_ONCE, { queued: FEED_PAGES_QUEUED });
  return {
    config,
    log,
    secrets,
    ...servers,
    sending,
    dispatcher,
    lists,
    feedPages,
    feedWaits,
    [Symbol.asyncDispose]: dispose,
  };
}

async function openDatabase(config: Config, log: Logger) {
  await using opening = new AsyncDisposableStack();
  const connection = opening.adopt(await connectMongo(config, 'webhooks'), each => each.close());
  const clock = opening.adopt(await followDatabase(connection, log), each => each.stop());
  const store = await openStore(connection);
  const opened = opening.move();
  return { connection, clock, store, close: () => opened.disposeAsync() };
}
