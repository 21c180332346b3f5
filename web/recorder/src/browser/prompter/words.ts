// The texts of the prompter. They come with its chunk, so that the first view does not have them.

const KEYS = [
  'title',
  'run',
  'hold',
  'slower',
  'faster',
  'smaller',
  'larger',
  'script',
  'notes',
  'edit',
  'done',
  'close',
  'empty',
  'failed',
] as const;
export type Words = Record<(typeof KEYS)[number], string>;

const row = (...texts: string[]): Words => Object.fromEntries(KEYS.map((key, at) => [key, texts[at] ?? ''])) as Words;

export const WORDS: Record<string, Words> = {
  en: row(
    ...['Text to read', 'Scroll', 'Stop scrolling', 'Slower', 'Faster', 'Smaller text', 'Larger text', 'Their text'],
    ...['My notes', 'Edit', 'Done', 'Close the text', 'Write what you want to remember. It stays on this device.'],
    'The text could not be loaded.',
  ),
  de: row(
    ...['Text zum Ablesen', 'Laufen lassen', 'Anhalten', 'Langsamer', 'Schneller', 'Kleinere Schrift'],
    ...['Größere Schrift', 'Vorgegebener Text', 'Meine Notizen', 'Bearbeiten', 'Fertig', 'Text schließen'],
    ...['Schreiben Sie auf, woran Sie denken möchten. Es bleibt auf diesem Gerät.', 'Der Text ließ sich nicht laden.'],
  ),
  fr: row(
    ...['Texte à lire', 'Faire défiler', 'Arrêter le défilement', 'Plus lentement', 'Plus vite', 'Texte plus petit'],
    ...['Texte plus grand', 'Texte fourni', 'Mes notes', 'Modifier', 'Terminé', 'Fermer le texte'],
    ...['Notez ce que vous voulez retenir. Cela reste sur cet appareil.', 'Le texte n’a pas pu être chargé.'],
  ),
  es: row(
    ...['Texto para leer', 'Desplazar', 'Detener', 'Más despacio', 'Más rápido', 'Texto más pequeño'],
    ...['Texto más grande', 'Texto recibido', 'Mis notas', 'Editar', 'Listo', 'Cerrar el texto'],
    ...['Escribe lo que quieras recordar. Se queda en este dispositivo.', 'No se pudo cargar el texto.'],
  ),
  it: row(
    ...['Testo da leggere', 'Scorri', 'Ferma', 'Più lento', 'Più veloce', 'Testo più piccolo', 'Testo più grande'],
    ...['Testo ricevuto', 'Le mie note', 'Modifica', 'Fatto', 'Chiudi il testo'],
    ...['Scrivi ciò che vuoi ricordare. Resta su questo dispositivo.', 'Non è stato possibile caricare il testo.'],
  ),
  nl: row(
    ...['Tekst om te lezen', 'Laten lopen', 'Stoppen', 'Langzamer', 'Sneller', 'Kleinere tekst', 'Grotere tekst'],
    ...['Hun tekst', 'Mijn notities', 'Bewerken', 'Klaar', 'Tekst sluiten'],
    ...['Schrijf op wat je wilt onthouden. Het blijft op dit apparaat.', 'De tekst kon niet worden geladen.'],
  ),
  pl: row(
    ...['Tekst do czytania', 'Przewijaj', 'Zatrzymaj', 'Wolniej', 'Szybciej', 'Mniejszy tekst', 'Większy tekst'],
    ...['Otrzymany tekst', 'Moje notatki', 'Edytuj', 'Gotowe', 'Zamknij tekst'],
    ...['Zapisz, o czym chcesz pamiętać. Zostanie to na tym urządzeniu.', 'Nie udało się wczytać tekstu.'],
  ),
  pt: row(
    ...['Texto para ler', 'Rolar', 'Parar', 'Mais devagar', 'Mais rápido', 'Texto menor', 'Texto maior'],
    ...['Texto recebido', 'Minhas notas', 'Editar', 'Pronto', 'Fechar o texto'],
    ...['Escreva o que você quer lembrar. Fica neste aparelho.', 'Não foi possível carregar o texto.'],
  ),
  tr: row(
    ...['Okunacak metin', 'Kaydır', 'Durdur', 'Daha yavaş', 'Daha hızlı', 'Daha küçük yazı', 'Daha büyük yazı'],
    ...['Gönderilen metin', 'Notlarım', 'Düzenle', 'Bitti', 'Metni kapat'],
    ...['Hatırlamak istediklerinizi yazın. Bu cihazda kalır.', 'Metin yüklenemedi.'],
  ),
  ja: row(
    ...['読むテキスト', 'スクロールする', '止める', '遅くする', '速くする', '文字を小さく', '文字を大きく'],
    ...['用意されたテキスト', '自分のメモ', '編集', '完了', 'テキストを閉じる'],
    ...['覚えておきたいことを書いてください。この端末にだけ保存されます。', 'テキストを読み込めませんでした。'],
  ),
  ar: row(
    ...['نص للقراءة', 'تمرير النص', 'إيقاف التمرير', 'أبطأ', 'أسرع', 'خط أصغر', 'خط أكبر'],
    ...['النص المرسل', 'ملاحظاتي', 'تعديل', 'تم', 'إغلاق النص'],
    ...['اكتب ما تريد تذكّره. يبقى على هذا الجهاز.', 'تعذّر تحميل النص.'],
  ),
};

export const wordsOf = (lang: string): Words => WORDS[lang] ?? WORDS.en!;
