// `npm test` passes the addresses of shared servers to every test file. Removes these addresses, because the importing
// test files test how servers start.
for (const name of ['MONGO_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT', 'SPEECH_BASE_URL']) delete process.env[name];
// PocketSphinx is faster than Whisper. The test of Whisper requests Whisper explicitly.
process.env.SPEECH_ENGINE ||= 'pocketsphinx';
