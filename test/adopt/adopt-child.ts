/** Process that moves an archive in until it is killed: `node adopt-child.ts <file> <key> <database> <folder>`. */
import { adoptedModel, commandFor } from './app.ts';

const [, , file = '', key = '', url = '', folder = ''] = process.argv;
const adopt = await commandFor(await adoptedModel(file, key), { url, folder });
process.send?.('started');
await adopt(file, '--key', key);
process.send?.('done');
process.disconnect();
