/** Forms of the cases, and their files: pictures of one colour, and texts. */
import sharp from 'sharp';

export interface Content {
  /** A picture; its colour is called `background` in forms and `color` in the seed. */
  readonly image?: {
    readonly width: number;
    readonly height: number;
    readonly background?: readonly [number, number, number];
    readonly color?: readonly [number, number, number];
  };
  readonly text?: string;
}

export interface FormPart extends Content {
  readonly name: string;
  readonly value?: string;
  readonly filename?: string;
  readonly type?: string;
}

export interface Payload {
  readonly type: string;
  readonly bytes: Buffer;
}

const ENCODERS: Readonly<Record<string, 'png' | 'jpeg'>> = { 'image/png': 'png', 'image/jpeg': 'jpeg' };

async function bytesOf({ image, text = '' }: Content, type: string): Promise<Buffer> {
  if (image === undefined) return Buffer.from(text);
  const { width, height, background, color } = image;
  const [r = 0, g = 0, b = 0] = background ?? color ?? [];
  const create = { width, height, channels: 3, background: { r, g, b } } as const;
  return sharp({ create })
    .toFormat(ENCODERS[type] ?? 'png')
    .toBuffer();
}

export async function formPayload(parts: readonly FormPart[]): Promise<Payload> {
  const form = new FormData();
  for (const { name, value, filename, type = '', ...content } of parts) {
    if (value === undefined) {
      const bytes = new Uint8Array(await bytesOf(content, type));
      form.append(name, new Blob([bytes], { type }), filename ?? '');
    } else {
      form.append(name, value);
    }
  }
  const message = new Response(form);
  return {
    type: message.headers.get('content-type') ?? '',
    bytes: Buffer.from(await message.arrayBuffer()),
  };
}
