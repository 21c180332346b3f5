// `npm test` passes the addresses of shared servers to every test file. These files test how servers start, so they must not
// find any.
for (const name of ['MONGO_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT', 'SPEECH_BASE_URL']) delete process.env[name];
// PocketSphinx is faster; the test of Whisper requests Whisper.
process.env.SPEECH_ENGINE ||= 'pocketsphinx';
