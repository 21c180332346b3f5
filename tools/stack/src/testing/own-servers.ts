// `npm test` tells every test file of the servers that it shares; these files are about starting servers, so that they
// must not find any.
for (const name of ['MONGO_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT', 'SPEECH_BASE_URL']) delete process.env[name];
