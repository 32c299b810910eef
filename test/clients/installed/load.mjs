/** Packages of this folder, by name, for the checks. */
import { createRequire } from 'node:module';

export const load = (name) => import(name);
export const require = createRequire(import.meta.url);
