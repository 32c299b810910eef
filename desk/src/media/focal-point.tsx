/** Picture on which a click sets the focal point. Two numbers do the same by keyboard. */
import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import type { MouseEvent } from 'react';
import { useTexts } from '../texts/texts.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly address: string;
  readonly alternative: string;
  readonly point: Point | null;
  /** Null if the editor may not change it. */
  readonly set: ((point: Point | null) => void) | null;
}

const CENTRE: Point = { x: 50, y: 50 };

const percent = (part: number, whole: number): number =>
  Math.round(Math.min(1, Math.max(0, part / whole)) * 100);

export function FocalPoint({ address, alternative, point, set }: Props) {
  const { media } = useTexts();
  const click = ({ currentTarget, clientX, clientY }: MouseEvent): void => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    set?.({ x: percent(clientX - left, width), y: percent(clientY - top, height) });
  };
  const move = (change: Partial<Point>): void => set?.({ ...CENTRE, ...point, ...change });
  return (
    <Stack gap={6}>
      <div className="desk-focal">
        <img
          src={address}
          alt={alternative}
          className={set === null ? '' : 'desk-focal-target'}
          onClick={click}
        />
        {point !== null && (
          <span className="desk-focal-point" style={{ left: `${point.x}%`, top: `${point.y}%` }} />
        )}
      </div>
      {set !== null && (
        <>
          <Text size="xs" c="dimmed">
            {media.focalHint}
          </Text>
          <Group gap="xs" role="group" aria-label={media.focal} align="flex-end">
            <NumberInput
              size="xs"
              hideControls
              w={130}
              label={media.focalX}
              min={0}
              max={100}
              value={point?.x ?? ''}
              onChange={(x) => typeof x === 'number' && move({ x })}
            />
            <NumberInput
              size="xs"
              hideControls
              w={130}
              label={media.focalY}
              min={0}
              max={100}
              value={point?.y ?? ''}
              onChange={(y) => typeof y === 'number' && move({ y })}
            />
            {point !== null && (
              <Button size="xs" variant="subtle" onClick={() => set(null)}>
                {media.noFocal}
              </Button>
            )}
          </Group>
        </>
      )}
    </Stack>
  );
}
