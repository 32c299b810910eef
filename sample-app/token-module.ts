/** Module for the command line: `npx node dist/cli.js token … --module dist-sample/token-module.js`. */
import { createAtlasModule } from './atlas.js';
import { readSettings } from './settings.js';

export const AppModule = await createAtlasModule(readSettings(process.env));
