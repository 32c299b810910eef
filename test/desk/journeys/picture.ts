import sharp from 'sharp';

export const picture = (colour: string, width = 640, height = 400): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer();
