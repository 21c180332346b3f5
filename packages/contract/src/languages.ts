/** Every language of Whisper: its ISO 639-1 code (ISO 639-3 for a language without one), and OpenAI's name. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ af: 'afrikaans', am: 'amharic', ar: 'arabic', as: 'assamese', az: 'azerbaijani', ba: 'bashkir' },
  ...{ be: 'belarusian', bg: 'bulgarian', bn: 'bengali', bo: 'tibetan', br: 'breton', bs: 'bosnian', ca: 'catalan' },
  ...{ cs: 'czech', cy: 'welsh', da: 'danish', de: 'german', el: 'greek', en: 'english', es: 'spanish' },
  ...{ et: 'estonian', eu: 'basque', fa: 'persian', fi: 'finnish', fo: 'faroese', fr: 'french', gl: 'galician' },
  ...{ gu: 'gujarati', ha: 'hausa', haw: 'hawaiian', he: 'hebrew', hi: 'hindi', hr: 'croatian' },
  ...{ ht: 'haitian creole', hu: 'hungarian', hy: 'armenian', id: 'indonesian', is: 'icelandic', it: 'italian' },
  ...{ ja: 'japanese', jv: 'javanese', ka: 'georgian', kk: 'kazakh', km: 'khmer', kn: 'kannada', ko: 'korean' },
  ...{ la: 'latin', lb: 'luxembourgish', ln: 'lingala', lo: 'lao', lt: 'lithuanian', lv: 'latvian', mg: 'malagasy' },
  ...{ mi: 'maori', mk: 'macedonian', ml: 'malayalam', mn: 'mongolian', mr: 'marathi', ms: 'malay', mt: 'maltese' },
  ...{ my: 'myanmar', ne: 'nepali', nl: 'dutch', nn: 'nynorsk', no: 'norwegian', oc: 'occitan', pa: 'punjabi' },
  ...{ pl: 'polish', ps: 'pashto', pt: 'portuguese', ro: 'romanian', ru: 'russian', sa: 'sanskrit', sd: 'sindhi' },
  ...{ si: 'sinhala', sk: 'slovak', sl: 'slovenian', sn: 'shona', so: 'somali', sq: 'albanian', sr: 'serbian' },
  ...{ su: 'sundanese', sv: 'swedish', sw: 'swahili', ta: 'tamil', te: 'telugu', tg: 'tajik', th: 'thai' },
  ...{ tk: 'turkmen', tl: 'tagalog', tr: 'turkish', tt: 'tatar', uk: 'ukrainian', ur: 'urdu', uz: 'uzbek' },
  ...{ vi: 'vietnamese', yi: 'yiddish', yo: 'yoruba', yue: 'cantonese', zh: 'chinese' },
};

// The codes of these languages are Whisper's own or have three letters, so not every endpoint accepts them.
const HEARD_ONLY: ReadonlySet<string> = new Set(['haw', 'jv', 'yue']);

/** The ISO 639-1 codes that a project can name. */
export const TRANSCRIPTION_LANGUAGES: readonly string[] = Object.keys(LANGUAGES).filter(code => !HEARD_ONLY.has(code));

/** The end of the error sentence about an unknown code. */
export const TRANSCRIPTION_LANGUAGE_RULE =
  'must be the two-letter ISO 639-1 code, in lower case, of a language that Whisper knows, such as en, de or es, or "" for none';

// Whisper's other names and codes for these languages.
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ jw: 'jv', iw: 'he', burmese: 'my', castilian: 'es', flemish: 'nl', haitian: 'ht', letzeburgesch: 'lb' },
  ...{ moldavian: 'ro', moldovan: 'ro', panjabi: 'pa', pushto: 'ps', sinhalese: 'si', valencian: 'ca', mandarin: 'zh' },
};
const CODES = new Map<string, string>([
  ...Object.entries(LANGUAGES).flatMap(([code, name]) => [[code, code] as const, [name, code] as const]),
  ...Object.entries(OTHER_NAMES),
]);

/**
 * Returns the language code for a provider's name or code, such as "english", "en" or "en-US"; undefined if Whisper
 * lacks the language.
 */
export function languageCode(named: string): string | undefined {
  const name = named.trim().toLowerCase();
  return CODES.get(name) ?? CODES.get(name.split(/[-_]/, 1)[0]!);
}
