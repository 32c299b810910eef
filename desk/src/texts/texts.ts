/** Language of the desk: one catalogue of texts is loaded per language. */
import { createContext, useContext } from 'react';
import type { DeskTexts } from '../../../src/features/desk/desk-extension.ts';
import { hostLanguages } from '../extension.ts';
import { type HostText, settings } from '../settings.ts';
import { en, type Texts } from './en.ts';

export type { Texts };

const CATALOGUES: Readonly<Record<string, () => Promise<Texts>>> = {
  en: () => Promise.resolve(en),
  de: async () => (await import('./de.ts')).de,
};

interface Language {
  readonly code: string;
  readonly name: string;
}

/** Languages that editors can choose: those of the desk, and those of the host once its module is loaded. */
export const languages = (): readonly Language[] => [
  ...[
    { code: 'en', name: 'English' },
    { code: 'de', name: 'Deutsch' },
  ].filter(({ code }) => settings.languages.includes(code)),
  ...hostLanguages()
    .filter(([code]) => !Object.hasOwn(CATALOGUES, code))
    .map(([code, { name }]) => ({ code, name })),
];

const KEY = 'content-desk language';
const RIGHT_TO_LEFT = ['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi'];

/** Choice of the editor, else the first one of the browser that the desk has, else the default. */
export function chosenLanguage(): string {
  const known = languages().map(({ code }) => code);
  const wanted = [
    localStorage.getItem(KEY) ?? '',
    ...navigator.languages.map((one) => one.split('-')[0] ?? ''),
  ];
  return wanted.find((code) => known.includes(code)) ?? settings.languages[0] ?? 'en';
}

export const chooseLanguage = (code: string): void => localStorage.setItem(KEY, code);

/** Returns a text of the host in a language, or else in the first one that it has. */
export const hostText = (text: HostText, language: string): string =>
  typeof text === 'string' ? text : (text[language] ?? Object.values(text)[0] ?? '');

/** Returns texts with those of the host in place of the ones with the same name and kind. */
function withTexts<T extends object>(own: T, host: DeskTexts): T {
  const entries = Object.entries(own).map(([name, text]: [string, unknown]) => {
    const given = Object.hasOwn(host, name) ? host[name] : undefined;
    if (typeof given !== typeof text) return [name, text];
    const isGroup = typeof text === 'object' && text !== null && typeof given === 'object';
    return [name, isGroup ? withTexts(text, given) : given];
  });
  return Object.fromEntries(entries) as T;
}

/** Loads the texts of a language, with those of the host in place of the desk's own ones. */
export async function loadTexts(code: string): Promise<Texts> {
  const own = await (CATALOGUES[code] ?? CATALOGUES['en'])!();
  const host = Object.hasOwn(CATALOGUES, code) ? undefined : Object.fromEntries(hostLanguages())[code];
  const texts = host === undefined ? own : withTexts(own, host.texts);
  const { title, welcome } = settings.look;
  return {
    ...texts,
    desk: title === null ? texts.desk : hostText(title, code),
    signInHere: welcome === null ? texts.signInHere : hostText(welcome, code),
  };
}

/** Direction of a text in a language, which an input of a localized attribute has. */
export const directionOf = (locale: string): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.includes(locale.split('-')[0] ?? '') ? 'rtl' : 'ltr';

/** Direction of a search: that of its letters. An empty one has the direction of the desk. */
export const directionOfSearch = (search: string): 'auto' | undefined => (search === '' ? undefined : 'auto');

const TextsContext = createContext<{ readonly texts: Texts; readonly language: string }>({
  texts: en,
  language: 'en',
});

export const TextsProvider = TextsContext.Provider;
export const useTexts = (): Texts => useContext(TextsContext).texts;
/** Code of the language of the desk. */
export const useLanguage = (): string => useContext(TextsContext).language;

const nameOfLocale = (language: string, locale: string): string => {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(locale) ?? locale;
  } catch {
    return locale;
  }
};

const DATE_TIME = { dateStyle: 'medium', timeStyle: 'short' } as const;

/** Loads what formats of times need before a screen shows them: the first one takes the browser 20 ms. */
export const prepareFormats = (language: string): void => void new Intl.DateTimeFormat(language, DATE_TIME);

/** Name of a content locale, and formats of times, in the language of the desk. */
export function useFormats(): {
  readonly localeName: (locale: string) => string;
  readonly time: (at: Date) => string;
  readonly seconds: (at: Date) => string;
  readonly date: (at: Date) => string;
  readonly day: (at: Date) => string;
  readonly dateTime: (at: Date) => string;
  /** With seconds. */
  readonly exactTime: (at: Date) => string;
  readonly number: (value: number) => string;
} {
  const language = useLanguage();
  return {
    localeName: (locale) => nameOfLocale(language, locale),
    number: (value) => new Intl.NumberFormat(language).format(value),
    date: (at) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(at),
    day: (at) => new Intl.DateTimeFormat(language, { dateStyle: 'full' }).format(at),
    seconds: (at) => new Intl.DateTimeFormat(language, { timeStyle: 'medium' }).format(at),
    time: (at) => new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(at),
    dateTime: (at) => new Intl.DateTimeFormat(language, DATE_TIME).format(at),
    exactTime: (at) => new Intl.DateTimeFormat(language, { ...DATE_TIME, timeStyle: 'medium' }).format(at),
  };
}
