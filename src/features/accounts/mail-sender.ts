import { providerMark } from '../../content/documents/decorated-providers.js';
import type { MailSender } from './users.options.js';

/**
 * Registers a provider as the sender of account mails, unless `UsersModule` has the option `mail`. The class
 * implements {@link MailSender} and may belong to any module. A second or request-scoped provider prevents
 * the start.
 *
 * @publicApi
 */
export const ContentMailSender = providerMark<MailSender>('ContentMailSender', 'send');
