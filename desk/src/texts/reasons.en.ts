/** English texts for messages of the server, in the words of editors. */
export const reasons = {
  credentials: 'The e-mail, the user name or the password is wrong.',
  code: 'This link was used already, or is too old. Ask for a new one.',
  password: 'The current password is wrong.',
  samePassword: 'The new password must be another one.',
  repetition: 'The two passwords are not the same.',
  often: 'There were too many attempts. Wait a minute, then try again.',
  forbidden: 'You do not have the right to do this.',
  unreachable: 'The server cannot be reached.',
  gone: 'It does not exist any more.',
  serverFailed: 'The server failed. Ask an administrator.',
  overtaken: 'Another editor has changed it in the meantime.',
  taken: 'Another document has this value already.',
  email: 'This is no e-mail address.',
  foreignBlock: 'The text has a block of another program. Delete it to save the text.',
  choice: 'This is none of the values to choose from.',
};
