/** Whether this process is in production, by `NODE_ENV`. */
export const isProduction = (): boolean => process.env['NODE_ENV'] === 'production';
