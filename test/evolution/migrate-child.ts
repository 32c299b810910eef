/** Process that migrates a database to a model of `large-models.ts`: `node migrate-child.ts <url> <step>`. */
import { MikroORM } from '@mikro-orm/postgresql';
import { contentEntities, migrateContent } from 'nestjs-content-api';
import { isStep, MODELS } from './large-models.ts';

const [, , clientUrl = '', step = ''] = process.argv;
if (!isStep(step)) throw new Error(`There is no step "${step}"`);
const model = MODELS[step];
const orm = await MikroORM.init({ clientUrl, entities: contentEntities(model) });
await migrateContent({ orm, model, report: ({ done, last }) => process.send?.(done / last) });
process.send?.('done');
await orm.close();
