/** Facts from the first bytes of a file, read without a library. */
import { open } from 'node:fs/promises';
import type { Size } from './geometry.js';

const LOOKED_AT = 64 * 1024;

/** Returns the first bytes of a file, 64 KiB at most. */
export async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const PNG_CHUNKS = 8;

/**
 * Whether a PNG is animated, which it declares before its first picture. Viewers without support show one
 * frame.
 */
export function isAnimatedPng(bytes: Buffer): boolean {
  for (let at = PNG_CHUNKS; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') return true;
    if (type === 'IDAT') return false;
  }
  return false;
}

const NUMBER = /^\s*\+?(\d+(?:\.\d+)?)(?:px)?\s*$/;

const attribute = (tag: string, name: string): string | undefined => {
  const [, double, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag) ?? [];
  return double ?? single;
};

function pixels(text: string | undefined): number | null {
  const number = NUMBER.exec(text ?? '')?.[1];
  return number === undefined || Number(number) < 0.5 ? null : Math.round(Number(number));
}

/**
 * Size of an SVG: its width and height in pixels, else those of its view box; null without either. The SVG is
 * not rendered, because rendering may take unbounded time.
 */
export function svgSize(bytes: Buffer): Size | null {
  const tag = /<svg\b[^<>]*>/.exec(bytes.toString('utf8'))?.[0] ?? '';
  const [, , boxWidth, boxHeight] = (attribute(tag, 'viewBox') ?? '').trim().split(/[\s,]+/);
  const width = pixels(attribute(tag, 'width')) ?? pixels(boxWidth);
  const height = pixels(attribute(tag, 'height')) ?? pixels(boxHeight);
  return width === null || height === null ? null : { width, height };
}
