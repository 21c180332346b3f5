// `npm test` passes every test file the addresses of shared servers. These files test how servers are started, so they must
// not find any.
for (const name of ['MONGO_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT', 'SPEECH_BASE_URL']) delete process.env[name];
// Quick; the test of Whisper asks for it.
process.env.SPEECH_ENGINE ||= 'pocketsphinx';
