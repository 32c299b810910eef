/** Fields, screens and languages of the host, from the ES module that it serves. */
import type { DeskExtension } from '../../src/features/desk/desk-extension.ts';
import { settings } from './settings.ts';

const SCREEN = /^[a-z\d-]+$/;

let loaded: DeskExtension = {};

/** Loads the module of the host. Without it, the desk works with its own fields. */
export async function loadExtension(): Promise<void> {
  if (settings.extension === null) return;
  try {
    const module = (await import(/* @vite-ignore */ settings.extension)) as { default?: DeskExtension };
    loaded = module.default ?? {};
  } catch (error) {
    // The console of the browser shows the reason.
    reportError(error);
  }
}

/** Returns a field of the host; null if there is none of that name. */
export const hostField = (name: unknown) =>
  typeof name === 'string' && Object.hasOwn(loaded.fields ?? {}, name)
    ? (loaded.fields?.[name] ?? null)
    : null;

/** Screens of the host with an address. */
export const hostScreens = () => (loaded.screens ?? []).filter(({ name }) => SCREEN.test(name));

const LANGUAGE = /^[a-z]{2}$/;

/** Languages of the host by their codes. */
export const hostLanguages = () =>
  Object.entries(loaded.languages ?? {}).filter(([code]) => LANGUAGE.test(code));
