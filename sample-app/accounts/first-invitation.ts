import type { INestApplication } from '@nestjs/common';
import { DeskInvitations } from 'nestjs-content-api/desk';
import { DESK_PATH } from '../requests.js';

const FIRST_EDITOR = 'editor@example.org';

/** Returns the link of an invitation to the desk, or null if there is an editor. */
export async function firstInvitation(app: INestApplication, address: string): Promise<string | null> {
  const invitations = app.get(DeskInvitations, { strict: false });
  if (await invitations.hasEditors()) return null;
  return invitations.invite({ email: FIRST_EDITOR, url: `${address}${DESK_PATH}` });
}
