const words = { en: 'Hello', de: 'Hallo', fr: 'Bonjour' };

/** A greeting for `name`; a language we do not know gets English. */
export function greet(name, language = 'en') {
  return `${words[language] ?? words.en}, ${name}!`;
}
